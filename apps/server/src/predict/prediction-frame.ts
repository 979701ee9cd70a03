import {
  predictionColumn,
  type PredictionColumnName,
  predictionColumns,
  sourceKinds,
} from '@kindred/kernels/prediction';
import { knownBy } from '@kindred/contracts/resources/answers';
import { emptyReasons } from '@kindred/kernels/vocabulary';
import { z } from 'zod';
import type { Known } from './banks/known-proteins.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import {
  type BatchColumns,
  noSource,
  type PredictionBatch,
  type QueryIdentity,
  type StoredQuery,
} from '../store/predictions/prediction-writer.js';
import type { BatchProduct } from '../work/operation/operation.js';
import type { PredictedColumns } from './predict-columns.js';

const nullableInt = z.int().nullable();
const texts = z.array(z.string());
/**
 * The header has all texts and small values; the numbers are sent in blocks, which have the names of their
 * columns.
 */
const frameHeader = z.object({
  set_number: z.int(),
  jsonb: z.boolean(),
  has_features: z.boolean(),
  queries: z.array(
    z.object({
      accession: z.string(),
      sequence_id: z.int(),
      taxonomy_id: nullableInt,
      no_answer: z.enum(emptyReasons).nullish(),
      distant_accession: z.string().nullish(),
      distant_e_value: z.number().nullish(),
      known_accession: z.string().nullish(),
      known_by: z.enum(knownBy).nullish(),
      known_identity: z.number().nullish(),
      known_coverage: z.number().nullish(),
      is_namesake: z.boolean().optional(),
      annotation_set_number: nullableInt.optional(),
      /** The block `donors` has this number of bytes for the query; the order is that of the queries. */
      donor_bytes: z.int().min(0).default(0),
    }),
  ),
  sources: z.array(
    z.object({ kind: z.enum(sourceKinds), id: z.string().nullable(), taxonomy_id: nullableInt }),
  ),
  texts: z.object({
    qualifier: texts,
    evidence_code: texts,
    taxonomic_relation: texts,
    calibrated_on: texts.optional(),
    contradiction: texts.optional(),
    source_found_by: texts.optional(),
  }),
});

export function packBatch(batch: PredictionBatch): BatchProduct {
  const { setNumber, jsonb, hasFeatures, queries, sources, texts: all, query, source, columns } = batch;
  const header: z.infer<typeof frameHeader> = {
    set_number: setNumber,
    jsonb,
    has_features: hasFeatures,
    queries: queries.map(({ donors, ...one }) => ({ ...one, donor_bytes: donors?.byteLength ?? 0 })),
    sources: sources.map((one) => ({ ...one })),
    texts: {
      qualifier: [...all.qualifier],
      evidence_code: [...all.evidence_code],
      taxonomic_relation: [...all.taxonomic_relation],
      calibrated_on: [...(all.calibrated_on ?? [])],
      contradiction: [...(all.contradiction ?? [])],
      source_found_by: [...(all.source_found_by ?? [])],
    },
  };
  const donors = new Uint8Array(Buffer.concat(queries.flatMap((one) => one.donors ?? [])));
  return { header, blocks: { query, source, donors, ...columns } };
}

/** Gives the columns of a query's row about the reference protein that it is. */
export function storedKnown({ protein, isNamesake }: Known, { texts }: ReferenceBank): QueryIdentity {
  return {
    known_accession: protein === null ? null : texts.accessions[protein.reference],
    known_by: protein?.by ?? null,
    known_identity: protein?.likeness?.identity ?? null,
    known_coverage: protein?.likeness?.coverage ?? null,
    is_namesake: isNamesake,
  };
}

/**
 * Packs the rows so that the writer needs no bank: references and terms become accessions and database ids.
 * The queries after those with computed columns have no rows.
 */
export function packPredictions(
  { rows, columns, hasFeatures, texts }: PredictedColumns,
  about: {
    setNumber: number;
    queries: readonly Omit<StoredQuery, 'donors'>[];
    bank: ReferenceBank;
    jsonb: boolean;
  },
): BatchProduct {
  const { bank, queries } = about;
  const used = Int32Array.from(new Set(rows.reference)).sort();
  const place = new Map(Array.from(used, (reference, index) => [reference, index]));
  const header: z.infer<typeof frameHeader> = {
    set_number: about.setNumber,
    jsonb: about.jsonb,
    has_features: hasFeatures,
    queries: queries.map((query) => ({ ...query, donor_bytes: 0 })),
    sources: Array.from(used, (reference) =>
      reference < 0
        ? noSource
        : {
            kind: 'protein',
            id: bank.texts.accessions[reference],
            taxonomy_id: bank.arrays.referenceTaxon[reference] || null,
          },
    ),
    texts: {
      qualifier: [...texts.qualifier],
      evidence_code: [...texts.evidence_code],
      taxonomic_relation: [...texts.taxonomic_relation],
    },
  };
  return {
    header,
    blocks: {
      query: rows.query,
      source: rows.reference.map((reference) => place.get(reference) as number),
      go_term_id: rows.term.map((term) => bank.arrays.termRowId[term]),
      ...forQueries(columns, queries.length),
    },
  };
}

/** Adds an empty value to the columns for each query that has no computed one. */
function forQueries(columns: BatchColumns, count: number): BatchColumns {
  const padded = Object.entries(columns).map(([name, values]) => {
    const isOfQueries = predictionColumn(name as PredictionColumnName).subject === 'query';
    if (!isOfQueries || !(values instanceof Float32Array)) return [name, values];
    const all = new Float32Array(count).fill(Number.NaN);
    all.set(values);
    return [name, all];
  });
  return Object.fromEntries(padded) as BatchColumns;
}

/** Reverses packPredictions and checks the frame, which may come from another machine. */
export function unpackPredictions(product: BatchProduct): PredictionBatch {
  const header = frameHeader.parse(product.header);
  const { query, source, donors = new Uint8Array(0), ...columns } = product.blocks;
  if (!(query instanceof Int32Array && source instanceof Int32Array))
    throw new RangeError('a frame of predictions has no blocks query and source');
  const batch = {
    setNumber: header.set_number,
    jsonb: header.jsonb,
    hasFeatures: header.has_features,
    queries: withSources(header.queries, donors),
    sources: header.sources,
    texts: header.texts,
    query,
    source,
    columns: columns as unknown as PredictionBatch['columns'],
  };
  checkColumns(batch);
  return batch;
}

type QueryHeader = z.infer<typeof frameHeader>['queries'][number];

/** Gives each query its part of the block. */
function withSources(queries: readonly QueryHeader[], donors: ArrayBufferView): StoredQuery[] {
  const all = new Uint8Array(donors.buffer, donors.byteOffset, donors.byteLength);
  let at = 0;
  const found = queries.map(({ donor_bytes, ...query }): StoredQuery => {
    const own = all.subarray(at, (at += donor_bytes));
    return { ...query, donors: donor_bytes === 0 ? null : own };
  });
  if (at !== all.length)
    throw new RangeError(`the sources in a frame of predictions has ${all.length} bytes, expected ${at}`);
  return found;
}

/**
 * @throws RangeError for a column that does not exist, is missing, or has another length than its subjects
 */
function checkColumns({ columns, query, queries }: PredictionBatch): void {
  for (const name of ['go_term_id', 'distance', 'score', 'term_rank', 'is_nearest'] as const)
    if (columns[name] === undefined) throw new RangeError(`a frame of predictions lacks the block ${name}`);
  const pairs = columns.is_nearest.reduce((count, nearest) => count + nearest, 0);
  const lengths = { row: query.length, query: queries.length, pair: pairs };
  for (const [name, values] of Object.entries(columns)) {
    if (!Object.hasOwn(predictionColumns, name))
      throw new RangeError(`a frame of predictions has the block ${name}, which is not a column`);
    const { subject } = predictionColumn(name as PredictionColumnName);
    const expected = lengths[subject as keyof typeof lengths];
    if (values.length !== expected)
      throw new RangeError(
        `the block ${name} of a frame of predictions has ${values.length} values, expected ${expected}`,
      );
  }
}
