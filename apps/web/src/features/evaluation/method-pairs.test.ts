import { expect, it } from 'vitest';
import { methodsOf, pairsOf } from './method-pairs.js';

const row = (method: string, ids: Record<string, string | null>) => ({
  method,
  label: method.toUpperCase(),
  is_baseline: false,
  figures: Object.fromEntries(
    Object.entries(ids).map(([aspect, id]) => [
      aspect,
      id === null ? null : { fmax: 0.5, evaluation_result_id: id, listed: true },
    ]),
  ),
});
const showcase = {
  method_comparison: {
    NK: [row('a', { BPO: '1', MFO: '1', CCO: '2' }), row('b', { BPO: '3', MFO: null, CCO: '2' })],
    PK: [row('b', { BPO: '3' }), row('c', { BPO: '4' })],
  },
};

it('lists each method once', () => {
  expect(methodsOf(showcase)).toEqual([
    { name: 'a', label: 'A' },
    { name: 'b', label: 'B' },
    { name: 'c', label: 'C' },
  ]);
});

it('pairs the cells that both have from different results', () => {
  expect(pairsOf(showcase, 'a', 'b')).toEqual([{ category: 'NK', aspect: 'BPO', result: '1', other: '3' }]);
  expect(pairsOf(showcase, 'c', 'b')).toEqual([{ category: 'PK', aspect: 'BPO', result: '4', other: '3' }]);
  expect(pairsOf(showcase, 'a', 'c')).toEqual([]);
});
