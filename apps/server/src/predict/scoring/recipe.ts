import { ProblemError } from '@kindred/contracts';
import { flagsOfRecipe, type ScoringRecipe } from '@kindred/kernels/scoring';
import type { PredictionSetRow } from '../../store/predictions/prediction-sets.repository.js';
import type { ScoringConfigRow } from '../../store/evaluation/scoring-configs.repository.js';

/** Gives the recipe of a stored configuration in the form that the kernel expects. */
export function recipeOf(
  row: Pick<ScoringConfigRow, 'formula' | 'weights' | 'evidence_weights' | 'params'>,
): ScoringRecipe {
  const prior = row.params.ia_prior;
  return {
    formula: row.formula,
    weights: row.weights,
    ...(row.evidence_weights === null
      ? {}
      : { evidenceWeights: row.evidence_weights as Record<string, number> }),
    ...(prior?.enabled ? { frequencyPrior: { gamma: prior.gamma } } : {}),
  };
}

/**
 * A recipe applies only to predictions that have all its signals, because a missing signal would silently
 * drop out of every score. `config` is null for a recipe that is not stored.
 * @throws ProblemError conflict naming the flags of predict_go_terms to set
 */
export function requireSignals(
  recipe: ScoringRecipe,
  config: { name: string } | null,
  set: Pick<PredictionSetRow, 'id' | 'embedding_config_id' | 'parameters'>,
): void {
  const weigher = config === null ? 'the recipe' : `the scoring configuration ${JSON.stringify(config.name)}`;
  const missing = flagsOfRecipe(recipe).filter((flag) => set.parameters[flag] !== true);
  const setting = missing.map((flag) => `${flag}: true`).join(', ');
  if (missing.length > 0) {
    throw new ProblemError(
      'conflict',
      `Prediction set ${set.id} lacks signals that ${weigher} weighs. Predict again with ${setting}, or choose another configuration.`,
    );
  }
  if ((recipe.weights.embedding_similarity ?? 0) > 0 && set.embedding_config_id === null) {
    throw new ProblemError(
      'conflict',
      `Prediction set ${set.id} was made without vectors, so it has no embedding_similarity, which ${weigher} weighs. Choose another configuration, or predict with predict_go_terms.`,
    );
  }
}
