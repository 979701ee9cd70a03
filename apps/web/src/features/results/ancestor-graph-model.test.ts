import { expect, it } from 'vitest';
import { ancestorGraph, mostPredicted, wrapped } from './ancestor-graph-model.js';

const term = (go_id: string) => ({ go_id, certainty: 'likely' as const });
const edge = (source: string, target: string, relation_type = 'is_a') => ({ source, target, relation_type });

it('holds predicted and known terms with all that is above them, and each line once', () => {
  const edges = [edge('a', 'top'), edge('b', 'top', 'part_of'), edge('a', 'top'), edge('other', 'top')];
  const names = new Map([['top', 'molecular_function']]);
  const { boxes, lines } = ancestorGraph([term('a')], ['b', 'a'], { names, edges });
  expect(Object.fromEntries(boxes.map(({ goId, kind }) => [goId, kind]))).toEqual({
    a: 'both',
    b: 'known',
    top: 'above',
  });
  expect(boxes.find(({ goId }) => goId === 'top')?.name).toBe('molecular function');
  expect(lines).toEqual([
    { from: 'top', to: 'a', partOf: false },
    { from: 'top', to: 'b', partOf: true },
  ]);
});

it('shows the most specific of the known terms', () => {
  const edges = [edge('a', 'b'), edge('b', 'top')];
  const { boxes } = ancestorGraph([], ['top', 'b', 'a'], { names: new Map(), edges });
  expect(boxes.map(({ goId, kind }) => `${goId} ${kind}`)).toEqual(['a known', 'b above', 'top above']);
});

it('says how certain each term is, which colours its box', () => {
  const edges = [edge('a', 'top'), edge('b', 'top'), edge('c', 'top')];
  const predicted = [term('a'), { go_id: 'b', certainty: null }, term('c')];
  const { boxes } = ancestorGraph(predicted, ['c'], { names: new Map(), edges });
  expect(Object.fromEntries(boxes.map(({ goId, standing }) => [goId, standing]))).toEqual({
    ...{ a: 'likely', b: 'uncalibrated', c: 'known', top: null },
  });
});

it('leaves out what would make it unreadable', () => {
  const many = Array.from({ length: 40 }, (_, i) => `t${i}`);
  expect(ancestorGraph(many.map(term), [], { names: new Map(), edges: [] }).boxes).toHaveLength(
    mostPredicted,
  );
});

it('wraps names at words, and says where one is cut', () => {
  expect(wrapped('small molecule metabolic process', 14, 3)).toEqual([
    'small molecule',
    'metabolic',
    'process',
  ]);
  expect(wrapped('one two three four', 5, 2)).toEqual(['one', 'two …']);
  expect(wrapped('monooxygenase', 5, 2)).toEqual(['monoox…']);
});
