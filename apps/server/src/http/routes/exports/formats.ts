import {
  type BinaryFormatName,
  type ExportFormatName,
  exportColumns,
  type exportLine,
  exportLists,
  exportProteinColumns,
  exportWideColumns,
} from '@kindred/contracts/resources/exports';
import {
  type AnswerColumn,
  answerColumn,
  type AnswerColumnName,
  type AnswerColumnsIn,
  type AnswerLine,
  answerLine,
  predictedValue,
} from '@kindred/kernels/answer';
import { referencesOfProtein } from '@kindred/kernels/cross-references';
import {
  type AnnotationFile,
  featureAnnotation,
  gafHeader,
  gafEvidenceCode,
  GafLeftOut,
  gafLine,
  gff3Protein,
  gpadHeader,
  gpadLine,
  type OwnAnnotation,
  type PredictedAnnotation,
  turtleHeader,
  turtleProtein,
  turtleTermName,
} from '@kindred/kernels/formats';
import { isFromSequenceAlone, probabilityMeaningOf } from '@kindred/kernels/combined';
import type { z } from 'zod';
import type { AnswerTermRow } from '../../../store/predictions/answers.repository.js';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import { sixDigits, tsvLine } from '../../stream.js';
import { presentAnswer } from '../answers/present.js';
import { cafaTable } from '../prediction-sets/tables.js';
import type { SelectedRows } from './select.js';

export type Pages = AsyncIterable<readonly SelectedRows[]>;

export interface ExportedFile extends AnnotationFile {
  /** The id of the prediction set. */
  run: string;
  /** These terms are complexes; a product is part of such a term and not located in it. */
  complexes: ReadonlySet<string>;
  /** Gives the terms with all that they imply; of a slim, the terms alone. */
  implied: (goIds: ReadonlySet<string>) => string[];
  nameOf: (goIds: readonly string[]) => Promise<readonly { go_id: string; name: string }[]>;
}

export type TextFormat = Exclude<ExportFormatName, BinaryFormatName>;

/** Yields the texts of a file, each for a page of proteins. */
export function exported(format: TextFormat, pages: Pages, file: ExportedFile): AsyncIterable<string> {
  switch (format) {
    case 'gaf':
      return gafFile(pages, file);
    case 'gpad':
      return byProtein(pages, gpadHeader(file), (rows) =>
        annotationsOf(rows)
          .map((row) => gpadLine(row, file, file.complexes))
          .join(''),
      );
    case 'gff3':
      return byProtein(pages, gff3Header(file), (rows) =>
        gff3Protein(
          rows.query.protein_accession,
          rows.query.length,
          featureAnnotation(rows.known?.terms ?? [], rows.terms, file.database),
          {
            name: rows.names.protein_name ?? rows.names.gene_name,
            predictedName: rows.predicted_name?.name ?? null,
          },
        ),
      );
    case 'tsv':
      return byProtein(pages, tsvLine(exportColumns), (rows) =>
        tableLines(rows)
          .map((line) => tsvLine(lineCells(line)))
          .join(''),
      );
    case 'wide':
      return byProtein(pages, tsvLine(exportWideColumns), (rows) => tsvLine(wideCells(rows)));
    case 'jsonl':
      return byProtein(pages, '', (rows) => `${JSON.stringify(jsonLine(rows))}\n`);
    case 'cafa':
      return cafaTable(byScore(pages));
    case 'topgo':
      return byProtein(pages, '', (rows) => mapLine(rows, ', '));
    case 'goatools':
      return byProtein(pages, '', (rows) => mapLine(rows, ';'));
    case 'term2gene':
      return byProtein(pages, tsvLine(['term', 'gene']), (rows) =>
        file
          .implied(termsOf(rows))
          .map((term) => tsvLine([term, rows.query.protein_accession]))
          .join(''),
      );
    case 'term2name':
      return termNamesFile(pages, file);
    case 'turtle':
      return turtleFile(pages, file);
  }
}

/** Writes the file, in which lines name and count the annotations that GAF cannot hold. */
async function* gafFile(pages: Pages, file: ExportedFile): AsyncGenerator<string> {
  const leftOut = new GafLeftOut();
  const hasCode = (row: OwnAnnotation | PredictedAnnotation) =>
    !('annotation' in row) || gafEvidenceCode(row.annotation.evidence_code) !== null;
  yield* byProtein(pages, gafHeader(file), (rows) => {
    const annotations = annotationsOf(rows);
    const lines = annotations.filter(hasCode).map((row) => gafLine(row, file, file.complexes));
    const own = annotations.filter((row) => 'annotation' in row);
    return leftOut.linesOf(own, file) + lines.join('');
  });
  yield leftOut.summary;
}

/** Names each term once, before the first protein that has it. */
function turtleFile(pages: Pages, file: ExportedFile): AsyncGenerator<string> {
  const named = new Set<string>();
  const newNames = ({ known, terms }: SelectedRows): string =>
    [
      ...(known?.terms ?? []).map((term) => [term.go_id, term.name] as const),
      ...beyondKnown(terms).map((row) => [row.go_id, row.go_name] as const),
    ]
      .filter(([goId]) => !named.has(goId) && named.add(goId))
      .map(([goId, name]) => turtleTermName(goId, name))
      .join('');
  return byProtein(pages, turtleHeader(file, file.run), (rows) => {
    const protein = {
      run: file.run,
      accession: rows.query.protein_accession,
      taxonId: rows.taxonId,
      proteinName: rows.names.protein_name,
      geneName: rows.names.gene_name,
      noAnswer: rows.query.no_answer,
      predictedName: rows.predicted_name,
    };
    return newNames(rows) + turtleProtein(protein, annotationsOf(rows), file, file.complexes);
  });
}

async function* byProtein(
  pages: Pages,
  header: string,
  lines: (rows: SelectedRows) => string,
): AsyncGenerator<string> {
  yield header;
  for await (const page of pages) {
    yield page.map(lines).join('');
    await yieldToEventLoop();
  }
}

async function* byScore(pages: Pages): AsyncGenerator<AnswerTermRow[]> {
  for await (const page of pages)
    yield page.flatMap(({ terms }) => terms.toSorted((a, b) => a.term_rank - b.term_rank));
}

/** Gives the annotations of the protein itself, then the terms predicted beyond them. */
function annotationsOf({
  query,
  known,
  names,
  terms,
  taxonId,
}: SelectedRows): (OwnAnnotation | PredictedAnnotation)[] {
  const { protein_name: proteinName, gene_name: geneName } = names;
  const annotated = { accession: query.protein_accession, proteinName, geneName };
  const own = (known?.terms ?? []).flatMap(({ go_id, aspect, annotations }) =>
    annotations.map((annotation) => ({
      ...annotated,
      taxonId,
      goId: go_id,
      aspect,
      annotation,
    })),
  );
  return [...own, ...beyondKnown(terms).map((row) => ({ ...annotated, ...predictionOf(row) }))];
}

/** Gives the terms that the protein has, known or predicted: what programs for enrichment read. */
function termsOf({ known, terms }: SelectedRows): Set<string> {
  const own = (known?.terms ?? []).filter((term) => !term.is_negated);
  return new Set([...own, ...beyondKnown(terms)].map((term) => term.go_id));
}

/** Writes no line for a protein without terms, because the readers take each line for an annotated protein. */
function mapLine(rows: SelectedRows, separator: string): string {
  const terms = termsOf(rows);
  return terms.size === 0 ? '' : tsvLine([rows.query.protein_accession, [...terms].join(separator)]);
}

async function* termNamesFile(pages: Pages, file: ExportedFile): AsyncGenerator<string> {
  yield tsvLine(['term', 'name']);
  const given = new Set<string>();
  for await (const page of pages) {
    const fresh = file
      .implied(new Set(page.flatMap((rows) => [...termsOf(rows)])))
      .filter((id) => !given.has(id));
    for (const id of fresh) given.add(id);
    yield (await file.nameOf(fresh)).map(({ go_id, name }) => tsvLine([go_id, name])).join('');
  }
}

/** Gives the predicted terms that are not known for the protein. */
function beyondKnown(terms: readonly AnswerTermRow[]): AnswerTermRow[] {
  return terms.filter((row) => row.is_known !== true);
}

function predictionOf(
  row: AnswerTermRow,
): Omit<PredictedAnnotation, 'accession' | 'proteinName' | 'geneName'> {
  return {
    taxonId: row.query_taxonomy_id,
    goId: row.go_id,
    aspect: row.go_aspect,
    sourceKind: row.source_kind,
    sourceId: row.source_id,
    evidenceCode: row.evidence_code,
    score: row.score,
    probability: row.probability,
    probabilityMeaning: probabilityMeaningOf(row.calibrated_on),
    isFromSequence: isFromSequenceAlone(row.calibrated_on),
  };
}

function gff3Header({ header }: ExportedFile): string {
  return `##gff-version 3\n${header.map(([name, value]) => `#!${name} ${value.replaceAll(/\s+/g, ' ')}\n`).join('')}`;
}

function jsonLine(rows: SelectedRows): z.infer<typeof exportLine> {
  const answer = presentAnswer(rows, true);
  return { ...answer, left_out: { ...answer.left_out, terms: rows.leftOut } };
}

function highest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

type Cell = string | number | null;
export type Value = AnswerLine[keyof AnswerLine];

/**
 * Makes the lines of a protein in the table: the known terms, then the predicted ones, or one line that says
 * that there are none.
 */
export function tableLines(rows: SelectedRows): AnswerLine[] {
  const { query, known, names, predicted_name, terms, leftOut, reference } = rows;
  const protein = {
    protein: query.protein_accession,
    no_answer: query.no_answer,
    is_namesake: query.is_namesake,
    reference,
    protein_name: names.protein_name,
    gene_name: names.gene_name,
    predicted_name,
    left_out: leftOut,
  };
  const lines = [
    ...(known?.terms ?? []).map((one) => answerLine({ kind: 'known', protein, known: one })),
    ...terms.map((row) => answerLine({ kind: 'predicted', protein, row })),
  ];
  return lines.length === 0 ? [answerLine({ kind: 'no_answer', protein })] : lines;
}

/** Makes the cells of a line, with numbers in six digits and flags as yes and no. */
export function lineCells(line: AnswerLine): Cell[] {
  return exportColumns.map((name) => cellOf(name, line[name]));
}

const cellOf = (name: AnswerColumnName, value: Value): Cell => cellOfType(answerColumn(name).type, value);

function cellOfType(type: AnswerColumn['type'], value: Value): Cell {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return type === 'number' ? sixDigits(value as number | null) : value;
}

/** A list of a protein has these values of a field: of its known terms, then of the terms predicted beyond them. */
export interface WideList {
  field: AnswerColumnsIn<'wide'>;
  /** A known term has null where only predictions have a value. */
  values: Value[];
}

/** Makes the values of a protein: what is said of the protein itself, then the lists of its terms. */
export function wideValues({ query, known, names, predicted_name, terms }: SelectedRows): {
  own: Value[];
  lists: WideList[];
} {
  const knownTerms = (known?.terms ?? []).filter((term) => !term.is_negated);
  const beyond = beyondKnown(terms);
  const own: Record<keyof typeof exportProteinColumns, Value> = {
    protein: query.protein_accession,
    length: query.length,
    known_as: query.known_accession,
    known_by: query.known_by,
    protein_name: names.protein_name,
    gene_name: names.gene_name,
    predicted_name: predicted_name?.name ?? null,
    predicted_name_sources: predicted_name?.sources.join('|') ?? null,
    is_namesake: query.is_namesake,
    no_answer: query.no_answer,
    is_sequence_only: query.is_sequence_only,
    term_count: knownTerms.length + beyond.length,
    ec_numbers: referencesOfProtein(knownTerms, beyond).ecNumbers.join('|') || null,
    best_probability: highest(beyond.map((row) => row.probability)),
  };
  const lists = exportLists.map(({ aspect, field }) => ({
    field,
    values: [
      ...knownTerms
        .filter((term) => term.aspect === aspect)
        .map((term) => (answerColumn(field).known?.(term) ?? null) as Value),
      ...beyond.filter((row) => row.go_aspect === aspect).map((row) => predictedValue(field, row, 0)),
    ],
  }));
  return { own: Object.values(own), lists };
}

/** Makes the cells of a protein. A known term has no probability, so the word `known` stands in its place. */
export function wideCells(rows: SelectedRows): Cell[] {
  const { own, lists } = wideValues(rows);
  const types = Object.values(exportProteinColumns);
  return [
    ...own.map((value, at) => cellOfType(types[at], value)),
    ...lists.map(({ field, values }) =>
      values.map((value) => String(cellOf(field, value) ?? 'known').replaceAll(';', ',')).join(';'),
    ),
  ];
}
