import { compositeScore, type ScoringRecipe } from '@kindred/kernels/scoring';
import type { Queryable } from '../../store/postgres/db.js';
import type { ScoredTermRow } from '../../store/evaluation/evaluation-predictions.repository.js';
import { type NearestFilter, nearestPages } from '../../store/predictions/predictions.repository.js';
import type { PredictionSetRow } from '../../store/predictions/prediction-sets.repository.js';
import type { PredictionRow } from '../../store/predictions/predictions.repository.js';

export type ScoredRow = PredictionRow & { composite: number };

/**
 * Yields the pairs of a set with their composite scores: by protein, then descending score; equal scores are
 * ordered by GO id. Pages hold whole proteins.
 */
export async function* scoredPages(
  db: Queryable,
  set: Pick<PredictionSetRow, 'number' | 'metric'>,
  recipe: ScoringRecipe,
  filter: NearestFilter = {},
): AsyncGenerator<ScoredRow[]> {
  const metric = set.metric as 'cosine' | 'l2';
  for await (const page of nearestPages(db, set.number, filter)) {
    const scored = page.map((row) => ({ ...row, composite: compositeScore(row, recipe, metric) }));
    yield byScoreWithinProtein(scored);
  }
}

/** Rows arrive by protein and GO id; the sort is stable. */
function byScoreWithinProtein(rows: ScoredRow[]): ScoredRow[] {
  const place = new Map([...new Set(rows.map((row) => row.protein_accession))].map((name, at) => [name, at]));
  const placeOf = (row: ScoredRow) => place.get(row.protein_accession) as number;
  return rows.sort((a, b) => placeOf(a) - placeOf(b) || b.composite - a.composite);
}

/** Yields composite scores in the form that evaluations expect; a score of 0 is not a prediction. */
export async function* compositeTermPages(
  db: Queryable,
  set: Pick<PredictionSetRow, 'number' | 'metric'>,
  recipe: ScoringRecipe,
  filter: NearestFilter,
): AsyncGenerator<ScoredTermRow[]> {
  for await (const page of scoredPages(db, set, recipe, filter)) {
    yield page
      .filter((row) => row.composite > 0)
      .map(({ protein_accession, go_id, composite }) => ({ protein_accession, go_id, score: composite }));
  }
}
