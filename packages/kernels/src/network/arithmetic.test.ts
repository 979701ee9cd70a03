import { shippedNetwork } from '@kindred/testkit/shipped-network';
import { describe, expect, it } from 'vitest';
import {
  exponentialOf,
  exponentials,
  gelu,
  nearestInteger,
  quantize,
  rotaryTables,
  sigmoid,
  sumOf,
} from './arithmetic.js';
import { Weights } from './weights.js';

const range = (from: number, to: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.fround(from + ((to - from) * i) / (count - 1)));

describe('float32 arithmetic of the network', () => {
  it('rounds halves to even', () => {
    expect([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.51].map(nearestInteger)).toEqual([-2, -2, 0, 0, 2, 2, 3]);
  });

  it('knows the exponential, and limits it beyond 87', () => {
    for (const x of range(-87, 87, 2001)) expect(exponentialOf(x) / Math.exp(x)).toBeCloseTo(1, 6);
    expect(exponentialOf(-1000)).toBe(exponentialOf(-87));
    expect(exponentialOf(1000)).toBe(exponentialOf(87));
    expect(exponentialOf(0)).toBe(1);
    expect(sigmoid(0)).toBe(0.5);
  });

  it('knows the Gaussian error linear unit', () => {
    // The values of x · Φ(x) come from a table of the normal distribution.
    const known = [
      [0, 0],
      [1, 0.8413447],
      [-1, -0.1586553],
      [2, 1.9544997],
      [-2, -0.0455003],
      [10, 10],
      [-10, 0],
    ];
    for (const [x, y] of known) expect(gelu(x)).toBeCloseTo(y, 5);
  });

  it('adds in sixteen lanes, and these in halves', () => {
    const terms = range(-1, 3, 100);
    const lanes = Array.from({ length: 16 }, (_, lane) =>
      terms.filter((_, i) => i % 16 === lane).reduce((sum, term) => Math.fround(sum + term), 0),
    );
    while (lanes.length > 1) {
      const half = lanes.splice(lanes.length / 2);
      half.forEach((lane, i) => {
        lanes[i] = Math.fround(lanes[i] + lane);
      });
    }
    expect(sumOf(terms.length, (i) => terms[i])).toBe(lanes[0]);
  });

  it('turns the greatest magnitude into the greatest integer, and nothing into nothing', () => {
    const { values, step } = quantize(Float32Array.of(0.5, -3, 1.5, 0), 30_000);
    expect([...values]).toEqual([5000, -30_000, 15_000, 0]);
    expect(step).toBe(Math.fround(3 / 30_000));
    expect(quantize(new Float32Array(3), 100)).toEqual({ values: new Int16Array(3), step: 0 });
  });

  it('makes a softmax of scores of any size', () => {
    const { values, sum } = exponentials(Float32Array.of(1000, 999, -1000));
    expect(values[0]).toBe(1);
    expect(values[1] / sum).toBeCloseTo(1 / (1 + Math.E), 6);
  });

  it('knows the rotary angles', () => {
    const { cosines, sines } = rotaryTables(1024, 16);
    for (let i = 0; i < cosines.length; i += 7) {
      const angle = Math.floor(i / 16) * 10_000 ** (-(i % 16) / 16);
      expect(cosines[i]).toBeCloseTo(Math.cos(angle), 6);
      expect(sines[i]).toBeCloseTo(Math.sin(angle), 6);
    }
  });
});

it('no input of a layer of the shipped network can exceed 32 bits, and few lose a bit', () => {
  const { layout, bytes } = shippedNetwork();
  const weights = new Weights(layout, bytes);
  const layers = layout.tensors.filter(({ name }) => name.endsWith('.bias') && !/norm/.test(name));
  expect(layers.length).toBeGreaterThan(20);
  for (const { name } of layers) {
    const { weight, levels } = weights.dense(name.replace(/\.bias$/, ''));
    for (let row = 0; row < weight.rows; row++) {
      const values = weight.values.subarray(row * weight.columns, (row + 1) * weight.columns);
      const greatest = values.reduce((sum, value) => sum + Math.abs(value) * levels, 0);
      expect(greatest).toBeLessThan(2 ** 31);
    }
    expect(levels).toBeGreaterThan(2 ** 14);
  }
});
