import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';
import type { Queryable } from '../store/postgres/db.js';
import { type FeaturePage, featuresOfProteins } from '../store/predictions/prediction-features.repository.js';
import type { Booster } from './booster.js';

/** Few: each row has some 60 columns, and the event loop of the API is given back between pages. */
const proteinsPerPage = 25;

export interface RerankedSelection {
  setNumber: number;
  /** Queries of interest, in any order; others are not read. */
  accessions: readonly string[];
  maxDistance?: number | null;
  /** Only the first iterations of the booster. */
  iterations?: number;
}

/** Re-scored terms of the given queries, best term first, in pages of whole proteins; equal scores by GO id. */
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

/** Rows come by protein and GO id; within a protein the score decides, and the GO id between equal ones. */
export function byProteinAndScore(page: FeaturePage, scores: Float64Array): number[] {
  const order = Array.from({ length: page.rowCount }, (_, row) => row);
  let protein = 0;
  const place = Int32Array.from(page.accessions, (accession, row) =>
    row > 0 && accession !== page.accessions[row - 1] ? ++protein : protein,
  );
  return order.sort((a, b) => place[a] - place[b] || scores[b] - scores[a] || a - b);
}
