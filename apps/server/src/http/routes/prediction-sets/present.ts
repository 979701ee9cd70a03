import { type Aspect, aspects } from '@kindred/contracts';
import type {
  predictionSetDetailReply,
  predictionSetReply,
  termsReply,
} from '@kindred/contracts/resources/prediction-sets';
import { inPresentNames } from '@kindred/contracts/resources/prediction-sets';
import { z } from 'zod';
import { mayChange, type Principal } from '../../../accounts/principal.js';
import type { SlimView } from '../../slims.js';
import { presentMark } from '../references/present.js';
import type { NamedPredictionSetRow } from '../../../store/predictions/prediction-sets.repository.js';
import type {
  AspectTotals,
  PredictionTotals,
  TermCountRow,
} from '../../../store/predictions/predictions.repository.js';

export function presentPredictionSet(row: NamedPredictionSetRow): z.infer<typeof predictionSetReply> {
  return {
    id: row.id,
    job_id: row.job_id,
    method: row.method,
    runner: runnerOf(row.parameters),
    embedding_config_id: row.embedding_config_id,
    embedding_config_name: row.embedding_config_name,
    more_embedding_configs: row.more_embedding_configs,
    annotation_set_id: row.annotation_set_id,
    annotation_set_label:
      row.annotation_set_source === null
        ? null
        : `${row.annotation_set_source} ${row.annotation_set_version}`,
    reference: row.reference === null ? null : presentMark(row.reference),
    more_references: row.more_references.map(presentMark),
    ontology_snapshot_id: row.ontology_snapshot_id,
    ontology_snapshot_version: row.ontology_snapshot_version,
    obo_version: row.ontology_snapshot_version,
    query_set_id: row.query_set_id,
    query_set_name: row.query_set_name,
    limit_per_entry: row.limit_per_entry,
    distance_threshold: row.distance_threshold,
    metric: row.metric,
    parameters: inPresentNames(row.parameters) as typeof row.parameters,
    status: row.status,
    query_count: row.query_count,
    prediction_count: row.prediction_count,
    protein_count: row.protein_count,
    visibility: row.visibility,
    expires_at: row.expires_at,
    created_at: row.created_at,
  };
}

const ranWith = z.looseObject({ runner: z.string(), runner_version: z.string() });

/** Finds the runner that made a set, by the set's parameters; null stands for a method of the service. */
export function runnerOf(parameters: Record<string, unknown>): z.infer<typeof predictionSetReply>['runner'] {
  const { data } = ranWith.safeParse(parameters);
  return data === undefined ? null : { name: data.runner, version: data.runner_version };
}

function perAspect(
  totals: readonly AspectTotals[],
  what: 'pairs' | 'terms',
): { P: number; F: number; C: number } {
  const counts = { P: 0, F: 0, C: 0 };
  for (const total of totals) counts[total.aspect as Aspect] = total[what];
  return counts;
}

export function presentPredictionSetDetail(
  row: NamedPredictionSetRow,
  totals: PredictionTotals,
  aspects: readonly AspectTotals[],
  principal: Principal,
): z.infer<typeof predictionSetDetailReply> {
  return {
    ...presentPredictionSet(row),
    may_change: mayChange(principal, row.owner_user_id),
    statistics: {
      proteins_with_predictions: totals.with_predictions,
      proteins_without_predictions: totals.without_predictions,
      namesakes: totals.namesakes,
      pair_count: totals.pairs,
      term_count: aspects.reduce((sum, { terms }) => sum + terms, 0),
      terms_per_aspect: perAspect(aspects, 'terms'),
      min_distance: totals.min_distance,
      mean_min_distance: totals.mean_min_distance,
    },
  };
}

export function presentSlimTerms(
  counts: ReadonlyMap<string, number>,
  { terms }: Pick<SlimView, 'terms'>,
  limit: number,
): z.infer<typeof termsReply> {
  const counted = terms
    .map((term) => ({ ...term, count: counts.get(term.go_id) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.go_id < b.go_id ? -1 : 1));
  const ofAspect = aspects.map((aspect) => counted.filter((term) => term.aspect === aspect));
  const totals = ofAspect.map((of, at) => ({
    aspect: aspects[at],
    pairs: of.reduce((sum, { count }) => sum + count, 0),
    terms: of.length,
  }));
  return presentTerms(
    ofAspect.flatMap((of) => of.slice(0, limit)),
    totals,
    limit,
  );
}

export function presentTerms(
  terms: readonly TermCountRow[],
  totals: readonly AspectTotals[],
  limit: number,
): z.infer<typeof termsReply> {
  const of = (aspect: string) =>
    terms.filter((term) => term.aspect === aspect).map(({ go_id, name, count }) => ({ go_id, name, count }));
  const top = [...terms].sort((a, b) => b.count - a.count || (a.go_id < b.go_id ? -1 : 1)).slice(0, limit);
  return {
    by_aspect: { P: of('P'), F: of('F'), C: of('C') },
    aspect_totals: perAspect(totals, 'pairs'),
    top_terms: top.map(({ go_id, name, aspect, count }) => ({ go_id, name, aspect, count })),
  };
}
