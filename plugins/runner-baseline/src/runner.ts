import type { Runner, RunnerInput, RunnerOutput } from '@kindred/contracts';
import { type TermShares, termShares } from '@kindred/kernels/scoring';
import { parameters } from './parameters.js';

/** The maximum number of terms of a query, as in a CAFA submission. */
const maxListLength = 1500;

/**
 * The naive predictor: every query gets the same terms, each scored by the share of references that carry it among those
 * that have any term of its aspect. Neighbours are not used, so the source is -1 and the distance NaN.
 */
export const runner: Runner = {
  run: async (input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput> => {
    signal?.throwIfAborted();
    const { nQuery, aspect, termAspect, termOrder } = input;
    const { minimum_score } = parameters.parse(input.parameters ?? {});
    if (aspect !== undefined && termAspect === undefined)
      throw new RangeError('an aspect is chosen, but termAspect is missing');
    const { share, byAspect } = sharesOf(input);
    const place = (term: number): number => termOrder?.[term] ?? term;
    const scored = (aspect === undefined ? byAspect : [byAspect[aspect] ?? []])
      .flatMap((ofAspect) => Array.from(ofAspect, (term) => ({ term, score: share[term] ?? 0 })))
      .filter(({ score }) => score >= minimum_score)
      .sort((a, b) => b.score - a.score || place(a.term) - place(b.term))
      .slice(0, maxListLength);
    const rows = nQuery * scored.length;
    const term = new Int32Array(rows);
    const score = new Float64Array(rows);
    for (let query = 0; query < nQuery; query++) {
      term.set(
        scored.map((one) => one.term),
        query * scored.length,
      );
      score.set(
        scored.map((one) => one.score),
        query * scored.length,
      );
    }
    return {
      query: Int32Array.from(term, (_, row) => Math.floor(row / scored.length)),
      term,
      score,
      source: new Int32Array(rows).fill(-1),
      distance: new Float32Array(rows).fill(Number.NaN),
    };
  },
};

/** The shares by the terms of the references, which are counted once for all batches. */
const counted = new WeakMap<Int32Array, { input: RunnerInput; shares: TermShares }>();

function sharesOf(input: RunnerInput): TermShares {
  const { termStart, termAspect, negated, termOrder } = input;
  const known = counted.get(input.terms);
  if (
    known?.input.termStart === termStart &&
    known.input.termAspect === termAspect &&
    known.input.negated === negated
  )
    return known.shares;
  const termCount = termAspect?.length ?? termOrder?.length ?? largest(input.terms) + 1;
  const aspects = termAspect ?? new Uint8Array(termCount);
  const shares = termShares(distinctTerms(input), aspects, largest(aspects) + 1);
  counted.set(input.terms, { input, shares });
  return shares;
}

/** Returns each term of a reference once, without NOT annotations. */
function distinctTerms({ termStart, terms, negated }: RunnerInput) {
  const start = new Int32Array(termStart.length);
  const kept: number[] = [];
  for (const [reference, from] of termStart.subarray(0, -1).entries()) {
    const own = new Set<number>();
    terms.subarray(from, termStart[reference + 1]).forEach((term, offset) => {
      if (!negated?.[from + offset]) own.add(term);
    });
    kept.push(...own);
    start[reference + 1] = kept.length;
  }
  return { start, terms: Int32Array.from(kept) };
}

function largest(values: Int32Array | Uint8Array): number {
  let most = -1;
  for (const value of values) if (value > most) most = value;
  return most;
}
