import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  comparedIn,
  configRows,
  type Evaluation,
  evaluationSetsOf,
  factRow,
  figureGroups,
  maxCompared,
  newestEvaluation,
} from './experiment-comparison.js';

const evaluation = (set: string, results: unknown, created_at = '2026-01-01T00:00:00Z'): Evaluation => ({
  id: `${set} ${created_at}`,
  evaluation_set_id: set,
  prediction_set_id: 'p',
  results,
  created_at,
});

it('reads the experiments of an address, each once and no more than fit', () => {
  expect(comparedIn(undefined)).toEqual([]);
  expect(comparedIn('a,,b,a')).toEqual(['a', 'b']);
  expect(comparedIn('a,b,c,d,e,f,g,h')).toHaveLength(maxCompared);
});

it('puts keys that differ first, nested ones by their path', () => {
  const rows = configRows([
    { k: 5, model: { name: 'kmer', size: 1024 }, evidence: ['IDA', 'IMP'] },
    { k: 10, model: { size: 1024, name: 'kmer' }, seed: 1 },
  ]);
  expect(rows.map(({ label, cells, differs }) => [label, ...cells, differs])).toEqual([
    ['k', '5', '10', true],
    ['evidence', 'IDA, IMP', null, true],
    ['seed', null, '1', true],
    ['model.name', 'kmer', 'kmer', false],
    ['model.size', '1024', '1024', false],
  ]);
});

it('tells values apart that look the same, and nested keys from keys with a dot', () => {
  expect(configRows([{ k: 5 }, { k: '5' }])[0]).toMatchObject({ cells: ['5', '"5"'], differs: true });
  expect(configRows([{ on: true }, { on: 'yes' }])[0]?.cells).toEqual(['true', '"yes"']);
  const dotted = configRows([{ a: { b: 1 } }, { 'a.b': 1 }]);
  expect(dotted.map(({ label, cells }) => [label, ...cells])).toEqual([
    ['a.b', '1', null],
    ['a.b', null, '1'],
  ]);
  expect(new Set(dotted.map(({ key }) => key)).size).toBe(2);
  expect(configRows([{ a: {} }, { a: null }])[0]).toMatchObject({ cells: ['{}', 'null'], differs: true });
  expect(
    factRow('x', [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]).differs,
  ).toBe(false);
});

const config = fc.dictionary(
  fc.constantFrom('a', 'b', 'c.d'),
  fc.oneof(
    fc.integer({ min: 0, max: 2 }),
    fc.constantFrom('0', 'x', null, true),
    fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('e', 'f'), fc.integer({ min: 0, max: 1 })),
  ),
);

it('says of each key what every configuration says, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(config, { minLength: 1, maxLength: 4 }), (configs) => {
      const rows = configRows(configs);
      for (const { key, cells } of rows) {
        const path = JSON.parse(key) as string[];
        configs.forEach((one, at) => {
          const value = path.reduce<unknown>((part, name) => Object(part)[name], one);
          expect(cells[at] === null).toBe(value === undefined || isNested(value));
        });
      }
      // Equal texts must stand for equal values.
      for (const { cells, differs } of rows) expect(differs).toBe(new Set(cells).size > 1);
      const differing = rows.map(({ differs }) => differs);
      expect(differing).toEqual([...differing].sort((a, b) => Number(b) - Number(a)));
      const byKey = (one: typeof rows) => new Map(one.map((row) => [row.key, row]));
      const turned = byKey(configRows(configs.toReversed()));
      expect(turned.size).toBe(rows.length);
      for (const row of rows) expect(turned.get(row.key)).toEqual({ ...row, cells: row.cells.toReversed() });
    }),
  );
});

const isNested = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

it('takes the newest evaluation of each', () => {
  const old = evaluation('s', {}, '2026-01-01T00:00:00Z');
  const fresh = evaluation('s', {}, '2026-02-01T00:00:00Z');
  expect(newestEvaluation({ evaluation_results: [old, fresh] })).toBe(fresh);
  expect(newestEvaluation({ evaluation_results: [fresh, old] })).toBe(fresh);
  expect(newestEvaluation({ evaluation_results: [] })).toBeNull();
});

it('marks the best of one evaluation set: the largest, and of Smin the smallest', () => {
  const a = evaluation('s', { NK: { BPO: { fmax: 0.4, fmax_w: null, smin: 3, coverage: 0.5 } } });
  const b = evaluation('s', { NK: { BPO: { fmax: 0.5, fmax_w: null, smin: 4, coverage: 0.5 } } });
  expect(figureGroups([a, null, b])).toEqual([
    {
      category: 'NK',
      aspect: 'BPO',
      rows: [
        {
          label: 'Fmax',
          cells: [
            { text: '0.400', isBest: false },
            { text: null, isBest: false },
            { text: '0.500', isBest: true },
          ],
        },
        {
          label: 'Smin',
          cells: [
            { text: '3.000', isBest: true },
            { text: null, isBest: false },
            { text: '4.000', isBest: false },
          ],
        },
        {
          label: 'Coverage',
          cells: [
            { text: '50\u00a0%', isBest: false },
            { text: null, isBest: false },
            { text: '50\u00a0%', isBest: false },
          ],
        },
      ],
    },
  ]);
});

it('marks nothing between different evaluation sets', () => {
  const figures = (fmax: number) => ({ NK: { BPO: { fmax } } });
  const evaluations = [evaluation('s', figures(0.4)), evaluation('t', figures(0.5))];
  expect(evaluationSetsOf(evaluations)).toEqual(['s', 't']);
  expect(figureGroups(evaluations)[0]?.rows[0]?.cells.map(({ isBest }) => isBest)).toEqual([false, false]);
  expect(figureGroups([null, null])).toEqual([]);
});
