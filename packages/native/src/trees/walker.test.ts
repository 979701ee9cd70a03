import { createPlainWalker, parseLightgbmModel } from '@kindred/kernels/reranker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomModelText } from './testing/random-model.js';
import { createWasmTreeWalker } from './wasm-walker.js';

/** The inputs of splits are missing, zero, nearly zero, codes, halves, and values outside any training set. */
const cell = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -3, max: 3, noNaN: true }) },
  { weight: 3, arbitrary: fc.integer({ min: -2, max: 70 }) },
  fc.constantFrom(
    Number.NaN,
    0,
    -0,
    1e-36,
    -1e-36,
    1e-34,
    -0.5,
    0.5,
    2 ** 31,
    2 ** 40,
    -1e300,
    Infinity,
    -Infinity,
  ),
);

describe('the WebAssembly walker', () => {
  it('gives the sums of the plain walker, bit for bit', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 0, max: 150 }),
        fc.infiniteStream(cell),
        (seed, rows, cells) => {
          const model = parseLightgbmModel(randomModelText(seed));
          const width = model.featureNames.length;
          const features = Float64Array.from({ length: rows * width }, () => cells.next().value as number);
          const plain = createPlainWalker(model);
          const wasm = createWasmTreeWalker(model);
          for (const iterations of [undefined, 1, 2]) {
            expect(wasm.rawScores(features, { iterations })).toEqual(
              plain.rawScores(features, { iterations }),
            );
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes more rows than fit its memory at once', () => {
    const model = parseLightgbmModel(randomModelText(3));
    const features = Float64Array.from(
      { length: 9001 * model.featureNames.length },
      (_, i) => Math.sin(i) * 3,
    );
    expect(createWasmTreeWalker(model).rawScores(features)).toEqual(
      createPlainWalker(model).rawScores(features),
    );
  });

  it('refuses a matrix with a broken row and an impossible number of iterations', () => {
    const model = parseLightgbmModel(randomModelText(3));
    const walker = createWasmTreeWalker(model);
    expect(() => walker.rawScores(new Float64Array(model.featureNames.length + 1))).toThrow('not whole rows');
    expect(() => walker.rawScores(new Float64Array(0), { iterations: 0 })).toThrow('expected a whole number');
  });
});
