import { storePredictionsOnce } from './store-predictions-once.js';
import type { PredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import type { ScoredQuery } from './scored-terms.js';
import { countedSet, setOfJob } from './set-of-job.js';
import { identifiedQueries } from './known-queries.js';
import { partUnanswerable, withoutTerms } from './unanswerable.js';
import { type QueryRange, queriesOf } from '../store/proteins/queries.repository.js';
import type { BaselineMethodRun, BaselinePayload, IdentifiedQuery } from './baselines/baseline-method.js';
import { naiveTerms } from './baselines/naive.js';
import { ownTerms } from './baselines/own-annotations.js';
import { similarTerms } from './baselines/sequence-similarity.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { chosenQueries, type ChosenQueries } from './query-ranges.js';
import { type ReferenceTerms, referenceTerms } from './reference-terms.js';

/** Each method prepares its data once, before the first chunk. */
const methods: Record<
  BaselinePayload['method'],
  (
    references: ReferenceTerms,
    payload: BaselinePayload,
    context: OperationContext,
  ) => Promise<BaselineMethodRun>
> = {
  naive: naiveTerms,
  sequence_similarity: similarTerms,
  non_experimental_annotations: ownTerms,
};

/**
 * Stores the predictions of a simple method as an ordinary prediction set, so that results can be compared
 * with a baseline.
 */
export const predictBaseline: Operation<'predict_baseline'> = {
  name: 'predict_baseline',
  async run(payload, context) {
    const references = await referenceTerms(payload.annotation_set_id, payload.ontology_snapshot_id, context);
    const { ranges, ...chosen } = await chosenQueries(payload, payload.chunk_size, context);
    await context.emit('predict_baseline.start', {
      method: payload.method,
      annotation_set_id: payload.annotation_set_id,
      references: references.sources.length,
    });
    const set = await createSet(payload, chosen, context);
    const termsOf = await methods[payload.method](references, payload, context);
    const part = partedBy(payload.method, references, context);
    const queries = await predictAll(ranges, { references, set, termsOf, part }, context);
    const totals = await countedSet(context);
    const result = {
      prediction_set_id: set.id,
      method: payload.method,
      references: references.sources.length,
      queries,
      ...totals,
    };
    await context.emit('predict_baseline.done', result);
    return { kind: 'done', result };
  },
};

type Part = (queries: readonly IdentifiedQuery[]) => ReturnType<typeof partUnanswerable<IdentifiedQuery>>;

/** A database's annotations of an accession do not depend on the sequence. */
function partedBy(
  method: BaselinePayload['method'],
  { sources }: ReferenceTerms,
  context: OperationContext,
): Part {
  if (method === 'non_experimental_annotations')
    return async (queries) => ({ answerable: [...queries], unanswerable: [] });
  const known = new Set(sources.map((source) => source.sequence_id));
  return (queries) => partUnanswerable(queries, (id) => known.has(id), context);
}

function createSet(
  payload: BaselinePayload,
  { querySet, queryCount }: Omit<ChosenQueries, 'ranges'>,
  context: OperationContext,
): Promise<PredictionSetRow> {
  const { annotation_set_id, ontology_snapshot_id, query_set_id, query_accessions, ...parameters } = payload;
  return setOfJob(context, {
    method: payload.method,
    embedding_config_id: null,
    annotation_set_id,
    ontology_snapshot_id,
    query_set_id,
    query_count: queryCount,
    limit_per_entry: payload.method === 'sequence_similarity' ? payload.max_targets : 0,
    distance_threshold: null,
    metric: 'cosine',
    parameters: JSON.stringify({ ...parameters, queries: query_accessions?.length ?? null }),
    // A set made from an unsaved upload is as private and as short-lived as the upload.
    listed: querySet?.listed ?? true,
    expires_at: querySet?.expires_at ?? null,
    owner_user_id: querySet?.owner_user_id ?? null,
  });
}

async function predictAll(
  ranges: readonly QueryRange[],
  run: { references: ReferenceTerms; set: PredictionSetRow; termsOf: BaselineMethodRun; part: Part },
  context: OperationContext,
): Promise<number> {
  let count = 0;
  for (const [done, range] of ranges.entries()) {
    context.signal.throwIfAborted();
    const queries = await queriesOf(context.db, range);
    const identified = await identifiedQueries(run.references.set.number, queries, context);
    const { answerable, unanswerable } = await run.part(identified);
    const terms = await run.termsOf(answerable);
    const scored = answerable.map((query, index): ScoredQuery => ({ ...query, terms: terms[index] }));
    await storePredictionsOnce([...scored, ...unanswerable.map(withoutTerms)], run.set.number, context);
    count += queries.length;
    await context.progress(done + 1, ranges.length);
  }
  return count;
}
