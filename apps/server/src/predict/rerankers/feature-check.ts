import { ProblemError } from '@kindred/contracts';
import {
  featureColumn,
  featureFlags,
  featureNames,
  featureSchemaSha,
  schemaSha,
} from '@kindred/kernels/features';
import type { RerankerRow } from '../../store/evaluation/rerankers.repository.js';

type Trained = Pick<RerankerRow, 'name' | 'feature_schema_sha' | 'feature_names'>;

/**
 * A booster must get exactly the features that it was trained on. Each of its feature names is a column of
 * the service. Its fingerprint equals the service's (complete, or the first 12 digits that older producers
 * write) or, for a model trained on some of the columns, that of its own list.
 *
 * @throws ProblemError schema_mismatch naming both fingerprints
 */
export function requireSameFeatures(row: Trained): void {
  if (hasSameFeatures(row)) return;
  const { name, feature_schema_sha: sha } = row;
  const unknown = unknownFeatures(row);
  const because =
    unknown.length > 0
      ? ` It asks for ${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''}, which the service does not compute.`
      : '';
  throw new ProblemError(
    'schema_mismatch',
    `Re-ranker ${JSON.stringify(name)} was trained on the feature schema ${sha}; the service computes ${featureSchemaSha} (${featureNames.length} columns).${because} Train it on a dataset of this service.`,
  );
}

export function hasSameFeatures(row: Pick<Trained, 'feature_schema_sha' | 'feature_names'>): boolean {
  const known = [featureSchemaSha, schemaSha(row.feature_names)];
  return unknownFeatures(row).length === 0 && known.some((sha) => sha.startsWith(row.feature_schema_sha));
}

function unknownFeatures({ feature_names: names }: Pick<Trained, 'feature_names'>): string[] {
  return names.filter((feature) => featureColumn(feature) === undefined);
}

/**
 * The features that the model's trees use must have been computed, because a column of nulls would count as
 * missing values.
 * @throws ProblemError conflict naming the flags of predict_go_terms to set
 */
export function requireComputedFeatures(
  used: readonly string[],
  set: { id: string; parameters: Record<string, unknown> },
): void {
  const given = featureFlags.filter((flag) => set.parameters[flag] === true);
  const missing = new Set(
    used.flatMap((name) => featureColumn(name)?.flags.filter((flag) => !given.includes(flag)) ?? []),
  );
  // A set without any flag has no feature rows.
  if (missing.size === 0 && given.length === 0) missing.add('compute_reranker_features');
  if (missing.size === 0) return;
  throw new ProblemError(
    'conflict',
    `Prediction set ${set.id} lacks features that the re-ranker uses. Predict again with ${[...missing].map((flag) => `${flag}: true`).join(', ')}.`,
  );
}
