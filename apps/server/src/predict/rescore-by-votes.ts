import { absent, type PayloadOf, ProblemError } from '@kindred/contracts';
import { WeightedVotes } from '@kindred/kernels/scoring';
import {
  neighboursOf,
  type PredictedQueryRow,
  queriesOfSet,
  referenceLengths,
} from '../store/predictions/baselines.repository.js';
import { findPredictionSet, type PredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import { countedSet, setOfJob } from './set-of-job.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { type OwnVotes, ownVotes } from './own-votes.js';
import { type ReferenceTerms, referenceTerms } from './reference-terms.js';
import { storePredictionsOnce } from './store-predictions-once.js';
import { type SearchSpaceOfSet, type VoteWeights, votedTerms } from './vote-weights.js';

type Payload = PayloadOf<'rescore_by_votes'>;
type Source = PredictionSetRow & { annotation_set_id: string };

/**
 * The frequency of terms weighs as much as one alignment of E-value 0.001; its weight among distances was
 * chosen on yeast.
 */
const defaultPrior: Record<VoteWeights, number> = { alignment: 5, distance: 0.5 };

/**
 * The operation makes, from a prediction set by neighbours, a set of the same queries with scores from all
 * neighbours and the frequency of terms.
 */
export const rescoreByVotes: Operation<'rescore_by_votes'> = {
  name: 'rescore_by_votes',
  async run(payload, context) {
    const source = await findSource(payload, context);
    const weights = await chosenWeights(payload, source);
    const priorWeight = payload.prior_weight ?? defaultPrior[weights];
    const references = await referenceTerms(source.annotation_set_id, source.ontology_snapshot_id, context);
    const own = await ownVotesOf(payload, { source, references }, context);
    const space = await referenceLengths(
      context.db,
      references.sources.map((source) => source.sequence_id),
    );
    await context.emit('rescore_by_votes.start', {
      prediction_set_id: source.id,
      weights,
      prior_weight: priorWeight,
    });
    const set = await createSet(payload, { source, weights, priorWeight }, context);
    const votes = new WeightedVotes(references.propagated, references.termAspect, references.shares);
    const scoring = { votes, references, space, weights, priorWeight, minimumScore: payload.minimum_score };
    const queries = await rescoreAll({ source, set, scoring, own, chunkSize: payload.chunk_size }, context);
    const totals = await countedSet(context);
    const result = {
      prediction_set_id: set.id,
      source_prediction_set_id: source.id,
      weights,
      prior_weight: priorWeight,
      queries,
      ...totals,
    };
    await context.emit('rescore_by_votes.done', result);
    return { kind: 'done', result };
  },
};

async function findSource(payload: Payload, { db }: OperationContext): Promise<Source> {
  const source = await findPredictionSet(db, payload.prediction_set_id);
  if (source === undefined) throw absent('prediction set', payload.prediction_set_id);
  if (source.method !== 'knn' || source.annotation_set_id === null)
    throw new ProblemError(
      'conflict',
      `Prediction set ${source.id} was made by the method ${source.method}; only neighbours that the runner knn scored (predict_go_terms) can vote.`,
    );
  if (source.metric !== 'cosine' && payload.weights === 'distance')
    throw new ProblemError(
      'conflict',
      `Prediction set ${source.id} has squared distances; weights by distance need the metric cosine.`,
    );
  if (source.protein_count === 0)
    throw new ProblemError(
      'conflict',
      `Prediction set ${source.id} is empty or still being filled; wait for its job to end.`,
    );
  return source as Source;
}

async function chosenWeights(payload: Payload, source: Source): Promise<VoteWeights> {
  const aligned = source.parameters.compute_alignments === true;
  if (payload.weights === 'alignment' && !aligned)
    throw new ProblemError(
      'conflict',
      `Prediction set ${source.id} has no alignments: predict again with compute_alignments, or choose weights distance.`,
    );
  if (payload.weights === 'auto') return aligned ? 'alignment' : 'distance';
  return payload.weights;
}

/** Gives null if own annotations do not vote. */
async function ownVotesOf(
  { own_weight: weight, own_annotation_set_id: setId }: Payload,
  { source, references }: { source: Source; references: ReferenceTerms },
  context: OperationContext,
): Promise<OwnVotes | null> {
  if (weight === 0) return null;
  const snapshotId = source.ontology_snapshot_id;
  return ownVotes(setId ?? source.annotation_set_id, weight, { references, snapshotId }, context);
}

function createSet(
  payload: Payload,
  { source, weights, priorWeight }: { source: Source; weights: VoteWeights; priorWeight: number },
  context: OperationContext,
): Promise<PredictionSetRow> {
  return setOfJob(context, {
    method: 'weighted_votes',
    embedding_config_id: source.embedding_config_id,
    annotation_set_id: source.annotation_set_id,
    ontology_snapshot_id: source.ontology_snapshot_id,
    query_set_id: source.query_set_id,
    query_count: source.query_count,
    limit_per_entry: source.limit_per_entry,
    distance_threshold: source.distance_threshold,
    metric: source.metric,
    parameters: JSON.stringify({
      source_prediction_set_id: source.id,
      weights,
      prior_weight: priorWeight,
      minimum_score: payload.minimum_score,
      ...(payload.own_weight > 0
        ? {
            own_weight: payload.own_weight,
            own_annotation_set_id: payload.own_annotation_set_id ?? source.annotation_set_id,
          }
        : {}),
      ...(source.parameters.more_embedding_config_ids
        ? { more_embedding_config_ids: source.parameters.more_embedding_config_ids }
        : {}),
      // Votes of approximate neighbours are approximate, too.
      ...(source.parameters.search === 'hnsw' ? { search: 'hnsw' } : {}),
    }),
    listed: source.listed,
    expires_at: source.expires_at,
    owner_user_id: source.owner_user_id,
  });
}

interface RescoringRun {
  source: Source;
  set: PredictionSetRow;
  own: OwnVotes | null;
  scoring: {
    votes: WeightedVotes;
    references: ReferenceTerms;
    space: SearchSpaceOfSet;
    weights: VoteWeights;
    priorWeight: number;
    minimumScore: number;
  };
  chunkSize: number;
}

async function rescoreAll(
  { source, set, scoring, own, chunkSize }: RescoringRun,
  context: OperationContext,
): Promise<number> {
  let count = 0;
  let page: PredictedQueryRow[] = [];
  do {
    context.signal.throwIfAborted();
    const after = page.at(-1)?.accession ?? '';
    page = await queriesOfSet(context.db, source.number, { after, limit: chunkSize });
    const accessions = page.map((query) => query.accession);
    const neighbours = await neighboursOf(context.db, source.number, accessions);
    const known = own === null ? new Map() : await own(page);
    const terms = votedTerms(page, { neighbours, own: known }, scoring);
    const scored = page.map((query, index) => ({
      ...query,
      terms: query.no_answer === null ? terms[index] : [],
    }));
    await storePredictionsOnce(scored, set.number, context);
    count += page.length;
    await context.progress(count, source.protein_count);
  } while (page.length === chunkSize);
  return count;
}
