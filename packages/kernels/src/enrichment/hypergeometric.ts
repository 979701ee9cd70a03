import { logFactorials } from './log-factorials.js';

/** The counts of marked items among items drawn without replacement from a population. */
export interface Table {
  found: number;
  drawn: number;
  marked: number;
  population: number;
}

/** Tables whose probabilities differ by at most this factor count as equally probable, as in R. */
const slack = 1 + 1e-7;

/**
 * Computes Fisher's exact test, one-sided: the probability of `found` or more.
 * Cost: O(min(drawn, marked)). The relative error is below 1e-9 for populations up to a million.
 * @throws RangeError for counts that do not fit together
 */
export function oneSided(table: Table): number {
  const { least } = bounds(table);
  if (table.found === least) return 1;
  return Math.min(1, probabilityOf(table) * sumUp(table));
}

/**
 * Computes Fisher's exact test, two-sided: the probability of all tables that are at most as probable as this one.
 * Cost and error are those of `oneSided`.
 * @throws RangeError for counts that do not fit together
 */
export function twoSided(table: Table): number {
  bounds(table);
  return Math.min(1, probabilityOf(table) * (sumUp(table, slack) + sumDown(table, slack)));
}

function bounds({ found, drawn, marked, population }: Table): { least: number; most: number } {
  const least = Math.max(0, drawn + marked - population);
  const most = Math.min(drawn, marked);
  if (!(found >= least && found <= most && drawn <= population && marked <= population))
    throw new RangeError(`no table has ${found} of ${drawn} drawn with ${marked} marked in ${population}`);
  return { least, most };
}

function probabilityOf({ found, drawn, marked, population }: Table): number {
  const log = logFactorials(population);
  const choose = (n: number, k: number): number => log[n] - log[k] - log[n - k];
  return Math.exp(
    choose(marked, found) + choose(population - marked, drawn - found) - choose(population, drawn),
  );
}

/** Sums the probabilities of this table and of those with more found, as multiples of this table's; multiples above `limit` don't count. */
function sumUp({ found, drawn, marked, population }: Table, limit = Infinity): number {
  const most = Math.min(drawn, marked);
  let ratio = 1;
  let sum = 1;
  for (let k = found; k < most; k++) {
    ratio *= ((marked - k) / (k + 1)) * ((drawn - k) / (population - marked - drawn + k + 1));
    if (ratio <= limit) sum += ratio;
    if (ratio < sum * 1e-20) break;
  }
  return sum;
}

/** Sums the probabilities of the tables with fewer found, as multiples of this table's; multiples above `limit` don't count. */
function sumDown({ found, drawn, marked, population }: Table, limit: number): number {
  const least = Math.max(0, drawn + marked - population);
  let ratio = 1;
  let sum = 0;
  for (let k = found; k > least; k--) {
    ratio *= (k / (marked - k + 1)) * ((population - marked - drawn + k) / (drawn - k + 1));
    if (ratio <= limit) sum += ratio;
    if (ratio < 1e-20) break;
  }
  return sum;
}
