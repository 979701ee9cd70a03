import type { Span } from '@kindred/kernels/chunks';

/** The fewest spans of at most `largest` residues that cover a sequence once, of lengths that differ by one at most. */
export function windowSpans(length: number, largest: number): Span[] {
  const count = Math.max(1, Math.ceil(length / largest));
  const edge = (window: number) => Math.floor((window * length) / count);
  return Array.from({ length: count }, (_, window) => ({
    start: edge(window),
    endExclusive: edge(window + 1),
  }));
}

/**
 * Runs over inputs of equal length, `tokenBudget` tokens in each unless one input alone is longer: no padding, so no
 * input is touched by another. Long inputs gain nothing from company, short ones share the cost of a call.
 *
 * @param lengths tokens of each input
 * @returns indices of the inputs of each run, longest inputs first
 */
export function equalLengthRuns(lengths: readonly number[], tokenBudget: number): number[][] {
  const byLength = new Map<number, number[]>();
  lengths.forEach((length, input) => {
    const group = byLength.get(length);
    if (group) group.push(input);
    else byLength.set(length, [input]);
  });
  return [...byLength]
    .sort(([a], [b]) => b - a)
    .flatMap(([length, inputs]) => {
      const size = Math.max(1, Math.floor(tokenBudget / length));
      return Array.from({ length: Math.ceil(inputs.length / size) }, (_, run) =>
        inputs.slice(run * size, (run + 1) * size),
      );
    });
}
