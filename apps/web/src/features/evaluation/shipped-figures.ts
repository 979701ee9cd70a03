import type { Aspect } from '@kindred/contracts';
import shipped from '../../../../../models/combined/figures.json';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount } from '../../shared/format.js';
import { categoryWords } from './category-words.js';

/** An estimate with its lower and upper bound; null if there are none. */
export type Bounded = readonly [estimate: number, low: number, high: number];
export const resamples = shipped.resamples;

/** The figures of a cell, in the order of the file. */
export const figureColumns = [
  { key: 'fmax', title: 'Fmax', isBestLow: false },
  { key: 'fmax_w', title: 'Weighted Fmax', isBestLow: false },
  { key: 'smin', title: 'Smin (less is better)', isBestLow: true },
  { key: 'coverage', title: 'Coverage', isBestLow: false },
] as const;

export interface ShippedTest {
  title: string;
  /** The names of the cells, such as `Biological process, no knowledge (266 proteins)`. */
  cells: string[];
  methods: { name: string; cells: (Bounded | null)[][] }[];
}

export const shippedTests: readonly ShippedTest[] = shipped.tests.map(({ title, columns, methods }) => ({
  title,
  cells: columns.map(
    ({ category, aspect, proteins }) =>
      `${aspectNames[aspect as Aspect]}, ${categoryWords[category]} (${formatCount(proteins)} proteins)`,
  ),
  methods: methods as unknown as ShippedTest['methods'],
}));

/** Returns one method minus another in each cell, on the same resampled proteins; undefined for a method and itself. */
export function shippedDifferences(
  title: string,
  method: string,
  other: string,
): (Bounded | null)[][] | undefined {
  const pairs = shipped.tests.find((test) => test.title === title)?.differences ?? [];
  const direct = pairs.find((pair) => pair.method === method && pair.other === other);
  if (direct !== undefined) return direct.cells as unknown as (Bounded | null)[][];
  const reversed = pairs.find((pair) => pair.method === other && pair.other === method);
  return (reversed?.cells as unknown as (Bounded | null)[][] | undefined)?.map((cell) =>
    cell.map((figure) => figure && ([-figure[0], -figure[2], -figure[1]] as const)),
  );
}
