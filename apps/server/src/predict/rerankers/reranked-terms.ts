import type { ScoredTermRow } from '../../store/evaluation/evaluation-predictions.repository.js';
import type { Queryable } from '../../store/postgres/db.js';
import {
  type FeaturePage,
  featuresOfProteins,
} from '../../store/predictions/prediction-features.repository.js';
import type { Booster } from './booster.js';

/**
 * A page has few proteins, because each row has about 60 columns, and the API yields to its event loop
 * between pages.
 */
const proteinsPerPage = 25;

export interface RerankedSelection {
  setNumber: number;
  /** These queries are returned, in any order. */
  accessions: readonly string[];
  maxDistance?: number | null;
  /** The booster uses only this many first iterations. */
  iterations?: number;
}

/**
 * Yields re-scored terms of the given queries, best term first, in pages of whole proteins; equal scores are
 * ordered by GO id.
 */
export async function* rerankedTermPages(
  db: Queryable,
  booster: Booster,
  { setNumber, accessions, maxDistance = null, iterations }: RerankedSelection,
): AsyncGenerator<ScoredTermRow[]> {
  for (let from = 0; from < accessions.length; from += proteinsPerPage) {
    const page = await featuresOfProteins(db, setNumber, accessions.slice(from, from + proteinsPerPage));
    const scores = await booster.score(page, iterations);
    const { distance } = page.numbers;
    yield byProteinAndScore(page, scores)
      .filter((row) => maxDistance === null || distance[row] <= maxDistance)
      .map((row) => ({
        protein_accession: page.accessions[row],
        go_id: page.goIds[row],
        score: scores[row],
      }));
  }
}

/**
 * Rows arrive by protein and GO id; a stable sort by score keeps equal scores in the order of their GO ids.
 */
export function byProteinAndScore(page: FeaturePage, scores: Float64Array): number[] {
  const order = Array.from({ length: page.rowCount }, (_, row) => row);
  let protein = 0;
  const place = Int32Array.from(page.accessions, (accession, row) =>
    row > 0 && accession !== page.accessions[row - 1] ? ++protein : protein,
  );
  return order.sort((a, b) => place[a] - place[b] || scores[b] - scores[a] || a - b);
}
