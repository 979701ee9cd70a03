import { ProblemError } from '@kindred/contracts';
import { z } from 'zod';
import { transferTask } from '../compute/tasks.js';
import { findAnnotationSet } from '../store/annotations.repository.js';
import { findEmbeddingConfig } from '../store/embedding-configs.repository.js';
import { storePredictions } from '../store/prediction-writer.js';
import { countPredictionSet, findPredictionSet } from '../store/prediction-sets.repository.js';
import { type QueryRow, queriesWithVectors } from '../store/queries.repository.js';
import { vectorsOf } from '../store/reference-bank.repository.js';
import { alignNeighbours } from './align-neighbours.js';
import { compareDonorTaxa } from './compare-donor-taxa.js';
import { decodeVector, ensureReferenceBank, indexOfSorted } from './ensure-reference-bank.js';
import type { BatchOperation, OperationContext } from './operation.js';
import { computePairFeatures } from './pair-features.js';
import { packPredictions, type PredictionColumns, unpackPredictions } from './prediction-frame.js';

const queryRange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('entries'), query_set_id: z.uuid(), from: z.int(), to: z.int() }),
  z.strictObject({ kind: z.literal('proteins'), from: z.int(), to: z.int() }),
  z.strictObject({ kind: z.literal('accessions'), accessions: z.array(z.string()) }),
]);
const payload = z.strictObject({ prediction_set_id: z.uuid(), bank_key: z.string(), queries: queryRange });

/** What the coordinator left in the row of the set. */
const setParameters = z.looseObject({
  include_self: z.boolean(),
  aspect_separated_knn: z.boolean(),
  compute_alignments: z.boolean(),
  compute_reranker_features: z.boolean(),
  /** Of the taxonomy to compare with; null where taxa are not compared. */
  taxonomy_sha256: z.string().nullable().default(null),
});

/** Queries of one batch -> (query, term, reference) rows. */
export const predictGoTermsBatch: BatchOperation<z.infer<typeof payload>> = {
  name: 'predict_go_terms_batch',
  queue: 'svc.predictions.batch',
  writeQueue: 'svc.predictions.write',
  writeName: 'store_predictions',
  payload,

  async compute(batch, context) {
    const { set, config, subject } = await findSubject(batch.prediction_set_id, context);
    const parameters = setParameters.parse(set.parameters);
    const queries = await queriesWithVectors(context.db, batch.queries, config.number);
    const bank = await ensureReferenceBank(context.db, context.settings.cacheDir, subject, {
      key: batch.bank_key,
    });
    const vectors = await queryVectors(queries, config, context);
    const rows = await context.compute.run(
      transferTask,
      {
        bank: { vectorsFile: bank.vectorsFile, arrays: bank.arrays },
        metric: set.metric as 'cosine' | 'l2',
        k: set.limit_per_entry,
        distanceThreshold: set.distance_threshold,
        includeSelf: parameters.include_self,
        aspectSeparated: parameters.aspect_separated_knn,
        nQuery: queries.length,
        ...vectors,
        querySequence: Int32Array.from(queries, (query) =>
          indexOfSorted(bank.arrays.sequenceIds, query.sequence_id),
        ),
      },
      { signal: context.signal },
    );
    const taxonomy =
      parameters.taxonomy_sha256 === null
        ? null
        : await compareDonorTaxa(
            { rows, queries, bank, taxonomySha256: parameters.taxonomy_sha256 },
            context,
          );
    const snapshotId = subject.set.ontology_snapshot_id;
    const rerankerFeatures = parameters.compute_reranker_features;
    const columns: PredictionColumns = {
      rows,
      alignments: parameters.compute_alignments ? await alignNeighbours(rows, queries, bank, context) : null,
      taxonomy,
      rerankerFeatures,
      pairFeatures: rerankerFeatures
        ? await computePairFeatures({ rows, queries, vectors, config, snapshotId, bank, taxonomy }, context)
        : null,
    };
    return packPredictions(columns, {
      setNumber: set.number,
      queries,
      bank,
      jsonb: context.settings.goPredictionJsonbWriteEnabled,
    });
  },

  async write(trx, product) {
    return storePredictions(trx, unpackPredictions(product));
  },

  async finish(trx, { jobId }) {
    const { predictions, proteins } = await countPredictionSet(trx, jobId);
    return { predictions, proteins };
  },
};

async function findSubject(setId: string, { db }: OperationContext) {
  const set = await findPredictionSet(db, setId);
  if (set === undefined)
    throw new ProblemError('not_found', `Prediction set ${setId} was deleted while it was filled.`);
  const { embedding_config_id: configId, annotation_set_id: annotationSetId } = set;
  const config = configId === null ? undefined : await findEmbeddingConfig(db, configId);
  const annotations = annotationSetId === null ? undefined : await findAnnotationSet(db, annotationSetId);
  if (config === undefined || annotations === undefined) {
    throw new ProblemError(
      'not_found',
      `The embedding configuration or the annotation set of prediction set ${setId} was deleted.`,
    );
  }
  return { set, config, subject: { config, set: annotations } };
}

async function queryVectors(
  queries: QueryRow[],
  config: { number: number; dimension: number },
  { db }: OperationContext,
): Promise<{ vectors: Float32Array; queryOfRow: Int32Array }> {
  const ids = [...new Set(queries.map((query) => query.sequence_id))];
  const ofSequence = new Map<number, Float32Array[]>();
  for (const row of await vectorsOf(db, config.number, ids)) {
    ofSequence.set(row.sequence_id, [
      ...(ofSequence.get(row.sequence_id) ?? []),
      decodeVector(row.embedding),
    ]);
  }
  const rows = queries.flatMap((query, index) =>
    (ofSequence.get(query.sequence_id) ?? []).map((vector) => ({ index, vector })),
  );
  const vectors = new Float32Array(rows.length * config.dimension);
  rows.forEach(({ vector }, row) => {
    vectors.set(vector, row * config.dimension);
  });
  return { vectors, queryOfRow: Int32Array.from(rows, ({ index }) => index) };
}
