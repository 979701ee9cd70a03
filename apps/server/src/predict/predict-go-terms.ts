import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { sourceChoice } from '@kindred/contracts/resources/prediction-sets';
import { featureSchemaSha } from '@kindred/kernels/features';
import type { AgreementCurve } from '@kindred/kernels/merging';
import { indexOfSorted } from '@kindred/kernels/arrays';
import type { UsedHits } from '@kindred/contracts/search-hits';
import type { z } from 'zod';
import { loadGraphPackage } from './compute/neighbour-graph.js';
import type { ReferenceBank } from './compute/reference-bank.js';
import type { RunnerChoice } from './compute/runner-scores.js';
import { findAnnotationSet } from '../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../store/embeddings/embedding-configs.repository.js';
import type { EmbeddingProjectionRow } from '../store/embeddings/embedding-projection.repository.js';
import { type PredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import { setOfJob } from './set-of-job.js';
import { findHitsFile, targetsOfHits } from '../store/proteins/query-hits.repository.js';
import { countQueries, countUnknownTaxa, type QueryRange } from '../store/proteins/queries.repository.js';
import type { QuerySetRow } from '../store/proteins/query-sets.repository.js';
import { currentTaxonomy, type TaxonomyRow } from '../store/ontology/taxonomy.repository.js';
import { taxonConstraintsInForce } from '../store/ontology/taxon-constraints.repository.js';
import { ensureProjection } from './embeddings/embedding-projection.js';
import { type SourceChoice, sourceTaxonomy, needsTaxonomy, selectedBank } from './banks/source-choice.js';
import { type BankSubject, ensureReferenceBank } from './banks/ensure-reference-bank.js';
import { mayAnswerFromSequence } from './banks/combined-input.js';
import { agreementCurves, commonBank } from './banks/merged-embeddings.js';
import { networkOutputsOf } from './banks/network-outputs.js';
import { type Operation, type OperationContext, smallBatchSequences } from '../work/operation/operation.js';
import { furtherReferences } from './further-references.js';
import { furtherConfigs, furtherEmbeddings, type mergedParameters } from './merged-configs.js';
import { ensureNeighbourGraph, recallSampleSize, defaultExpansion } from './neighbour-graphs.js';
import { chosenQueries } from './query-ranges.js';
import { chosenRunner, presentRunner } from './runner-choice.js';
import { configuredTermVectors } from './term-vectors.js';
import type { GoTermVectors } from './vectors/go-term-vectors.js';

type Payload = PayloadOf<'predict_go_terms'>;

/**
 * A batch of this many queries aligns each with its relatives. Small batches are no slower than large ones
 * (512 queries on two cores: 9.2 s in batches of 32, 10.4 s of 256), and a thread is free for a small job
 * after a second or two.
 */
const combinedBatchSize = 32;

/**
 * The coordinator checks that everything is there, builds the reference bank once, and hands out the queries.
 */
export const predictGoTerms: Operation<'predict_go_terms'> = {
  name: 'predict_go_terms',
  async run(payload, context) {
    if (payload.search === 'hnsw') await loadGraphPackage();
    const subject = await findSubject(payload, context);
    const runner = await chosenRunner(payload, context);
    await emitStart(payload, { ...subject, runner }, context);
    const taxonomy = payload.compute_taxonomy ? await loadedTaxonomy(context) : null;
    const termVectors = payload.compute_reranker_features ? await loadedTermVectors(context) : null;
    const { ranges, querySet } = await chosenQueries(payload, batchSizeOf(payload), context);
    const further = await furtherConfigs(subject.config.id, payload.more_embedding_config_ids, context);
    const configs = [subject.config, ...further];
    const counts = await countAll(ranges, configs, context);
    await reportCounts(counts, payload, context);
    const sources = sourceChoice.parse(payload);
    const sourceTaxonomySha256 = needsTaxonomy(sources) ? await sourceTaxonomy(sources, null, context) : null;
    const loaded = { payload, sources, further };
    const { bank, merged, moreBanks } = await loadedReferences(subject, loaded, context);
    const hits = await loadedHits(payload, [bank, ...moreBanks], context);
    const checks = await checksOf(payload, { runner, taxonomy, ranges, subject, bank }, context);
    // The projection is fitted once here, so that the batches find it.
    const projection = payload.compute_reranker_features
      ? await ensureProjection(subject.config, context)
      : null;
    const set = await createSet(
      payload,
      {
        ...{ querySet, taxonomy, sourceTaxonomySha256, projection, termVectors, queryCount: counts.ready },
        ...{ further, merged, runner, checks, hits },
      },
      context,
    );
    const result = {
      prediction_set_id: set.id,
      queries: counts.ready,
      queries_without_vector: counts.missing,
      ...(checks.withoutTaxon === null ? {} : { queries_without_taxon: checks.withoutTaxon }),
      references: bank.texts.accessions.length,
      search: payload.search,
      ...(hits === null ? {} : { hits }),
      ...(merged === null ? {} : { embeddings: further.length + 1, compared_proteins: merged.proteins }),
    };
    if (counts.ready === 0) {
      await context.emit('predict_go_terms.no_queries', {}, 'warning');
      return { kind: 'done', result: { ...result, batches: 0 } };
    }
    const common = {
      prediction_set_id: set.id,
      bank_key: bank.origin.key,
      ...(merged !== null && { more_bank_keys: merged.bankKeys }),
      ...(moreBanks.length > 0 && { reference_bank_keys: moreBanks.map(({ origin }) => origin.key) }),
      ...(payload.search === 'hnsw' && { recall_share: Math.min(1, recallSampleSize / counts.ready) }),
    };
    const batches = ranges.map((queries) => ({ payload: { ...common, queries } }));
    await context.emit('predict_go_terms.dispatching', { ...result, batches: batches.length });
    return {
      kind: 'deferred',
      batch: 'predict_go_terms_batch',
      batches,
      result: { ...result, batches: batches.length },
      small: counts.ready <= smallBatchSequences,
    };
  },
};

/**
 * Finds the taxon constraints that terms are checked by, how many queries lack the taxon that they need, and whether queries without a
 * similar protein get terms from their sequence alone.
 */
async function checksOf(
  payload: Payload,
  {
    runner,
    taxonomy,
    ranges,
    ...searched
  }: Pick<SetSources, 'runner' | 'taxonomy'> & {
    ranges: Parameters<typeof reportUnknownTaxa>[0];
    subject: BankSubject;
    bank: ReferenceBank;
  },
  context: OperationContext,
): Promise<SetSources['checks']> {
  const taxonConstraints =
    payload.method === 'combined' && runner === null ? await taxonConstraintsInForce(context.db) : null;
  const withoutTaxon =
    taxonomy === null && taxonConstraints === null ? null : await reportUnknownTaxa(ranges, context);
  return {
    taxonConstraints,
    withoutTaxon,
    fromSequence: await readiedSequenceTerms(payload, searched, context),
  };
}

function batchSizeOf({ method, batch_size }: Payload): number {
  return method === 'combined' ? Math.min(batch_size, combinedBatchSize) : batch_size;
}

async function emitStart(
  payload: Payload,
  { config, runner }: BankSubject & { runner: RunnerChoice | null },
  { emit }: OperationContext,
) {
  const { embedding_config_id, method, annotation_set_id, limit_per_entry, metric } = payload;
  const asked = { embedding_config_id, method, annotation_set_id, limit_per_entry, metric };
  const ran = runner === null ? {} : { runner: runner.name, runner_version: runner.version };
  await emit('predict_go_terms.start', { ...asked, ...ran, model_name: config.model_name });
}

async function reportCounts(counts: QueryCounts, payload: Payload, context: OperationContext): Promise<void> {
  const { ready: queries, missing: without_vector } = counts;
  await context.emit('predict_go_terms.load_queries_done', { queries, without_vector });
  if (counts.missing > 0) await reportMissing(counts, payload, context);
}

interface MergedReferences {
  /** The banks of the other configurations have these keys. */
  bankKeys: unknown[];
  curves: AgreementCurve[];
  /** The curves were measured with this number of proteins. */
  proteins: number;
}

/**
 * Loads the references' bank as it is chosen, the neighbour graph of the whole bank if the search needs one,
 * and the curves of the distances of several embeddings.
 */
async function loadedReferences(
  subject: BankSubject,
  {
    payload,
    sources,
    further,
  }: { payload: Payload; sources: SourceChoice; further: BankSubject['config'][] },
  context: OperationContext,
): Promise<{ bank: ReferenceBank; merged: MergedReferences | null; moreBanks: ReferenceBank[] }> {
  const bank = await ensureReferenceBank(context, context.settings.cacheDir, subject, {
    artifacts: context.artifacts,
    emit: context.emit,
    onBuild: () =>
      context.emit('predict_go_terms.build_references', { annotation_set_id: payload.annotation_set_id }),
  });
  await context.emit('predict_go_terms.load_references_done', bank.origin);
  if (payload.search === 'hnsw') await ensureNeighbourGraph(bank, payload.metric, context);
  const chosen = await selectedBank(bank, sources, null, context);
  const moreBanks = await loadedMore(subject, payload, context);
  if (further.length === 0) return { bank: chosen, merged: null, moreBanks };
  const others = (await furtherEmbeddings(further, subject.set, context)).map((one) => one.bank);
  const common = await commonBank(chosen, others, context);
  const measured = await agreementCurves(
    common,
    others,
    { metric: payload.metric, snapshotId: payload.ontology_snapshot_id },
    context,
  );
  await context.emit('predict_go_terms.agreement', {
    embeddings: others.length + 1,
    compared_proteins: measured.proteins,
    references: common.texts.accessions.length,
  });
  const bankKeys = others.map(({ origin }) => origin.key);
  return { bank: common, merged: { bankKeys, ...measured }, moreBanks };
}

/** Builds the banks of the other annotation sets, if they are missing, and gives them. */
async function loadedMore(
  { config, set: first }: BankSubject,
  { more_annotation_set_ids: ids }: Payload,
  context: OperationContext,
): Promise<ReferenceBank[]> {
  const banks: ReferenceBank[] = [];
  for (const set of await furtherReferences(ids, context)) {
    if (set.id === first.id)
      throw new ProblemError(
        'conflict',
        `Annotation set ${set.id} is named twice; leave it out of the others.`,
      );
    const bank = await ensureReferenceBank(context, context.settings.cacheDir, { config, set }, context);
    await context.emit('predict_go_terms.load_references_done', bank.origin);
    banks.push(bank);
  }
  return banks;
}

/** Counts which uploaded hits the references can use; null if the run uses none. */
async function loadedHits(
  { use_hits, query_set_id }: Payload,
  banks: readonly ReferenceBank[],
  { db, emit }: OperationContext,
): Promise<UsedHits | null> {
  if (!use_hits || query_set_id === null) return null;
  const about = await findHitsFile(db, query_set_id);
  if (about === undefined)
    throw new ProblemError(
      'conflict',
      `No hits were uploaded with query set ${query_set_id}: leave use_hits out, or annotate the sequences with the file of hits.`,
    );
  const unknown = (await targetsOfHits(db, query_set_id)).filter(({ target }) =>
    banks.every(({ texts }) => indexOfSorted(texts.accessions, target) < 0),
  );
  const hits = {
    ...about,
    unknown_targets: unknown.reduce((sum, one) => sum + one.hits, 0),
    unknown_target: unknown.at(0)?.target ?? null,
  };
  await emit('predict_go_terms.hits', hits, hits.unknown_targets === hits.kept ? 'warning' : undefined);
  return hits;
}

/** Says whether queries without a similar protein get terms from their sequence alone, and which terms the ontology lacks. */
async function readiedSequenceTerms(
  payload: Payload,
  { subject, bank }: { subject: BankSubject; bank: ReferenceBank },
  context: OperationContext,
): Promise<boolean> {
  if (!payload.sequence_only) return false;
  const sources = sourceChoice.parse(payload);
  const isMerged = payload.more_embedding_config_ids !== null;
  const isPossible = mayAnswerFromSequence(subject.config, {
    ...{ sources, isMerged, codes: bank.texts.evidenceCodes },
  });
  const { term } = await networkOutputsOf({ termIds: bank.texts.goIds }, context);
  const left_out = term.filter((number) => number < 0).length;
  await context.emit('predict_go_terms.sequence_only', {
    is_on: isPossible,
    ...(isPossible
      ? { terms: term.length - left_out, terms_not_in_ontology: left_out }
      : {
          why_not:
            'their rates were measured beside a whole reference with experiments, and with the embedding kmer-1024 alone',
        }),
  });
  return isPossible;
}

async function findSubject(payload: Payload, { db }: OperationContext) {
  const config = await findEmbeddingConfig(db, payload.embedding_config_id);
  if (config === undefined) throw absent('embedding configuration', payload.embedding_config_id);
  const set = await findAnnotationSet(db, payload.annotation_set_id);
  if (set === undefined) throw absent('annotation set', payload.annotation_set_id);
  if (set.state !== 'complete') {
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} is still being loaded; wait for its job to end.`,
    );
  }
  if (set.ontology_snapshot_id !== payload.ontology_snapshot_id) {
    throw new ProblemError(
      'conflict',
      `Annotation set ${set.id} was loaded against ontology snapshot ${set.ontology_snapshot_id}; give that as ontology_snapshot_id.`,
    );
  }
  return { config, set };
}

async function loadedTaxonomy({ db, emit }: OperationContext): Promise<TaxonomyRow> {
  const taxonomy = await currentTaxonomy(db);
  if (taxonomy === undefined) {
    throw new ProblemError(
      'conflict',
      'compute_taxonomy needs a taxonomy, and none is loaded: run load_taxonomy first, or leave compute_taxonomy out.',
    );
  }
  const { id, taxon_count, loaded_at } = taxonomy;
  await emit('predict_go_terms.taxonomy', { taxonomy_id: id, taxon_count, loaded_at });
  return taxonomy;
}

/**
 * Reads the vectors of GO terms before anything is computed, so that a file that can't be used ends the job
 * at once.
 */
async function loadedTermVectors(context: OperationContext): Promise<GoTermVectors | null> {
  const file = await configuredTermVectors(context);
  if (file !== null) {
    const { sha256, dimension, rowOf } = file;
    await context.emit('predict_go_terms.term_vectors', { sha256, dimension, terms: rowOf.size });
  }
  return file;
}

interface QueryCounts {
  ready: number;
  missing: number;
  examples: string[];
}

async function countAll(
  ranges: QueryRange[],
  configs: readonly Pick<BankSubject['config'], 'number'>[],
  context: OperationContext,
): Promise<QueryCounts> {
  const configNumbers = configs.map(({ number }) => number);
  const total: QueryCounts = { ready: 0, missing: 0, examples: [] };
  for (const range of ranges) {
    context.signal.throwIfAborted();
    const part = await countQueries(context.db, range, configNumbers);
    total.ready += part.ready;
    total.missing += part.missing;
    total.examples.push(...part.examples.slice(0, 5 - total.examples.length));
  }
  return total;
}

/**
 * Chosen queries without a vector are an error of the user if no other query is left; otherwise they are
 * reported.
 */
async function reportMissing(
  counts: QueryCounts,
  payload: Payload,
  context: OperationContext,
): Promise<void> {
  const chosen = payload.query_set_id !== null || payload.query_accessions !== null;
  if (chosen && counts.ready === 0) {
    const configs = [payload.embedding_config_id, ...(payload.more_embedding_config_ids ?? [])];
    throw new ProblemError(
      'conflict',
      `None of the ${counts.missing} queries has a vector in ${configs.length > 1 ? 'each of the embedding configurations' : 'embedding configuration'} ${configs.join(', ')}: run compute_embeddings for them first.`,
    );
  }
  await context.emit(
    'predict_go_terms.queries_without_vector',
    { count: counts.missing, examples: counts.examples },
    'warning',
  );
}

/**
 * Warns that the taxonomic columns of queries with unknown taxa stay null, and returns how many there are.
 */
async function reportUnknownTaxa(ranges: QueryRange[], context: OperationContext): Promise<number> {
  let count = 0;
  const examples: string[] = [];
  for (const range of ranges) {
    context.signal.throwIfAborted();
    const part = await countUnknownTaxa(context.db, range);
    count += part.count;
    examples.push(...part.examples.slice(0, 5 - examples.length));
  }
  if (count > 0) {
    const fields = { count, examples, hint: 'give the taxon as OX= in the FASTA header' };
    await context.emit('predict_go_terms.queries_without_taxon', fields, 'warning');
  }
  return count;
}

/** Gives the parameters in the form that the batches read, with each configuration once. */
function presentMerging({ further, merged }: SetSources): z.infer<typeof mergedParameters> {
  if (merged === null) return { more_embedding_config_ids: null, agreement_curves: null };
  return { more_embedding_config_ids: further.map(({ id }) => id), agreement_curves: merged.curves };
}

interface SetSources {
  querySet: QuerySetRow | undefined;
  taxonomy: TaxonomyRow | null;
  sourceTaxonomySha256: string | null;
  projection: EmbeddingProjectionRow | null;
  termVectors: GoTermVectors | null;
  queryCount: number;
  /** The set searches these configurations besides its own. */
  further: BankSubject['config'][];
  merged: MergedReferences | null;
  runner: RunnerChoice | null;
  /** A field is null if the check was not made. */
  checks: { taxonConstraints: string | null; withoutTaxon: number | null; fromSequence: boolean };
  hits: UsedHits | null;
}

async function createSet(
  payload: Payload,
  sources: SetSources,
  context: OperationContext,
): Promise<PredictionSetRow> {
  const {
    embedding_config_id,
    annotation_set_id,
    ontology_snapshot_id,
    query_set_id,
    query_accessions,
    ...parameters
  } = payload;
  const { querySet, taxonomy, sourceTaxonomySha256, projection, termVectors, queryCount } = sources;
  return setOfJob(context, {
    // The predictions of a runner have its name.
    method: sources.runner?.name ?? payload.method,
    embedding_config_id,
    annotation_set_id,
    ontology_snapshot_id,
    query_set_id,
    query_count: queryCount,
    limit_per_entry: payload.limit_per_entry,
    distance_threshold: payload.distance_threshold,
    metric: payload.metric,
    parameters: JSON.stringify({
      ...parameters,
      ...presentRunner(sources.runner),
      hnsw_expansion: payload.search === 'hnsw' ? (payload.hnsw_expansion ?? defaultExpansion) : null,
      taxonomy_sha256: taxonomy?.content_sha256 ?? null,
      donor_taxonomy_sha256: sourceTaxonomySha256,
      projection_sha256: projection?.content_sha256 ?? null,
      anc2vec_sha256: termVectors?.sha256 ?? null,
      ...presentMerging(sources),
      hits: sources.hits,
      sequence_only: sources.checks.fromSequence,
      feature_schema_sha: featureSchemaSha,
      taxon_constraints: sources.checks.taxonConstraints,
      queries_without_taxon: sources.checks.withoutTaxon,
      queries: query_accessions === null ? null : query_accessions.length,
    }),
    // A set made from an unsaved upload is as private and as short-lived as the upload.
    listed: querySet?.listed ?? true,
    expires_at: querySet?.expires_at ?? null,
    owner_user_id: querySet?.owner_user_id ?? null,
  });
}
