import { aspects, ProblemError } from '@kindred/contracts';
import {
  inPresentNames,
  predictionMethods,
  sourceChoice,
} from '@kindred/contracts/resources/prediction-sets';
import { nameOfHits, usedHits } from '@kindred/contracts/search-hits';
import { z } from 'zod';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../store/embeddings/embedding-configs.repository.js';
import { addRecallToJobResult } from '../store/jobs/job-batches.repository.js';
import { storePredictions } from '../store/predictions/prediction-writer.js';
import {
  countsOfSet,
  findPredictionSet,
  type PredictionSetRow,
} from '../store/predictions/prediction-sets.repository.js';
import { queriesWithVectors, type QueryRow } from '../store/proteins/queries.repository.js';
import { selectedBank } from './banks/source-choice.js';
import { knownProteins } from './banks/known-proteins.js';
import { commonBank, type Merging } from './banks/merged-embeddings.js';
import { type BankSubject, ensureReferenceBank } from './banks/ensure-reference-bank.js';
import { type ReferenceBank, sequenceNumber } from './compute/reference-bank.js';
import type { GraphSearch } from './compute/tasks/transfer.js';
import { curvesOfSet, furtherConfigs, furtherEmbeddings, mergedParameters } from './merged-configs.js';
import { ensureNeighbourGraph, recallSample, defaultExpansion } from './neighbour-graphs.js';
import type { BatchOperation, OperationContext } from '../work/operation/operation.js';
import { predictColumns } from './predict-columns.js';
import { predictionsByBest, type SearchedReferences } from './best-reference.js';
import { furtherReferences } from './further-references.js';
import { runnerOfBatch, storedRunner } from './runner-choice.js';
import { scoredPredictions } from './scored-terms.js';
import { partUnanswerable, withoutTerms } from './unanswerable.js';
import { packBatch, packPredictions, storedKnown, unpackPredictions } from './prediction-frame.js';

const queryRange = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('entries'), query_set_id: z.uuid(), from: z.int(), to: z.int() }),
  z.strictObject({ kind: z.literal('proteins'), from: z.int(), to: z.int() }),
  z.strictObject({ kind: z.literal('accessions'), accessions: z.array(z.string()) }),
]);
const payload = z.strictObject({
  prediction_set_id: z.uuid(),
  bank_key: z.string(),
  /** The keys of the banks of the other embedding configurations, in the order of the set's parameters. */
  more_bank_keys: z.array(z.string()).default([]),
  /** The banks of the other annotation sets have these keys, in the order of the set's parameters. */
  reference_bank_keys: z.array(z.string()).default([]),
  queries: queryRange,
  /** An approximate search compares this share of all queries with an exact one. */
  recall_share: z.number().min(0).max(1).default(0),
});

/** The coordinator wrote these parameters into the row of the set. */
const setParameters = z.looseObject({
  ...sourceChoice.shape,
  ...mergedParameters.shape,
  more_annotation_set_ids: z.array(z.uuid()).nullable().default(null),
  prefer_first: z.boolean().default(false),
  method: z.enum(predictionMethods).default('knn'),
  ...storedRunner.shape,
  aspect: z.enum(aspects).nullable().default(null),
  hits: usedHits.nullable().default(null),
  sequence_only: z.boolean().default(false),
  include_self: z.boolean(),
  aspect_separated_knn: z.boolean(),
  compute_alignments: z.boolean(),
  compute_reranker_features: z.boolean(),
  /** Sources are chosen by the taxonomy of this SHA-256; null if the choice does not use organisms. */
  donor_taxonomy_sha256: z.string().nullable().default(null),
  /** Taxa are compared with the taxonomy of this SHA-256; null if they are not compared. */
  taxonomy_sha256: z.string().nullable().default(null),
  search: z.enum(['exact', 'hnsw']).default('exact'),
  hnsw_expansion: z.int().nullable().default(null),
  /** The job began with the file of GO term vectors of this SHA-256; null if it had none. */
  anc2vec_sha256: z.string().nullable().default(null),
});

/** The writer gets these facts besides the predictions. */
const recallHeader = z.object({
  recall: z.object({ queries: z.int(), neighbours: z.int(), found: z.int() }).nullable().default(null),
});

/** The operation turns the queries of one batch into (query, term, reference) rows. */
export const predictGoTermsBatch: BatchOperation<z.infer<typeof payload>> = {
  name: 'predict_go_terms_batch',
  queue: 'svc.predictions.batch',
  writeQueue: 'svc.predictions.write',
  writeName: 'store_predictions',
  payload,

  async compute(batch, context) {
    const { set, config, subject } = await findSubject(batch.prediction_set_id, context);
    const parameters = setParameters.parse(inPresentNames(set.parameters));
    const further = await furtherConfigs(config.id, parameters.more_embedding_config_ids, context);
    const configNumbers = [config, ...further].map(({ number }) => number);
    const queries = await queriesWithVectors(context.db, batch.queries, configNumbers);
    const whole = await ensureReferenceBank(context, context.settings.cacheDir, subject, {
      key: batch.bank_key,
      artifacts: context.artifacts,
      emit: context.emit,
      asked: (kept) => context.cacheAsked?.('bank', kept),
    });
    const { bank, merging } = await chosenBank(
      whole,
      { set: subject.set, parameters, further, keys: batch.more_bank_keys },
      context,
    );
    if (parameters.method === 'combined')
      return combinedBatch(
        batch,
        { set, config, parameters, queries, first: { bank, set: subject.set, merging } },
        context,
      );
    const isReference = (id: number) => sequenceNumber(bank.arrays, id) >= 0;
    const known = await knownProteins(queries, bank, context);
    const identified = queries.map((query, q) => ({ ...query, ...storedKnown(known[q], bank) }));
    const { answerable, unanswerable } = await partUnanswerable(identified, isReference, context);
    const destination = { setNumber: set.number, jsonb: context.settings.goPredictionJsonbWriteEnabled };
    if (answerable.length === 0)
      return packBatch(scoredPredictions(unanswerable.map(withoutTerms), destination));
    const graph = await graphSearch(bank, { set, parameters, queries: answerable, batch }, context);
    const columns = await predictColumns(
      { queries: answerable, bank, config, snapshotId: subject.set.ontology_snapshot_id },
      {
        metric: set.metric as 'cosine' | 'l2',
        k: set.limit_per_entry,
        distanceThreshold: set.distance_threshold,
        includeSelf: parameters.include_self,
        aspectSeparated: parameters.aspect_separated_knn,
        alignments: parameters.compute_alignments,
        taxonomySha256: parameters.taxonomy_sha256,
        rerankerFeatures: parameters.compute_reranker_features,
        graph,
        merging,
        termVectorsSha256: parameters.anc2vec_sha256,
        runner: await runnerOfBatch(parameters, context),
      },
      context,
    );
    const { header, blocks } = packPredictions(columns, {
      ...destination,
      queries: [...answerable, ...unanswerable],
      bank,
    });
    return { header: { ...header, recall: columns.rows.recall }, blocks };
  },

  async write(trx, product, { jobId }) {
    const { recall } = recallHeader.parse(product.header);
    if (recall !== null) await addRecallToJobResult(trx, jobId, recall);
    return storePredictions(trx, unpackPredictions(product));
  },

  async finish(trx, { jobId }) {
    return { ...(await countsOfSet(trx, jobId)) };
  },
};

/** Gives null for an exact search. */
async function graphSearch(
  bank: ReferenceBank,
  asked: {
    set: Pick<PredictionSetRow, 'metric'>;
    parameters: z.infer<typeof setParameters>;
    queries: QueryRow[];
    batch: z.infer<typeof payload>;
  },
  context: OperationContext,
): Promise<GraphSearch | null> {
  const { set, parameters, queries, batch } = asked;
  if (parameters.search === 'exact') return null;
  return {
    file: await ensureNeighbourGraph(bank, set.metric as 'cosine' | 'l2', context),
    expansion: parameters.hnsw_expansion ?? defaultExpansion,
    sample: recallSample(queries, batch.recall_share),
  };
}

interface CombinedBatch {
  set: PredictionSetRow;
  config: BankSubject['config'];
  parameters: z.infer<typeof setParameters>;
  queries: QueryRow[];
  /** The set was made with this reference. */
  first: SearchedReferences['references'][number];
}

async function combinedBatch(
  batch: z.infer<typeof payload>,
  { set, config, parameters, queries, first }: CombinedBatch,
  context: OperationContext,
) {
  const more = await moreReferences(config, parameters, batch.reference_bank_keys, context);
  const rows = await predictionsByBest(
    { queries, config, references: [first, ...more], preferFirst: parameters.prefer_first },
    {
      k: set.limit_per_entry,
      sources: sourceChoice.parse(parameters),
      aspect: parameters.aspect,
      hits: hitsOf(set, parameters),
      sequenceOnly: parameters.sequence_only,
    },
    { setNumber: set.number, jsonb: context.settings.goPredictionJsonbWriteEnabled, context },
  );
  return packBatch(rows);
}

function hitsOf(
  { query_set_id: querySetId }: Pick<PredictionSetRow, 'query_set_id'>,
  { hits }: Pick<z.infer<typeof setParameters>, 'hits'>,
) {
  return hits === null || querySetId === null ? null : { querySetId, name: nameOfHits(hits) };
}

/** Gives the other references that are searched, with what was chosen of them. */
async function moreReferences(
  config: BankSubject['config'],
  parameters: z.infer<typeof setParameters>,
  keys: readonly string[],
  context: OperationContext,
) {
  const sets = await furtherReferences(parameters.more_annotation_set_ids, context);
  const sources = sourceChoice.parse(parameters);
  return Promise.all(
    sets.map(async (set, i) => {
      const whole = await ensureReferenceBank(
        context,
        context.settings.cacheDir,
        { config, set },
        { key: keys[i], artifacts: context.artifacts, emit: context.emit },
      );
      const bank = await selectedBank(whole, sources, parameters.donor_taxonomy_sha256, context);
      return { bank, set, merging: null };
    }),
  );
}

interface ChosenReferences {
  set: BankSubject['set'];
  parameters: z.infer<typeof setParameters>;
  /** The configurations besides the main one are given with the keys of their banks. */
  further: BankSubject['config'][];
  keys: string[];
}

/** Gives the references that were chosen of the bank, and the embeddings that are searched with it. */
async function chosenBank(
  whole: ReferenceBank,
  { set, parameters, further, keys }: ChosenReferences,
  context: OperationContext,
): Promise<{ bank: ReferenceBank; merging: Merging | null }> {
  const sources = sourceChoice.parse(parameters);
  const bank = await selectedBank(whole, sources, parameters.donor_taxonomy_sha256, context);
  if (further.length === 0) return { bank, merging: null };
  const curves = curvesOfSet(parameters.agreement_curves, further.length + 1);
  const embeddings = await furtherEmbeddings(further, set, context, keys);
  const others = embeddings.map((one) => one.bank);
  return { bank: await commonBank(bank, others, context), merging: { curves, further: embeddings } };
}

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
