import type { PredictionTriples } from '@kindred/kernels/evaluation';
import type { ScoredTermRow } from '../store/evaluation/evaluation-predictions.repository.js';
import { yieldToEventLoop } from '../event-loop.js';

export interface TripleOptions {
  /** Terms of a protein beyond so many are left out; the protein counts. @default all */
  mostTerms?: number;
  /** What is made of each score. @default as it is */
  score?: (score: number) => number;
}

/** Scored terms in columns, as the evaluation takes them. Pages hold whole proteins. */
export async function predictionTriples(
  pages: AsyncIterable<readonly ScoredTermRow[]>,
  signal: AbortSignal,
  { mostTerms = Number.POSITIVE_INFINITY, score: made = (score) => score }: TripleOptions = {},
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
      if (++termsOfProtein > mostTerms) continue;
      let number = terms.get(go_id);
      if (number === undefined) terms.set(go_id, (number = terms.size));
      columns.protein.push(proteins.length - 1);
      columns.term.push(number);
      columns.score.push(made(score));
    }
  }
  // There may be millions: a constructor copies a list many times faster than `from`, each in a turn of its own.
  const protein = new Int32Array(columns.protein);
  await yieldToEventLoop();
  const term = new Int32Array(columns.term);
  await yieldToEventLoop();
  return { proteins, terms: [...terms.keys()], protein, term, score: new Float64Array(columns.score) };
}
