import {
  type ColumnArrays,
  type ColumnsFrom,
  columnsOf,
  type ComputedColumnName,
  type ColumnSubject,
  type ColumnTable,
  type PredictionColumn,
  predictionColumn,
  type PredictionColumnName,
  type SourceKind,
} from '@kindred/kernels/prediction';
import type { knownBy } from '@kindred/contracts/resources/answers';
import type { EmptyReason } from '@kindred/kernels/vocabulary';
import { BinaryRows, copyBinaryRows, copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Transaction } from '../postgres/connection.js';

/** Columns of a batch are found by name; columns without a computed value are left out and stay null. */
export type BatchColumns = ColumnArrays<ColumnsFrom<'transfer'>> & Partial<ColumnArrays>;

/** Some columns hold indexes into a list of texts; these are the lists. */
export type ColumnTexts = Record<'qualifier' | 'evidence_code' | 'taxonomic_relation', readonly string[]> & {
  calibrated_on?: readonly string[];
  contradiction?: readonly string[];
  source_found_by?: readonly string[];
};

/** The reference says who a query is. */
export interface QueryIdentity {
  /** The query is this protein of the reference, recognised in this way. */
  known_accession: string | null;
  known_by: KnownBy | null;
  /**
   * The alignment that recognised the query has this identity and coverage, 0 to 1 (see sameProtein); null
   * means that none did.
   */
  known_identity: number | null;
  known_coverage: number | null;
  /** The flag is true if the query is named like a reference protein of another sequence. */
  is_namesake: boolean;
}

/**
 * A query of a batch may lack its identity, which means that it is unknown, and a reason, which means that it
 * may have an answer.
 */
export interface StoredQuery extends Partial<QueryIdentity> {
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
  /** The reason why the reference says nothing of the query. Terms that it has all the same come from its sequence alone. */
  no_answer?: EmptyReason | null;
  /** A query without a relative in the reference may have a distant one there. */
  distant_accession?: string | null;
  distant_e_value?: number | null;
  /**
   * The query's answer comes from the annotation set of this number; null stands for that of the prediction
   * set.
   */
  annotation_set_number?: number | null;
  /** The scores rest on these sources, in the form that `encodeDonors` writes. */
  donors?: Uint8Array | null;
}
/**
 * A query is recognised by the accession with the same sequence, by the accession with a sequence that the
 * alignment finds to be the same protein's, or by the sequence alone.
 */
export type KnownBy = (typeof knownBy)[number];

/** A source gave a term; `none` has no id. */
export interface TermSource {
  kind: SourceKind;
  id: string | null;
  taxonomy_id: number | null;
}
/** The term came from no source, such as a term that is only frequent. */
export const noSource: TermSource = { kind: 'none', id: null, taxonomy_id: null };

/**
 * The rows of one batch are ordered by query, then by the term's rank. Pairs have the order of their rows.
 */
export interface PredictionBatch {
  setNumber: number;
  /** If true, predictions_jsonb is filled, too. */
  jsonb: boolean;
  /** The flag is true if each pair has a feature vector. */
  hasFeatures: boolean;
  queries: readonly StoredQuery[];
  sources: readonly TermSource[];
  texts: ColumnTexts;
  /** Each row has an index into `queries`: [rows]. */
  query: Int32Array;
  /** Each row has an index into `sources`: [rows]. */
  source: Int32Array;
  columns: BatchColumns & ColumnArrays<'go_term_id'>;
}

/**
 * Writes the rows and the counts per query, by COPY. The ledger makes it idempotent: one transaction, one
 * batch.
 */
export async function storePredictions(
  trx: Transaction,
  batch: PredictionBatch,
): Promise<{ predictions_inserted: number }> {
  const rowCount = batch.query.length;
  await copyTable(trx, batch, 'go_prediction', {
    count: rowCount,
    places: { query: batch.query, source: batch.source },
  });
  if (batch.hasFeatures) {
    const nearest = Int32Array.from(batch.query.keys()).filter((row) => batch.columns.is_nearest[row] === 1);
    await copyTable(trx, batch, 'go_prediction_pair_features', {
      count: nearest.length,
      places: { query: nearest.map((row) => batch.query[row]), row: nearest },
    });
  }
  await storeProteins(trx, batch);
  return { predictions_inserted: rowCount };
}

/**
 * The rows of a table come with the index, for each row, of the values of its subjects; without indexes, the
 * subject is the row itself.
 */
interface TableRows {
  count: number;
  places: Partial<Record<ColumnSubject, Int32Array>>;
}

async function copyTable(
  trx: Transaction,
  batch: PredictionBatch,
  table: ColumnTable,
  { count, places }: TableRows,
): Promise<void> {
  if (count === 0) return;
  const given = givenColumns(batch);
  const columns: string[] = [];
  const writers: Write[] = [];
  for (const name of columnsOf(table)) {
    const writer = name === 'predictions_jsonb' ? jsonWriter(batch) : writerOf(name, given[name], batch);
    if (writer === null) continue;
    columns.push(name);
    writers.push(atPlaces(writer, places[predictionColumn(name).subject]));
  }
  await copyRowsWhileWriting(trx, { table, columns }, count, (rows, at) => {
    rows.row();
    for (const write of writers) write(rows, at);
  });
}

type Values = ArrayLike<number | string | null>;
type Write = (rows: BinaryRows, at: number) => void;

/** Gives the columns that a batch holds as something other than arrays of numbers. */
function givenColumns(batch: PredictionBatch): Partial<Record<PredictionColumnName, Values>> {
  return {
    prediction_set_number: [batch.setNumber],
    protein_accession: batch.queries.map((query) => query.accession),
    query_taxonomy_id: batch.queries.map((query) => query.taxonomy_id),
    source_kind: batch.sources.map((source) => source.kind),
    source_id: batch.sources.map((source) => source.id),
    ref_taxonomy_id: batch.sources.map((source) => source.taxonomy_id),
  };
}

function atPlaces(write: Write, places: Int32Array | undefined): Write {
  return places === undefined ? write : (rows, at) => write(rows, places[at]);
}

/** Gives the writer of a column; null if the batch lacks the column. */
function writerOf(
  name: ComputedColumnName,
  given: Values | undefined,
  { columns, texts }: PredictionBatch,
): Write | null {
  const values: Values | undefined = given ?? columns[name];
  if (values === undefined) return null;
  const column: PredictionColumn = predictionColumn(name);
  if (column.subject === 'set') return (rows) => rows.int4(values[0] as number);
  if (column.storage === 'text') {
    if (Array.isArray(values)) return (rows, at) => rows.text(values[at]);
    const list = texts[name as keyof ColumnTexts] ?? [];
    return (rows, at) => rows.text(list[values[at] as number] ?? null);
  }
  const numbers = values as ArrayLike<number>;
  if (column.storage === 'float4') return (rows, at) => rows.float4(numbers[at]);
  if (column.storage === 'bool') return (rows, at) => rows.boolean(numbers[at] === 1);
  if (!column.nullable) return (rows, at) => rows.int4(numbers[at]);
  return (rows, at) => {
    const value: number | null = numbers[at];
    if (value === null || value < 0) rows.null();
    else rows.int4(value);
  };
}

function jsonWriter({ jsonb, columns, texts }: PredictionBatch): Write | null {
  if (!jsonb) return null;
  const { go_term_id, score, evidence_code } = columns;
  return (rows, at) => {
    const evidence = texts.evidence_code[evidence_code[at]] ?? null;
    rows.json({ predictions: [{ go_term_id: go_term_id[at], score: score[at], evidence }], count: 1 });
  };
}

const queryTexts = ['no_answer', 'distant_accession', 'known_accession', 'known_by'] as const;
const queryNumbers = ['distant_e_value', 'known_identity', 'known_coverage'] as const;

/** Stores one row per query of the batch, including queries that got nothing. */
async function storeProteins(trx: Transaction, batch: PredictionBatch): Promise<void> {
  const { distance, is_nearest } = batch.columns;
  const counts = batch.queries.map(() => ({ terms: 0, predictions: 0, minDistance: Number.NaN }));
  for (let at = 0; at < batch.query.length; at++) {
    const count = counts[batch.query[at]];
    count.predictions++;
    count.terms += is_nearest[at];
    // A row without a distance does not change the minimum.
    if (distance[at] < count.minDistance || Number.isNaN(count.minDistance)) count.minDistance = distance[at];
  }
  const rows = new BinaryRows(16);
  batch.queries.forEach((query, index) => {
    rows.row();
    rows.int4(batch.setNumber);
    rows.text(query.accession);
    rows.int8(query.sequence_id);
    rows.int4(counts[index].terms);
    rows.int4(counts[index].predictions);
    rows.float4(counts[index].minDistance);
    for (const name of queryTexts) rows.text(query[name] ?? null);
    for (const name of queryNumbers) {
      const value = query[name] ?? null;
      if (value === null) rows.null();
      else rows.float4(value);
    }
    rows.boolean(query.is_namesake ?? false);
    const set = query.annotation_set_number ?? null;
    if (set === null) rows.null();
    else rows.int4(set);
    if (query.donors) rows.bytea(query.donors);
    else rows.null();
  });
  const columns = [
    'prediction_set_number',
    'protein_accession',
    'sequence_id',
    'term_count',
    'prediction_count',
    'min_distance',
    ...queryTexts,
    ...queryNumbers,
    'is_namesake',
    'annotation_set_number',
    'donors',
  ];
  if (rows.rowCount > 0) await copyBinaryRows(trx, 'prediction_set_protein', columns, rows);
}
