// Writes all figures of the tables with their intervals, and those of every pair of methods, for the accuracy page.
import { difference, intervalIn } from './frames.mjs';

/** The figures of each cell, in this order. */
export const figureNames = ['fmax', 'fmax_w', 'smin', 'coverage'];
const letterOf = { process: 'P', function: 'F', component: 'C' };

const three = (value) => Math.round(value * 1000) / 1000;
/** Returns [estimate, lower and upper bound]; null if a method has no figure. */
const bounded = (interval) =>
  interval === null ? null : [interval.estimate, interval.low, interval.high].map(three);
const plain = (name) => name.replaceAll('*', '');

/**
 * Returns one table as data.
 * @param cells the nine cells of each method by its name, with their resamples
 */
export function figuresOf(title, cells) {
  const names = Object.keys(cells);
  const pairs = names.flatMap((name, at) => names.slice(at + 1).map((other) => [name, other]));
  return {
    title,
    columns: cells[names[0]].map(({ category, aspect, proteins }) => {
      return { category, aspect: letterOf[aspect], proteins };
    }),
    methods: names.map((name) => ({
      name: plain(name),
      cells: cells[name].map((cell) => figureNames.map((figure) => bounded(intervalIn(cell, figure)))),
    })),
    // The difference is the first method minus the other, on the same resampled proteins.
    differences: pairs.map(([name, other]) => ({
      method: plain(name),
      other: plain(other),
      cells: cells[name].map((cell, at) =>
        figureNames.map((figure) => bounded(difference(cell, cells[other][at], figure))),
      ),
    })),
  };
}
