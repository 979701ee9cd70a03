import type { PredictionTriples } from '@kindred/kernels/evaluation';
import { cafaScore, cafaTermsPerProtein } from '@kindred/kernels/scoring';
import { predictionTriples } from '../../scoring/prediction-triples.js';
import type { ScoredTermRow } from '../../store/evaluation/evaluation-predictions.repository.js';

/**
 * What a method submits of scored terms: scores in three digits and at most 1,500 terms per protein, as in its CAFA file, so that the
 * file gives the same figures. Pages hold whole proteins, each by falling score.
 */
export const submission = (
  pages: AsyncIterable<readonly ScoredTermRow[]>,
  signal: AbortSignal,
): Promise<PredictionTriples> =>
  predictionTriples(pages, signal, { mostTerms: cafaTermsPerProtein, score: cafaScore });
