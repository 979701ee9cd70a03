import type { ColumnArrays } from '@kindred/kernels/prediction';
import { Numbering } from '../ground/numbering.js';
import { liveTermsIn } from '../store/ontology/ontology.repository.js';
import type { ColumnTexts, PredictionBatch, TermSource } from '../store/predictions/prediction-writer.js';
import type { QueryRow } from '../store/proteins/queries.repository.js';
import type { OperationContext } from '../work/operation/operation.js';
import type { CombinedChoices, CombinedSubject } from './banks/combined-input.js';
import { combinedPredictions } from './combined-prediction.js';

export interface SearchedReferences {
  queries: readonly QueryRow[];
  config: CombinedSubject['config'];
  /** The first reference is that of the prediction set. */
  references: readonly Pick<CombinedSubject, 'bank' | 'set' | 'merging'>[];
  /** If true, an answer of the first reference stands. */
  preferFirst: boolean;
}

/** One reference answers a part of the queries. */
interface Part {
  reference: SearchedReferences['references'][number];
  batch: PredictionBatch;
}
/** The answer of a query is in this part, at the query's place in it. */
interface Chosen {
  part: number;
  place: number;
  fit: number;
}

/**
 * Makes the rows of a batch, each query by the reference that fits it best; in a tie, by the first. This
 * costs a prediction with each reference.
 */
export async function predictionsByBest(
  { queries, config, references, preferFirst }: SearchedReferences,
  choices: CombinedChoices,
  destination: { setNumber: number; jsonb: boolean; context: OperationContext },
): Promise<PredictionBatch> {
  const parts: Part[] = [];
  const chosen: Chosen[] = [];
  for (const reference of references) {
    const asked = [...queries.keys()].filter(
      (q) => parts.length === 0 || !preferFirst || parts[0].batch.queries[q].no_answer === noRelative,
    );
    if (asked.length === 0) continue;
    const subject = { ...reference, config, queries: asked.map((q) => queries[q]) };
    // A later reference answers only with a similar protein, so terms from the sequence alone are computed once.
    const sequenceOnly = choices.sequenceOnly && parts.length === 0;
    const { batch, fits } = await combinedPredictions(subject, { ...choices, sequenceOnly }, destination);
    parts.push({ reference, batch });
    const part = parts.length - 1;
    asked.forEach((q, place) => {
      const fit = fits[place];
      if (part === 0 || fit > chosen[q].fit) chosen[q] = { part, place, fit };
    });
  }
  if (chosen.every(({ part }) => part === 0)) return parts[0].batch;
  return joined(await inOneOntology(parts, destination.context), chosen);
}

const noRelative = 'no_similar_protein';

/**
 * Each row has its term's row in the ontology of the prediction set, -1 if that ontology lacks the term:
 * [rows].
 */
interface MappedPart extends Part {
  terms: Int32Array;
}

/** References may be of different releases of the ontology; terms are the same by their GO id. */
async function inOneOntology(parts: readonly Part[], { db, emit }: OperationContext): Promise<MappedPart[]> {
  const snapshotId = parts[0].reference.set.ontology_snapshot_id;
  const mapped: MappedPart[] = [];
  for (const part of parts) {
    const ids = part.batch.columns.go_term_id as Int32Array;
    if (part.reference.set.ontology_snapshot_id === snapshotId) {
      mapped.push({ ...part, terms: ids });
      continue;
    }
    const rowOf = await liveTermsIn(db, snapshotId, [...new Set(ids)]);
    const terms = ids.map((id) => rowOf.get(id) ?? -1);
    mapped.push({ ...part, terms });
    const count = terms.filter((term) => term < 0).length;
    if (count > 0)
      await emit(
        'predict_go_terms.terms_of_another_ontology',
        { rows: count, annotation_set_id: part.reference.set.id, ontology_snapshot_id: snapshotId },
        'warning',
      );
  }
  return mapped;
}

/** Joins the rows of the chosen answers, by query. */
function joined(parts: readonly MappedPart[], chosen: readonly Chosen[]): PredictionBatch {
  const [{ batch: first }] = parts;
  const rows = chosenRows(parts, chosen);
  const sources = new Numbering<TermSource>(({ kind, id }) => `${kind} ${id}`);
  const texts = new JoinedTexts();
  const columns = Object.fromEntries(
    Object.entries(first.columns).map(([name, values]) => {
      const joinedValues = new (values.constructor as Int32ArrayConstructor)(rows.length);
      rows.forEach(({ part, row }, at) => {
        const { batch, terms } = parts[part];
        const value =
          name === 'go_term_id' ? terms[row] : (batch.columns[name as keyof ColumnArrays] as Int32Array)[row];
        joinedValues[at] = isTextName(name) ? texts.numberOf(name, batch.texts[name], value) : value;
      });
      return [name, joinedValues];
    }),
  ) as unknown as PredictionBatch['columns'];
  return {
    ...first,
    queries: chosen.map(({ part, place }) => ({
      ...parts[part].batch.queries[place],
      annotation_set_number: part === 0 ? null : parts[part].reference.set.number,
    })),
    query: Int32Array.from(rows, ({ query }) => query),
    source: Int32Array.from(rows, ({ part, row }) =>
      sources.numberOf(parts[part].batch.sources[parts[part].batch.source[row]]),
    ),
    sources: sources.values,
    columns,
    texts: texts.all,
  };
}

interface ChosenRow {
  query: number;
  part: number;
  row: number;
}

/** Lists the rows by query, without terms that the ontology of the set lacks. */
function chosenRows(parts: readonly MappedPart[], chosen: readonly Chosen[]): ChosenRow[] {
  const rowsOf = parts.map(({ batch, terms }) => {
    const rows: number[][] = batch.queries.map(() => []);
    batch.query.forEach((query, row) => {
      if (terms[row] >= 0) rows[query].push(row);
    });
    return rows;
  });
  return chosen.flatMap(({ part, place }, query) => rowsOf[part][place].map((row) => ({ query, part, row })));
}

const textNames = [
  'qualifier',
  'evidence_code',
  'taxonomic_relation',
  'calibrated_on',
  'contradiction',
  'source_found_by',
] as const;
type TextName = (typeof textNames)[number];
const isTextName = (name: string): name is TextName => (textNames as readonly string[]).includes(name);

/** Joins, for several batches, the texts of the columns whose values are indexes. */
class JoinedTexts {
  readonly #texts = Object.fromEntries(
    textNames.map((name) => [name, new Numbering<string>((text) => text)]),
  ) as Record<TextName, Numbering<string>>;

  numberOf(name: TextName, texts: readonly string[] | undefined, value: number): number {
    const text = texts?.[value];
    return text === undefined ? -1 : this.#texts[name].numberOf(text);
  }

  get all(): ColumnTexts {
    return Object.fromEntries(
      textNames.map((name) => [name, this.#texts[name].values]),
    ) as unknown as ColumnTexts;
  }
}
