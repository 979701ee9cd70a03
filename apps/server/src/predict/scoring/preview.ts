import type { previewReply } from '@kindred/contracts/resources/scoring';
import type { ScoringRecipe } from '@kindred/kernels/scoring';
import type { z } from 'zod';
import type { Queryable } from '../../store/postgres/db.js';
import type { PredictionSetRow } from '../../store/predictions/prediction-sets.repository.js';
import { listPredictedProteins } from '../../store/predictions/predictions.repository.js';
import { type ScoredRow, scoredPages } from './scored-pages.js';

type Preview = Omit<z.infer<typeof previewReply>, 'prediction_set_id'>;
type PreviewedTerm = Preview['proteins'][number]['terms'][number];

/**
 * Gives the best terms of the first proteins of a set by their stored scores and by a recipe. The recipe's
 * scores and order are those of score.tsv.
 * @param size limits the proteins, and the terms of each protein on either side
 */
export async function previewOf(
  db: Queryable,
  set: Pick<PredictionSetRow, 'number' | 'metric'>,
  recipe: ScoringRecipe,
  size: { proteins: number; terms: number },
): Promise<Preview> {
  const { total, items } = await listPredictedProteins(db, set.number, { limit: size.proteins, offset: 0 });
  const accessions = items.map(({ protein_accession }) => protein_accession);
  const rows = new Map(accessions.map((accession): [string, ScoredRow[]] => [accession, []]));
  for await (const page of scoredPages(db, set, recipe, { accessions }))
    for (const row of page) rows.get(row.protein_accession)?.push(row);
  return {
    query_count: total,
    proteins: [...rows].map(([accession, after]) => ({
      accession,
      term_count: after.length,
      terms: bestOf(after, size.terms),
    })),
  };
}

/** @param after holds all terms of a protein, by the new score */
function bestOf(after: readonly ScoredRow[], most: number): PreviewedTerm[] {
  const before = after.toSorted((a, b) => a.term_rank - b.term_rank);
  const placeBefore = new Map(before.map((row, at) => [row, at + 1]));
  return after.flatMap((row, at) => {
    const place = placeBefore.get(row) as number;
    if (at >= most && place > most) return [];
    const { go_id, go_name, go_aspect, score, composite } = row;
    return [
      {
        go_id,
        go_name,
        aspect: go_aspect,
        score_before: score,
        place_before: place,
        score_after: composite,
        place_after: at + 1,
      },
    ];
  });
}
