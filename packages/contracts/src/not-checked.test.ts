import { expect, it } from 'vitest';
import { notChecked } from './resources/prediction-sets.js';

const statistics = { namesakes: 0 };
const combined = (parameters: Record<string, unknown>) =>
  notChecked({ method: 'combined', parameters, statistics });

it('says which checks were not made for a set, also of a set from before they were recorded', () => {
  expect(notChecked({ method: 'knn', parameters: { taxon_constraints: 'GO 2026-06' }, statistics })).toEqual([
    expect.stringContaining('does not look at them'),
  ]);
  for (const parameters of [{}, { taxon_constraints: null, queries_without_taxon: null }])
    expect(combined(parameters)).toEqual([expect.stringContaining('none were loaded')]);
  expect(combined({ taxon_constraints: 'GO 2026-06', queries_without_taxon: 3 })).toEqual([
    expect.stringContaining('for 3 queries'),
  ]);
  expect(combined({ taxon_constraints: 'GO 2026-06', queries_without_taxon: 0 })).toEqual([]);
});

it('says of a run from before names were compared that nobody looked', () => {
  const old = { method: 'combined', parameters: { taxon_constraints: 'x' }, statistics: { namesakes: null } };
  expect(notChecked(old)).toEqual([
    expect.stringMatching(/^Names of queries .* before they were looked for\.$/),
  ]);
});
