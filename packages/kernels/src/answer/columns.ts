/**
 * The single list of the fields of an answered term. Each field is defined only here: the select list of answers, the reply and JSON
 * Lines (with the Python type), the table that is exported and its sheet of a workbook, the table of the command line, the columns of
 * the page (also on paper) and the reference page are derived from it. docs/how-to/extend.md says how to add a field.
 */
import { certainties, certaintyOf } from '../combined/vocabulary/certainty.js';
import {
  isFromSequenceAlone,
  probabilityMeaningOf,
  probabilityMeanings,
} from '../combined/vocabulary/probability-meaning.js';
import type { CrossReferences } from '../cross-references/index.js';
import { annotationValues, knownBases, type KnownTerm } from './known-terms.js';
import type { PredictedName } from '../naming/index.js';
import { type EmptyReason, emptyReasons } from '../vocabulary/index.js';
import {
  type ColumnValue,
  type PredictionColumn,
  predictionColumn,
  type PredictionColumnName,
} from '../prediction/index.js';

/** The kinds of lines of a table: a term that is known of the protein itself, a predicted term, or the statement that there is none. */
export const answerKinds = ['known', 'predicted', 'no_answer'] as const;
export type AnswerKind = (typeof answerKinds)[number];

/**
 * Outputs of a field. `reply`: a predicted term in the answer for a protein and in JSON Lines; `overview`: a known or predicted term in
 * the overview of a run; `table`: the exported table; `terminal`: what `kindred annotate --format table` prints; `page`: the table of the
 * web client; `wide`: the lists of the table with one line a protein. Within an output, fields keep the order of the list.
 */
export const answerOutputs = ['reply', 'overview', 'table', 'terminal', 'page', 'wide'] as const;
export type AnswerOutput = (typeof answerOutputs)[number];

/** The values that all lines of a protein share. */
export interface AnswerOfProtein {
  protein: string;
  no_answer: EmptyReason | null;
  is_namesake: boolean | null;
  /** The reference that the answer refers to, as name@version; null if it has no name. */
  reference: string | null;
  protein_name: string | null;
  gene_name: string | null;
  predicted_name: PredictedName | null;
  /** Predicted terms that are not in the answer. */
  left_out: number;
}

/** A known term as an answer has it. */
export type AnsweredKnownTerm = KnownTerm & CrossReferences;

/** The values that an answer adds to the columns of a predicted term. */
export interface InAnswer extends CrossReferences {
  /** Whether the protein is known to have the term or one that implies it; null means that nothing is known of the protein. */
  is_known: boolean | null;
  /** GO id of the term that implies this one and is at least as certain in a word; null means that lists show this term by itself. */
  folded_under: string | null;
}

type Row<Name extends PredictionColumnName> = { [Key in Name]: ColumnValue<Key> } & InAnswer;

interface FromPrediction<Value> {
  columns: readonly PredictionColumnName[];
  /** @param place of the term in the answer, from 1 */
  value: (row: never, place: number) => Value;
}

export interface AnswerColumn {
  /** The type of the values; a flag is written as yes or no in texts. */
  type: 'text' | 'integer' | 'number' | 'flag';
  /** The allowed values of a text; a field without them allows any text. */
  values?: readonly string[];
  /** The unit of the values, with their range if they are bounded; null for texts and flags. */
  unit: string | null;
  meaning: string;
  /** Whether a predicted term may lack a value. */
  nullable: boolean;
  /** How a predicted term gets the value; absent if predicted terms have none. */
  predicted?: FromPrediction<unknown>;
  /** How a known term gets the value; absent if known terms have none. */
  known?: (term: AnsweredKnownTerm) => unknown;
  /** How every line of a protein gets the value. */
  line?: (protein: AnswerOfProtein, kind: AnswerKind) => unknown;
  outputs: readonly AnswerOutput[];
  /** The name in the reply, if it differs. */
  replyName?: string;
  /** The heading in the terminal and on the page, if it differs from the name. */
  heading?: string;
  /** The name of a list of the values, in the table with one line for each protein. */
  plural?: string;
}

/** Declares which columns of the prediction a field reads, and how it makes its value from them. */
function from<const Name extends PredictionColumnName, const Value>(
  columns: readonly Name[],
  value: (row: Row<Name>, place: number) => Value,
) {
  return { columns, value } satisfies FromPrediction<Value>;
}

const types = { int4: 'integer', float4: 'number', text: 'text', bool: 'flag', jsonb: 'text' } as const;

/** Makes a field that shows a column of the prediction as it is, with the type, unit and meaning of the column. */
function column<const Name extends PredictionColumnName>(name: Name) {
  const { storage, unit, meaning, nullable, values }: PredictionColumn = predictionColumn(name);
  return {
    type: types[storage],
    unit,
    meaning,
    nullable,
    ...(values === undefined ? {} : { values }),
    predicted: from([name], (row) => row[name]),
  };
}

const text = { type: 'text', unit: null } as const;
const everywhere = ['reply', 'overview', 'table', 'terminal', 'page'] as const;
const inFull = ['reply', 'table'] as const;

export const answerColumns = {
  protein: {
    ...text,
    meaning: 'Accession of the query, as in its header',
    nullable: false,
    line: ({ protein }) => protein,
    outputs: ['table', 'terminal'],
  },
  go_id: {
    ...column('go_id'),
    meaning: 'GO term',
    known: ({ go_id }) => go_id,
    outputs: ['reply', 'overview', 'table', 'terminal', 'wide'],
    heading: 'GO id',
    plural: 'terms',
  },
  go_name: {
    ...column('go_name'),
    known: ({ name }) => name,
    outputs: ['reply', 'table', 'terminal', 'page', 'wide'],
    replyName: 'name',
    heading: 'term',
    plural: 'names',
  },
  aspect: {
    ...column('go_aspect'),
    known: ({ aspect }) => aspect,
    outputs: ['reply', 'table', 'terminal'],
  },
  kind: {
    ...text,
    values: answerKinds,
    meaning:
      'known: a term that annotations of the protein itself name, once with all of them; predicted; no_answer: the protein has no line of either kind',
    nullable: false,
    line: (_protein, kind) => kind,
    outputs: ['overview', 'table'],
  },
  basis: {
    ...text,
    values: [...knownBases, 'prediction', 'sequence_alone'],
    meaning:
      'What the term rests on: for a known one its strongest annotation, by experiment, by the judgement of a curator or author, electronic, or unrecorded where the source does not say; sequence_alone: predicted without a similar protein',
    nullable: false,
    predicted: from(['calibrated_on'], ({ calibrated_on }) =>
      isFromSequenceAlone(calibrated_on) ? ('sequence_alone' as const) : ('prediction' as const),
    ),
    known: ({ basis }) => basis,
    outputs: ['table'],
  },
  qualifier: {
    ...text,
    meaning: 'Relations of the protein to a known term, joined by |; NOT where the protein does not have it',
    nullable: true,
    known: (term) => annotationValues(term, 'qualifier'),
    outputs: ['table'],
  },
  place: {
    type: 'integer',
    unit: 'place, from 1',
    meaning:
      'By aspect, that with the best first term leading; then by certainty, of near equals the more specific first; implied terms after the others of their certainty; terms that say little, and then those that are known, last',
    nullable: false,
    predicted: from([], (_row, place) => place),
    outputs: ['reply'],
  },
  score: { ...column('score'), outputs: everywhere },
  probability: {
    ...column('probability'),
    outputs: ['reply', 'overview', 'table', 'wide'],
    plural: 'probabilities',
  },
  probability_low: { ...column('probability_low'), outputs: inFull },
  probability_high: { ...column('probability_high'), outputs: inFull },
  certainty: {
    ...text,
    values: certainties,
    meaning:
      'The probability in a word: strong from 0.8, likely from 0.5, possible from 0.25, weak below; null: not calibrated',
    nullable: true,
    predicted: from(['probability'], ({ probability }) => certaintyOf(probability)),
    outputs: everywhere,
  },
  probability_meaning: {
    ...text,
    values: probabilityMeanings,
    meaning:
      'What the probability is the rate of: that an experiment shows such a term within some years, or that the databases hold it for the protein, by any evidence; null: not calibrated',
    nullable: true,
    predicted: from(['calibrated_on'], ({ calibrated_on }) => probabilityMeaningOf(calibrated_on)),
    outputs: inFull,
  },
  calibrated_on: { ...column('calibrated_on'), outputs: inFull },
  is_known: {
    type: 'flag',
    unit: null,
    meaning:
      'Known of the protein itself, by this term or by one that implies it; no: beyond what is known; null: nothing is known of the protein',
    nullable: true,
    predicted: from([], ({ is_known }) => is_known),
    known: ({ is_negated }) => !is_negated,
    outputs: inFull,
  },
  folded_under: {
    ...text,
    meaning:
      'GO id of the term of the answer that implies this one and is at least as certain in a word: lists show this one under it; null: no other term does, or the term is not in the answer',
    nullable: true,
    predicted: from([], ({ folded_under }) => folded_under),
    outputs: inFull,
  },
  source_kind: {
    ...column('source_kind'),
    known: () => 'own_annotation' as const,
    outputs: inFull,
  },
  source_id: {
    ...column('source_id'),
    known: ({ accession }) => accession,
    outputs: everywhere,
    heading: 'source',
  },
  source_found_by: { ...column('source_found_by'), outputs: inFull },
  evidence_code: {
    ...column('evidence_code'),
    meaning:
      'Evidence codes of a known term, the strongest first, joined by |; of a predicted term, the strongest evidence of the source for it: null where the source has a more specific term',
    known: (term) => annotationValues(term, 'evidence_code'),
    outputs: everywhere,
    heading: 'evidence',
  },
  db_reference: {
    ...text,
    meaning: 'Papers and rules that the annotations of a known term name, joined by |',
    nullable: true,
    known: (term) => annotationValues(term, 'db_reference'),
    outputs: ['table'],
  },
  assigned_by: {
    ...text,
    meaning: 'Who made the annotations of a known term, joined by |',
    nullable: true,
    known: (term) => annotationValues(term, 'assigned_by'),
    outputs: ['table'],
  },
  identity: {
    type: 'number',
    unit: 'share, 0 to 1',
    meaning: 'Identical columns of the alignment of the query with the source; null: not aligned',
    nullable: true,
    predicted: from(
      ['source_identity', 'identity_sw'],
      ({ source_identity, identity_sw }) => source_identity ?? identity_sw,
    ),
    outputs: everywhere,
  },
  distance: {
    ...column('distance'),
    meaning: 'Distance between the vectors of query and source',
    outputs: inFull,
  },
  supporters: {
    ...column('supporters'),
    outputs: ['reply', 'table', 'terminal', 'page'],
    heading: 'similar',
  },
  similar_proteins: { ...column('similar_proteins'), outputs: inFull },
  contradiction: { ...column('contradiction'), outputs: inFull },
  ec_numbers: {
    ...text,
    meaning:
      'EC numbers of the term itself, joined by |, as the Gene Ontology gives them: those of the protein as far as the term is; null: it gives none',
    nullable: true,
    predicted: from([], ({ ec_numbers }) => ec_numbers),
    known: ({ ec_numbers }) => ec_numbers,
    outputs: inFull,
  },
  rhea_reactions: {
    ...text,
    meaning:
      'Reactions of Rhea that are the term itself, by number, joined by |; null: the Gene Ontology gives none',
    nullable: true,
    predicted: from([], ({ rhea_reactions }) => rhea_reactions),
    known: ({ rhea_reactions }) => rhea_reactions,
    outputs: inFull,
  },
  no_answer: {
    ...text,
    values: emptyReasons,
    meaning: 'Why nothing is predicted for the protein; null: something is, or the method recorded no reason',
    nullable: true,
    line: ({ no_answer }) => no_answer,
    outputs: ['table'],
  },
  is_namesake: {
    type: 'flag',
    unit: null,
    meaning:
      'Named like a protein of the reference that has another sequence: the name is ignored; null: not looked for when the run was made',
    nullable: true,
    line: ({ is_namesake }) => is_namesake,
    outputs: ['table'],
  },
  reference: {
    ...text,
    meaning:
      'Reference that the lines of the protein are of, name@version: of those that were searched, the one that fits the protein best; null: it has no name',
    nullable: true,
    line: ({ reference }) => reference,
    outputs: ['table'],
  },
  left_out: {
    type: 'integer',
    unit: 'terms',
    meaning:
      'Predicted terms of the protein that are not in the table: below the end of the answer, contradicted or filtered',
    nullable: false,
    line: ({ left_out }) => left_out,
    outputs: ['table'],
  },
  protein_name: {
    ...text,
    meaning:
      'Name of the protein, as its header says it, else as the reference that knows it has it; null: neither names it',
    nullable: true,
    line: ({ protein_name }) => protein_name,
    outputs: ['table'],
  },
  gene_name: {
    ...text,
    meaning: 'Gene of the protein, from where the name is; null: neither names it',
    nullable: true,
    line: ({ gene_name }) => gene_name,
    outputs: ['table'],
  },
  predicted_name: {
    ...text,
    meaning:
      'Predicted, not known: the name on which the most similar proteins of the reference agree, with words of caution; null: the reference knows the protein, or its sources have no name or different ones',
    nullable: true,
    line: ({ predicted_name }) => predicted_name?.name ?? null,
    outputs: ['table'],
  },
  predicted_name_sources: {
    ...text,
    meaning: 'Accessions of the proteins that agree on the predicted name, the nearest first, joined by |',
    nullable: true,
    line: ({ predicted_name }) => predicted_name?.sources.join('|') ?? null,
    outputs: ['table'],
  },
} as const satisfies Record<string, AnswerColumn>;

type Columns = typeof answerColumns;
export type AnswerColumnName = keyof Columns;

export type AnswerColumnsIn<Output extends AnswerOutput> = {
  [Name in AnswerColumnName]: Output extends Columns[Name]['outputs'][number] ? Name : never;
}[AnswerColumnName];

type FromRow<Column> = Column extends { predicted: { value: (...row: never[]) => infer Value } }
  ? Value
  : never;
type FromKnown<Column> = Column extends { known: (...term: never[]) => infer Value } ? Value : never;
type FromLine<Column> = Column extends { line: (...line: never[]) => infer Value } ? Value : never;

export type PredictedValue<Name extends AnswerColumnName> = FromRow<Columns[Name]>;
/** The type of a field of a term in the overview, known or predicted. */
export type OverviewValue<Name extends AnswerColumnName> = Columns[Name] extends { line: unknown }
  ? FromLine<Columns[Name]>
  : FromRow<Columns[Name]> | (Columns[Name] extends { known: unknown } ? FromKnown<Columns[Name]> : null);
export type AnswerLine = {
  [Name in AnswerColumnsIn<'table'>]: Columns[Name] extends { line: unknown }
    ? FromLine<Columns[Name]>
    : FromRow<Columns[Name]> | FromKnown<Columns[Name]> | null;
};

export type AnswerReplyName<Name extends AnswerColumnName> = Columns[Name] extends {
  replyName: infer Reply extends string;
}
  ? Reply
  : Name;

/** The columns of a prediction that the fields of an output are made of. */
type ColumnsRead<Column> = Column extends {
  predicted: { columns: readonly (infer Read extends PredictionColumnName)[] };
}
  ? Read
  : never;
type AnsweredColumn = ColumnsRead<Columns[AnswerColumnName]>;
export type AnsweredRow = Row<AnsweredColumn>;

export const answerColumnNames = Object.keys(answerColumns) as AnswerColumnName[];

export function answerColumn(name: AnswerColumnName): AnswerColumn {
  return answerColumns[name];
}

/** Returns the names of the fields of an output, in the order of the list. */
export function answerColumnsIn<Output extends AnswerOutput>(output: Output): AnswerColumnsIn<Output>[] {
  return answerColumnNames.filter((name) =>
    answerColumn(name).outputs.includes(output),
  ) as AnswerColumnsIn<Output>[];
}

/** The columns of predictions that answers are made of. Each is listed once. */
export const answeredColumns = [
  ...new Set(answerColumnNames.flatMap((name) => answerColumn(name).predicted?.columns ?? [])),
] as AnsweredColumn[];

export function answerReplyName(name: AnswerColumnName): string {
  return answerColumn(name).replyName ?? name;
}

export function answerHeading(name: AnswerColumnName): string {
  return answerColumn(name).heading ?? name;
}

/** Returns the value of a field of a predicted term; null means that such terms have no value. */
export function predictedValue<Name extends AnswerColumnName>(
  name: Name,
  row: AnsweredRow,
  place: number,
): PredictedValue<Name> {
  return (answerColumn(name).predicted?.value(row as never, place) ?? null) as PredictedValue<Name>;
}

interface LineOfAnswer {
  kind: AnswerKind;
  protein: AnswerOfProtein;
  /** The row of a predicted term. */
  row?: AnsweredRow;
  known?: AnsweredKnownTerm;
}

const tableColumns = answerColumnsIn('table');

/** Makes a line of the table. A field is null where lines of this kind have no value. */
export function answerLine({ kind, protein, row, known }: LineOfAnswer): AnswerLine {
  const valueOf = ({ line, predicted, known: ofKnown }: AnswerColumn) =>
    line !== undefined
      ? line(protein, kind)
      : row !== undefined
        ? predicted?.value(row as never, 0)
        : known !== undefined
          ? ofKnown?.(known)
          : undefined;
  return Object.fromEntries(
    tableColumns.map((name) => [name, valueOf(answerColumn(name)) ?? null]),
  ) as AnswerLine;
}
