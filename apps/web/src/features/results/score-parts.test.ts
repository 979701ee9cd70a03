import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { modelGroupOf, modelReasons, scoreParts } from './score-parts.js';

const votes = { weight: 0.5, frequency: 0.1, own_annotations: 0, sources: 0.6 };
const model = { weight: 0.5, score: 0.9, expected: 0, features: [] };

describe('parts of a score', () => {
  it('add up to it, the largest first, without those that add nothing', () => {
    const parts = scoreParts({ votes, model });
    expect(parts.map(({ name }) => name)).toEqual([
      'Trained model',
      'Similar proteins',
      'How common the term is',
    ]);
    expect(parts.reduce((sum, { added }) => sum + added, 0)).toBeCloseTo(0.5 * 0.7 + 0.5 * 0.9, 12);
  });

  it('leave out votes that do not count, and are none for other methods', () => {
    expect(scoreParts({ votes: { ...votes, weight: 0 }, model }).map(({ name }) => name)).toEqual([
      'Trained model',
    ]);
    expect(scoreParts({ votes: null, model: null })).toEqual([]);
  });
});

describe('reasons of the model', () => {
  it('are sums over groups, the strongest first, weak ones left out', () => {
    const reasons = modelReasons([
      { name: 'align_votes_any', value: 1, added: 0.4 },
      { name: 'align_weight', value: 1, added: 0.2 },
      { name: 'own_rule', value: 0, added: -0.9 },
      { name: 'depth', value: 3, added: 0.01 },
    ]);
    expect(reasons.map(({ name, about }) => [name, about])).toEqual([
      ['Its own annotations', 'speaks against it'],
      ['Similar proteins by alignment', 'speaks for it'],
    ]);
    expect(reasons[1]?.added).toBeCloseTo(0.6, 12);
  });

  it('have words for every column of the model', () => {
    const file = new URL('../../../../../packages/kernels/src/combined/feature-names.ts', import.meta.url);
    const columns = [...readFileSync(file, 'utf8').matchAll(/^ {2}'(\w+)',$/gm)].map(([, name = '']) => name);
    expect(columns.length).toBeGreaterThan(40);
    expect(columns.filter((name) => modelGroupOf(name) === undefined)).toEqual([]);
  });
});
