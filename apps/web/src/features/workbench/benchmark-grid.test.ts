import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Matrix } from '../../app/api/laboratory.js';
import { type Cell, gridOf } from './benchmark-grid.js';

const cell = (result: string, more: Partial<Cell>): Cell => ({
  embedding_config_id: null,
  more_embedding_config_ids: [],
  embedding_name: null,
  evaluation_set_id: 'new',
  stage: 'naive',
  k: 0,
  category: 'NK',
  aspect: 'BPO',
  fmax: 0.5,
  precision: null,
  recall: null,
  coverage: 0.9,
  fmax_w: null,
  n_proteins: 7,
  evaluation_result_id: result,
  prop: 'fill',
  norm: 'cafa',
  no_orphans: true,
  th_step: 0.01,
  listed: true,
  ...more,
});

const setOf = (id: string) => ({
  id,
  label: id,
  old_source: 'goa',
  old_source_version: '1',
  new_source: 'goa',
  new_source_version: '2',
  obo_version: '3',
  stats: {},
});
const stageOf = (name: string, is_baseline = false) =>
  ({ name, label: `Stage ${name}`, kind: 'method', is_baseline }) as const;

const matrixOf = (rows: Cell[]): Matrix => ({
  rows,
  total: rows.length,
  evaluation_sets: [setOf('new'), setOf('old')],
  embedding_config_ids: [],
  stages: [stageOf('naive', true), stageOf('knn')],
  categories: ['NK', 'LK', 'PK'],
  aspects: ['BPO', 'MFO', 'CCO'],
  ks: [0, 5, 50],
  best_per_cell: {},
  best_per_cell_global: {},
  filters: { evaluation_set_id: null, stage: null, k: null },
});

const rows = [
  cell('fifty', { stage: 'knn', k: 50, embedding_name: 'kmer', fmax: 0.6, fmax_w: 0.1 }),
  cell('five', { stage: 'knn', k: 5, embedding_name: 'kmer', fmax: 0.4, fmax_w: 0.3 }),
  cell('five', { stage: 'knn', k: 5, embedding_name: 'kmer', aspect: 'CCO', fmax: 0.8 }),
  cell('naive', { fmax: 0.2 }),
  cell('before', { evaluation_set_id: 'old', fmax: 0.9 }),
];

it('has a row for each result of the newest evaluation set, the baseline first', () => {
  const { set, columns, rows: shown } = gridOf(matrixOf(rows), {});
  expect(set?.id).toBe('new');
  expect(columns).toHaveLength(9);
  expect(shown.map(({ stage, isBaseline, embedding, k }) => [stage, isBaseline, embedding, k])).toEqual([
    ['Stage naive', true, null, 0],
    ['Stage knn', false, 'kmer', 5],
    ['Stage knn', false, 'kmer', 50],
  ]);
  expect(shown.map(({ cells }) => cells[0]?.isBest)).toEqual([false, false, true]);
  // A single value is not marked as the best.
  expect(shown[1]?.cells[2]).toEqual({ value: 0.8, isBest: false, coverage: 0.9, proteins: 7 });
  expect(shown[0]?.cells[2]).toBeNull();
});

it('keeps to the address: set, stage, neighbours and figure', () => {
  const results = (choice: Parameters<typeof gridOf>[1]) =>
    gridOf(matrixOf(rows), choice).rows.map(({ resultId }) => resultId);
  expect(results({ set: 'old' })).toEqual(['before']);
  expect(results({ set: 'gone' })).toEqual([]);
  expect(results({ stage: 'knn' })).toEqual(['five', 'fifty']);
  expect(results({ k: 0 })).toEqual(['naive']);
  const weighted = gridOf(matrixOf(rows), { weighted: true }).rows;
  expect(weighted.map(({ cells }) => [cells[0]?.value, cells[0]?.isBest])).toEqual([
    [null, false],
    [0.3, true],
    [0.1, false],
  ]);
});

it('says with which options rows were computed, where they differ', () => {
  expect(gridOf(matrixOf(rows), {}).rows.map(({ options }) => options)).toEqual([null, null, null]);
  const [other] = gridOf(matrixOf([...rows, cell('max', { prop: 'max', k: 5 })]), {}).rows;
  expect(other?.options).toBe('propagation fill, norm cafa, without roots, thresholds every 0.01');
});

it('marks what no other row of the column exceeds', () => {
  const figure = fc.record({
    result: fc.constantFrom('a', 'b', 'c'),
    aspect: fc.constantFrom('BPO', 'MFO'),
    fmax: fc.integer({ min: 0, max: 3 }),
  });
  const figures = fc.uniqueArray(figure, { selector: ({ result, aspect }) => `${result} ${aspect}` });
  fc.assert(
    fc.property(figures, (given) => {
      const cells = given.map(({ result, ...more }) => cell(result, more));
      const grid = gridOf(matrixOf(cells), {});
      expect(grid.rows.flatMap((row) => row.cells.filter((one) => one !== null))).toHaveLength(cells.length);
      grid.columns.forEach(({ aspect, category }, at) => {
        const most = Math.max(...cells.filter((one) => one.aspect === aspect).map(({ fmax }) => fmax));
        for (const row of grid.rows) {
          const shown = row.cells[at];
          if (shown?.isBest) expect([category, shown.value]).toEqual(['NK', most]);
        }
      });
    }),
  );
});

it('marks rows that not everyone sees', () => {
  const mixed = matrixOf([cell('mine', { listed: false }), cell('all', {})]);
  expect(gridOf(mixed, {}).rows.map(({ resultId, isListed }) => [resultId, isListed])).toEqual([
    ['mine', false],
    ['all', true],
  ]);
});
