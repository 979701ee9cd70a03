// Writes the rows that train.py reads, of all candidates of some proteins.
import { combinedFeatures } from '@kindred/kernels/combined';
import { writeFileSync } from 'node:fs';
import { aspects } from './windows.mjs';

const width = combinedFeatures.length;

/**
 * Collects rows by aspect, and writes them as <name>.<aspect>.features (float32, row-major), .rows (int32: protein, term, right, category
 * as 0 NK, 1 LK, 2 PK) and .weights (float32).
 */
export class TrainingRows {
  #parts = aspects.map(() => ({ features: [], rows: [], weights: [], found: 0, gained: 0 }));

  /**
   * @param described candidates of a protein by aspect
   * @param gainOf (aspect) => the terms that the protein gained, as { category, terms }; undefined for none
   * @param accretion information accretion by term
   * @param isKept (right) => whether the row is kept; by default all are
   */
  add(protein, described, { gainOf, accretion, isKept = () => true }) {
    described.forEach(({ terms, features }, a) => {
      const gain = gainOf(aspects[a]);
      if (gain === undefined) return;
      const part = this.#parts[a];
      part.gained += gain.terms.size;
      terms.forEach((term, i) => {
        const right = gain.terms.has(term);
        part.found += Number(right);
        if (!isKept(right)) return;
        part.features.push(Float32Array.from(features.subarray(i * width, (i + 1) * width)));
        part.rows.push(protein, term, Number(right), gain.category);
        part.weights.push(Math.sqrt(0.2 + accretion[term]));
      });
    });
  }

  write(path) {
    this.#parts.forEach(({ features, rows, weights }, a) => {
      const values = new Float32Array(features.length * width);
      features.forEach((row, i) => values.set(row, i * width));
      const name = `${path}.${aspects[a]}`;
      writeFileSync(`${name}.features`, values);
      writeFileSync(`${name}.rows`, Int32Array.from(rows));
      writeFileSync(`${name}.weights`, Float32Array.from(weights));
    });
  }

  /** Writes a line for each aspect: the number of its rows, and the share of the gained terms that are among the candidates. */
  summary() {
    return this.#parts.map(({ rows, found, gained }, a) => {
      const share = ((100 * found) / gained).toFixed(1);
      return `${aspects[a]}: ${rows.length / 4} rows, ${share} % of what was gained is among the candidates`;
    });
  }
}
