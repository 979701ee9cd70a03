import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript
import { decades, growthPicture, shownNumber } from './generate/growth-pictures.mjs';

interface Point {
  size: number;
  milliseconds: number;
  mib: number;
}
const draw = growthPicture as (name: string, curve: { points: Point[] }) => string;
const file = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const curves = JSON.parse(file('benchmarks/growth.json')) as Record<string, { points: Point[] }>;

/** Returns the coordinates of the lines of a class, one list for each panel. */
const linesOf = (svg: string, name: string): number[][][] =>
  [...svg.matchAll(new RegExp(`<polyline class="${name}" points="([^"]+)"`, 'g'))].map(([, text]) =>
    text.split(' ').map((pair) => pair.split(',').map(Number)),
  );
const slope = ([[x, y], [toX, toY]]: number[][]): number => (toY - y) / (toX - x);

describe('the pictures of how cost grows', () => {
  it('lay cost in proportion on the broken line, and constant cost level', () => {
    const points = [1, 10, 100, 1000].map((size) => ({ size, milliseconds: 5 * size, mib: 300 }));
    const svg = draw('references', { points });
    const [time, memory] = linesOf(svg, 'cost');
    const [even] = linesOf(svg, 'even');
    expect(time[0]).toEqual(even[0]);
    for (const point of time.slice(1)) expect(slope([time[0], point])).toBeCloseTo(slope(even), 2);
    expect(new Set(memory.map(([, y]) => y)).size).toBe(1);
    expect(memory.map(([x]) => x)).toEqual(time.map(([x]) => x));
  });

  it('name axes, units, every value and the scale, for eyes and for screen readers', () => {
    const points = [
      { size: 200_000, milliseconds: 950, mib: 104 },
      { size: 100_000_000, milliseconds: 86_600, mib: 447 },
    ];
    const svg = draw('predictions', { points });
    for (const text of ['0.95', '86.6', '104', '447', '100 million', 'predictions'])
      expect(svg).toContain(`>${text}</text>`);
    expect(svg).toContain('Processor seconds of all predictions');
    expect(svg).toContain('Both axes are logarithmic.');
    expect(svg).toMatch(/<desc id="words">.*200,000 predictions: 0\.95 .*104 MiB\..*86\.6 and 447 MiB/);
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('have axes of whole powers of ten', () => {
    expect(decades([4000, 516_371])).toEqual([1e3, 1e4, 1e5, 1e6]);
    expect(decades([100, 100])).toEqual([100, 1000]);
    expect([0.0654, 12.34, 516_371, 2e7].map(shownNumber)).toEqual([
      '0.065',
      '12.3',
      '516,000',
      '20 million',
    ]);
  });

  it('are of measured figures of the whole range, and performance.md shows each', () => {
    const page = file('docs/explanation/performance.md');
    const ranges = { references: [4000, 516_000], queries: [1, 10_000], predictions: [200_000, 1e8] };
    for (const [name, [from, to]] of Object.entries(ranges)) {
      const found = curves[name].points.map(({ size }) => size);
      expect(found[0]).toBeLessThanOrEqual(from);
      expect(found.at(-1)).toBeGreaterThanOrEqual(to);
      expect(page).toContain(`](../images/growth/${name}.svg)`);
      expect(file(`docs/images/growth/${name}.svg`)).toBe(draw(name, curves[name]));
    }
  });
});
