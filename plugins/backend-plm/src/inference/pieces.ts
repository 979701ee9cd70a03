import type { Span } from '@kindred/kernels/chunks';

/** Divides a sequence into the fewest spans of at most `largest` residues, whose lengths differ by at most one. */
export function windowSpans(length: number, largest: number): Span[] {
  const count = Math.max(1, Math.ceil(length / largest));
  const edge = (window: number) => Math.floor((window * length) / count);
  return Array.from({ length: count }, (_, window) => ({
    start: edge(window),
    endExclusive: edge(window + 1),
  }));
}

/**
 * Groups inputs of equal length into runs of at most `tokenBudget` tokens (a longer input is a run of its own). There is no padding, so
 * inputs do not affect each other. Short inputs share the cost of a call; long ones gain nothing from a batch.
 *
 * @param lengths number of tokens of each input
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
