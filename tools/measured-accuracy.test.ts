import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript
import { measuredAccuracy } from './generate/measured-accuracy.mjs';

interface Test {
  columns: { category: string; aspect: string; proteins: number }[];
  methods: { name: string; figures: { value: number; low?: number; high?: number }[] }[];
}

const file = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

it('reads the tables of the document, with proteins, intervals and what is above', () => {
  const { tests } = measuredAccuracy(file('docs/explanation/accuracy.md')) as { tests: Test[] };
  expect(tests.map(({ columns }) => columns.length)).toEqual([9, 9]);
  const [first] = tests;
  expect(first.columns[0]).toEqual({ category: 'NK', aspect: 'P', proteins: 266 });
  const naive = first.methods.find(({ name }) => name === 'naive');
  expect(naive?.figures[0]).toEqual({ value: expect.any(Number), combination: 'above' });
  const combined = first.methods.find(({ name }) => name === 'combined');
  expect(combined?.figures).toHaveLength(9);
  expect(combined?.figures[0]).toEqual({
    value: expect.any(Number),
    low: expect.any(Number),
    high: expect.any(Number),
  });
  for (const { methods } of tests)
    for (const { figures } of methods)
      for (const { value, low = 0, high = 1 } of figures) expect(low <= value && value <= high).toBe(true);
});

it('refuses a table that it does not understand', () => {
  const broken =
    '## Across organisms and years\n\n### x\n\n| Fmax | NK process (1) |\n|---|---|\n| naive | about a half |\n\n';
  expect(() => measuredAccuracy(broken)).toThrow('not a figure: about a half');
});
