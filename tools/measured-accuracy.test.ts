import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript
import { measuredAccuracy, modelRows } from './generate/measured-accuracy.mjs';

interface Test {
  columns: { category: string; aspect: string; proteins: number }[];
  methods: { name: string; figures: { value: number; low?: number; high?: number }[] }[];
}

interface Comparison {
  now: number;
  before: number;
  low: number;
  high: number;
  above: number;
  below: number;
}

interface ModelRow {
  kind: string;
  proteins: string;
  hasOwnOrganism: boolean;
  fmax: Comparison;
  f_micro_w: Comparison;
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

it('reads the tables of the models of eukaryotes, of the score that is shipped alone', () => {
  const document = file('docs/explanation/accuracy.md');
  const { eukaryotes } = measuredAccuracy(document) as { eukaryotes: ModelRow[] };
  const names = eukaryotes.map(
    ({ kind, proteins, hasOwnOrganism }) => `${kind} ${proteins} ${hasOwnOrganism}`,
  );
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('known human, 2018 to 2022 true');
  expect(names).toContain('bare human, 2018 to 2022 false');
  for (const { fmax, f_micro_w: weighted } of eukaryotes)
    for (const { now, before, low, high, above, below } of [fmax, weighted]) {
      // Means and bounds are rounded to three decimals.
      expect(now - before).toBeGreaterThanOrEqual(low - 0.0015);
      expect(now - before).toBeLessThanOrEqual(high + 0.0015);
      expect(above + below).toBeLessThanOrEqual(9);
    }
});

it('takes a known protein’s row from the score with a quarter of votes, and refuses a document without the table', () => {
  const row = (name: string, mean: string) =>
    `| ${name} | ${mean} (0.1) | 0.01 to 0.2 | 1, 0 | 0.3 (0.2) | -0.1 to 0.2 | 0, 2 |\n`;
  const rows = row('human', '0.2') + row('human, quarter of votes', '0.25') + row('human, model', '0.3');
  const document = `<!-- known: made by x -->\n| |\n|---|\n${rows}<!-- known: end -->\n`;
  expect(modelRows(document, 'known', 'known')).toEqual([
    {
      kind: 'known',
      proteins: 'human',
      hasOwnOrganism: true,
      fmax: { now: 0.25, before: 0.1, low: 0.01, high: 0.2, above: 1, below: 0 },
      f_micro_w: { now: 0.3, before: 0.2, low: -0.1, high: 0.2, above: 0, below: 2 },
    },
  ]);
  expect(() => modelRows('', 'known', 'known')).toThrow('lacks the table known');
});
