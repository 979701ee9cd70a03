import { tableOf } from '../table-text.js';
import type { Bounds, LayerFigures } from './compare.js';

/** Writes one row for each candidate: Fmax of each namespace, their mean, and its difference to the first row, with 95 % intervals. */
export function layerTable(figures: readonly LayerFigures[]): string {
  const [{ namespaces, layers }] = figures;
  const first = layers.join('+');
  return tableOf([
    ['layers', ...namespaces.map(({ name }) => name), 'mean Fmax', `minus layers ${first}`],
    ...figures.map((row) => [
      row.layers.join('+'),
      ...row.namespaces.map(({ fmax }) => written(fmax)),
      written(row.mean),
      row.difference === null ? '' : written(row.difference),
    ]),
  ]);
}

const written = ({ estimate, low, high }: Bounds) =>
  `${estimate.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]`;
