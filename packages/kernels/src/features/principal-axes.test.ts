import { readFileSync } from 'node:fs';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { principalAxes, projectGroups } from './index.js';

const npy = sharedData('data', 'ecoli-k12', 'unirep64.float32.npy');

/** Reads the numbers of a .npy file (version 1) of float32. */
function numbersOf(path: string): Float32Array {
  const bytes = readFileSync(path);
  const start = 10 + bytes.readUInt16LE(8);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
}

function gaussian(rows: number, dimension: number, seed: number): Float32Array {
  const random = new Random(seed);
  // The variances differ, so that the axes are determined.
  return Float32Array.from(
    { length: rows * dimension },
    (_, i) => random.normal() / (1 + (i % dimension)) + 0.3,
  );
}

describe('principalAxes', () => {
  it.skipIf(!npy)('are those of the singular value decomposition of NumPy on 4,401 UniRep vectors', () => {
    const vectors = numbersOf(npy as string);
    const projection = principalAxes({ vectors, dimension: 64, axes: 16 });
    expect(projection.axes).toBe(16);
    const rows = vectors.length / 64;
    const found = projectGroups(projection, {
      vectors,
      groupOfRow: Int32Array.from({ length: rows }, (_, i) => i),
      groups: rows,
    });
    const variances = Array.from({ length: 16 }, (_, axis) => {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += found[row * 16 + axis] ** 2;
      return sum / rows;
    });
    // The expected values come from numpy.linalg.svd of the centred matrix in float64, with signs by the largest component.
    const expected = {
      variances: [
        0.129228819, 0.0841534872, 0.0640936178, 0.0408237702, 0.0247217543, 0.0225385903, 0.0107502754,
        0.00753698511, 0.00431561853, 0.00408492698, 0.00316531161, 0.00225520046, 0.00176038294,
        0.00167588405, 0.00130693616, 0.00115566583,
      ],
      first: [
        -0.331343, 0.212627, -0.0880659, -0.13088, -0.26994, 0.077686, -0.269359, 0.148524, 0.135648,
        -0.0132244, 0.0140626, -0.0264142, 0.0833099, 0.161447, -0.0221478, -0.0524825,
      ],
      last: [
        -0.0980156, 0.456364, -0.205555, 0.341722, 0.106295, -0.213523, 0.168661, -0.0870151, 0.0934667,
        0.0189988, 0.0231662, 0.0998616, 0.0646456, -0.0214509, 0.00272505, 0.0177053,
      ],
    };
    const [first, last] = [found.subarray(0, 16), found.subarray((rows - 1) * 16)];
    for (let axis = 0; axis < 16; axis++) {
      expect(variances[axis] / expected.variances[axis]).toBeCloseTo(1, 5);
      expect(first[axis]).toBeCloseTo(expected.first[axis], 5);
      expect(last[axis]).toBeCloseTo(expected.last[axis], 5);
    }
  });

  it('are orthonormal, and the same whether there are more vectors than components or fewer', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 3, max: 30 }),
        fc.integer({ min: 3, max: 30 }),
        fc.nat(),
        (rows, dimension, seed) => {
          const { axes, components } = principalAxes({
            vectors: gaussian(rows, dimension, seed),
            dimension,
            axes: 4,
          });
          expect(axes).toBe(Math.min(4, rows - 1, dimension));
          for (let a = 0; a < axes; a++)
            for (let b = 0; b <= a; b++) {
              let product = 0;
              for (let d = 0; d < dimension; d++)
                product += components[a * dimension + d] * components[b * dimension + d];
              expect(product).toBeCloseTo(a === b ? 1 : 0, 5);
            }
        },
      ),
    );
  });

  it('explain more variance than any other direction at right angles to those before', () => {
    const dimension = 12;
    const vectors = gaussian(200, dimension, 5);
    const { components, mean } = principalAxes({ vectors, dimension, axes: 1 });
    const along = (direction: ArrayLike<number>) => {
      let sum = 0;
      for (let row = 0; row < 200; row++) {
        let coordinate = 0;
        for (let d = 0; d < dimension; d++)
          coordinate += (vectors[row * dimension + d] - mean[d]) * direction[d];
        sum += coordinate ** 2;
      }
      return sum;
    };
    const widest = along(components);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }),
        (direction) => {
          const norm = Math.hypot(...direction);
          if (norm < 1e-3) return;
          expect(along(direction.map((x) => x / norm))).toBeLessThanOrEqual(widest * (1 + 1e-6));
        },
      ),
    );
  });

  it('come in less than the number asked for where the vectors span less, and none from equal vectors', () => {
    const line = Float32Array.from({ length: 30 }, (_, i) => Math.floor(i / 3) * ((i % 3) + 1));
    expect(principalAxes({ vectors: line, dimension: 3, axes: 16 }).axes).toBe(1);
    expect(principalAxes({ vectors: new Float32Array(30).fill(2), dimension: 3, axes: 16 }).axes).toBe(0);
    expect(() => principalAxes({ vectors: new Float32Array(0), dimension: 3, axes: 1 })).toThrow(RangeError);
    expect(() => principalAxes({ vectors: line, dimension: 3, axes: 1, isAborted: () => true })).toThrow(
      'aborted',
    );
  });
});

describe('projectGroups', () => {
  it('takes the mean of the vectors of a group, and gives NaN to a group without any', () => {
    const projection = {
      dimension: 2,
      axes: 1,
      mean: Float32Array.of(1, 1),
      components: Float32Array.of(0.6, 0.8),
    };
    const input = {
      vectors: Float32Array.of(1, 2, 3, 4, 5, 5),
      groupOfRow: Int32Array.of(0, 0, 2),
      groups: 3,
    };
    const [a, b, c] = projectGroups(projection, input);
    expect(a).toBeCloseTo(0.6 * 1 + 0.8 * 2, 6);
    expect(b).toBeNaN();
    expect(c).toBeCloseTo(0.6 * 4 + 0.8 * 4, 6);
    expect(() => projectGroups(projection, { ...input, groupOfRow: Int32Array.of(0) })).toThrow(
      'need 2 numbers, got 6',
    );
  });
});
