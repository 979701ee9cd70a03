// Keeps the figures of a benchmark for whoever runs it: lines of JSON in the file that KINDRED_BENCH_FIGURES names. Without it, nothing
// is kept, because the benchmark prints its figures, too.
import { appendFileSync } from 'node:fs';

/**
 * @param {string} figure what was measured, as benchmarks/plan.mjs names it
 * @param {number} value
 * @param {Record<string, string | number>} [of] what the figure is of: the size, the program, the instruction set
 */
export function keep(figure, value, of = {}) {
  const file = process.env.KINDRED_BENCH_FIGURES;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ figure, value, of })}\n`);
}
