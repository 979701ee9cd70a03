import { expect, it } from 'vitest';
import type { MethodFigures } from '../../app/api/showcase.js';
import { bestOf } from './best.js';

const row = (method: string, bpo: number | null): MethodFigures => ({
  method,
  label: method,
  is_baseline: false,
  figures: {
    BPO: bpo === null ? null : { fmax: bpo, evaluation_result_id: method, listed: true },
    MFO: null,
    CCO: null,
  },
});

it('is the largest figure of the column, methods that were not evaluated left out', () => {
  const rows = [row('a', 0.25), row('b', null), row('c', 0.5)];
  expect(bestOf(rows, 'BPO')).toBe(0.5);
  expect(bestOf(rows, 'MFO')).toBeNull();
  expect(bestOf([], 'BPO')).toBeNull();
});
