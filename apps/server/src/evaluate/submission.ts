import { GrowingFloat64, GrowingInt32, sharedCopy } from '@kindred/kernels/arrays';
import type { PredictionTriples } from '@kindred/kernels/evaluation';
import { cafaScore, cafaTermsPerProtein } from '@kindred/kernels/scoring';
import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';

/**
 * Turns scored terms into a submission: scores rounded to three digits and at most 1,500 terms per protein,
 * as in a CAFA file, so that the file gives the same figures. Every evaluation of stored predictions uses
 * this function. The columns are in memory that all threads share, so that an evaluation does not copy them.
 * A protein whose terms are all left out still counts as predicted. Pages hold whole proteins,
 * with terms in descending order of score.
 */
export async function submission(
  pages: AsyncIterable<readonly ScoredTermRow[]>,
  signal: AbortSignal,
): Promise<PredictionTriples> {
  const proteins: string[] = [];
  const terms = new Map<string, number>();
  const protein = new GrowingInt32();
  const term = new GrowingInt32();
  const scores = new GrowingFloat64();
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
      protein.push(proteins.length - 1);
      term.push(number);
      scores.push(cafaScore(score));
    }
  }
  return {
    proteins,
    terms: [...terms.keys()],
    protein: sharedCopy(protein.view()),
    term: sharedCopy(term.view()),
    score: sharedCopy(scores.view()),
  };
}
