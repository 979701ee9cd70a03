import type { PredictionTriples } from '@kindred/kernels/evaluation';
import { cafaScore, cafaTermsPerProtein } from '@kindred/kernels/scoring';
import type { ScoredTermRow } from '../../store/evaluation-predictions.repository.js';

/**
 * What a method submits of scored terms: scores in three digits and at most 1,500 terms per protein, as in its CAFA file, so that the
 * file gives the same figures. Pages hold whole proteins, each by falling score.
 */
export async function submission(
  pages: AsyncIterable<readonly ScoredTermRow[]>,
  signal: AbortSignal,
): Promise<PredictionTriples> {
  const proteins: string[] = [];
  const terms = new Map<string, number>();
  const columns = { protein: [] as number[], term: [] as number[], score: [] as number[] };
  let termsOfProtein = 0;
  for await (const page of pages) {
    signal.throwIfAborted();
    for (const { protein_accession, go_id, score } of page) {
      if (proteins.at(-1) !== protein_accession) {
        proteins.push(protein_accession);
        termsOfProtein = 0;
      }
      if (++termsOfProtein > cafaTermsPerProtein) continue;
      let number = terms.get(go_id);
      if (number === undefined) terms.set(go_id, (number = terms.size));
      columns.protein.push(proteins.length - 1);
      columns.term.push(number);
      columns.score.push(cafaScore(score));
    }
  }
  return {
    proteins,
    terms: [...terms.keys()],
    protein: Int32Array.from(columns.protein),
    term: Int32Array.from(columns.term),
    score: Float64Array.from(columns.score),
  };
}
