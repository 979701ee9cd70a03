import { falseDiscoveryRates, twoSided } from '../enrichment/index.js';
import { chiSquareTail } from './chi-square.js';

/**
 * The test `fisher` compares two proteomes, `chi_square` more. There is no test if there was nothing to compare (`none`), or if too few
 * proteins have the category, or lack it, for chi_square (`too_few`).
 */
export const differenceTests = ['fisher', 'chi_square', 'too_few', 'none'] as const;
export type DifferenceTest = (typeof differenceTests)[number];

export interface Difference {
  test: DifferenceTest;
  /** Null means that nothing was tested; so for the rate. */
  pValue: number | null;
  /** The false discovery rate by Benjamini and Hochberg, among the tested categories of the aspect. */
  qValue: number | null;
  /**
   * The smallest number of proteins, with the category or without it, that a proteome would have if all had the same share. Below 5, the
   * chi-square distribution is a rough approximation; below 1, it says nothing.
   */
  leastExpected: number;
}

interface Counted {
  aspect: string;
  /** The number of proteins of each proteome that have the category. */
  counts: readonly number[];
}

/**
 * Tests of each category whether its share differs between proteomes: Fisher's exact test (two-sided) for two, the chi-square test of
 * homogeneity for more, unless less than one protein is expected in a cell. Proteomes without proteins are not compared.
 *
 * @param sizes the number of proteins of each proteome
 * Cost: O(categories * proteomes).
 * @cite Benjamini1995
 */
export function differencesBetween(rows: readonly Counted[], sizes: readonly number[]): Difference[] {
  const tested = rows.map(({ counts }) => ({ ...testOf(counts, sizes), qValue: null as number | null }));
  for (const aspect of new Set(rows.map((row) => row.aspect))) {
    const own = tested.flatMap((row, at) =>
      rows[at].aspect === aspect && row.pValue !== null ? [{ row, pValue: row.pValue }] : [],
    );
    own.sort((a, b) => a.pValue - b.pValue);
    const rates = falseDiscoveryRates(own.map(({ pValue }) => pValue));
    for (const [at, { row }] of own.entries()) row.qValue = rates[at];
  }
  return tested;
}

function testOf(counts: readonly number[], sizes: readonly number[]): Omit<Difference, 'qValue'> {
  const compared = sizes.flatMap((size, at) => (size > 0 ? [{ size, count: counts[at] }] : []));
  const population = compared.reduce((sum, { size }) => sum + size, 0);
  const marked = compared.reduce((sum, { count }) => sum + count, 0);
  const rest = population - marked;
  if (compared.length < 2 || marked === 0 || rest === 0)
    return { test: 'none', pValue: null, leastExpected: 0 };
  const smallest = Math.min(...compared.map(({ size }) => size));
  const leastExpected = (smallest * Math.min(marked, rest)) / population;
  if (compared.length === 2) {
    const [{ count: found, size: drawn }] = compared;
    return { test: 'fisher', pValue: twoSided({ found, drawn, marked, population }), leastExpected };
  }
  if (leastExpected < 1) return { test: 'too_few', pValue: null, leastExpected };
  const share = marked / population;
  const statistic = compared.reduce((sum, { count, size }) => sum + (count - size * share) ** 2 / size, 0);
  const pValue = chiSquareTail(statistic / (share * (1 - share)), compared.length - 1);
  return { test: 'chi_square', pValue, leastExpected };
}
