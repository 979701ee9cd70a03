import { absent, type PayloadOf } from '@kindred/contracts';
import { openBooster } from '../predict/rerankers/booster.js';
import { rerankedTermPages } from '../predict/rerankers/reranked-terms.js';
import { recipeOf, requireSignals } from '../predict/scoring/recipe.js';
import { compositeTermPages } from '../predict/scoring/scored-pages.js';
import {
  type ScoredTermRow,
  scoredTermPages,
} from '../store/evaluation/evaluation-predictions.repository.js';
import type { PredictionSetRow } from '../store/predictions/prediction-sets.repository.js';
import { findReranker } from '../store/evaluation/rerankers.repository.js';
import { findScoringConfig } from '../store/evaluation/scoring-configs.repository.js';

import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { Memory } from '../ground/memory.js';
import type { Database } from '../store/postgres/db.js';

export interface ScoreSourceDeps {
  db: Database;
  artifacts: ArtifactStore;
  memory: Memory;
}

type Choices = Pick<
  PayloadOf<'run_cafa_evaluation'>,
  'scoring_config_id' | 'reranker_model_id' | 'max_distance'
>;

/** A source gives scores for a prediction set, and its name stands in the options of a result. */
export interface ScoreSource {
  /** These options are added to those of the result; the prediction's own scores add none. */
  options: { reranker?: Record<string, unknown>; scoring_config?: Record<string, unknown> };
  /** Pages hold whole proteins, with terms in descending order of score. */
  pages(targets: readonly string[]): AsyncIterable<readonly ScoredTermRow[]>;
}

/** @throws ProblemError not_found; schema_mismatch or conflict for a re-ranker or recipe that does not fit the set */
export async function scoreSource(
  choices: Choices,
  set: PredictionSetRow,
  deps: ScoreSourceDeps,
): Promise<ScoreSource> {
  const { db } = deps;
  const { max_distance: maxDistance } = choices;
  if (choices.reranker_model_id !== null)
    return rerankerScores(choices.reranker_model_id, { set, maxDistance }, deps);
  if (choices.scoring_config_id !== null)
    return recipeScores(choices.scoring_config_id, { set, maxDistance }, deps);
  return {
    options: {},
    pages: (accessions) => scoredTermPages(db, { setNumber: set.number, accessions, maxDistance }),
  };
}

type Scored = { set: PredictionSetRow; maxDistance: number | null };

async function rerankerScores(
  id: string,
  { set, maxDistance }: Scored,
  deps: ScoreSourceDeps,
): Promise<ScoreSource> {
  const { db } = deps;
  const row = await findReranker(db, id);
  if (row === undefined) throw absent('re-ranker', id);
  const booster = await openBooster(deps, row, set);
  return {
    options: { reranker: { reranker_model_id: row.id, name: row.name, model_sha256: row.model_sha256 } },
    pages: (accessions) => rerankedTermPages(db, booster, { setNumber: set.number, accessions, maxDistance }),
  };
}

async function recipeScores(
  id: string,
  { set, maxDistance }: Scored,
  { db }: ScoreSourceDeps,
): Promise<ScoreSource> {
  const row = await findScoringConfig(db, id);
  if (row === undefined) throw absent('scoring configuration', id);
  const recipe = recipeOf(row);
  requireSignals(recipe, row, set);
  const { name, formula, weights, evidence_weights, params } = row;
  return {
    options: {
      scoring_config: { scoring_config_id: id, name, formula, weights, evidence_weights, params },
    },
    pages: (accessions) =>
      compositeTermPages(db, set, recipe, {
        accessions,
        ...(maxDistance === null ? {} : { maxDistance }),
      }),
  };
}
