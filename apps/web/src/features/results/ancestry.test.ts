import { expect, it } from 'vitest';
import { pathToRoot } from './ancestry.js';

const edge = (source: string, target: string) => ({ source, target, relation_type: 'is_a' });

it('leads from the root to a term by a shortest way', () => {
  const edges = [edge('d', 'c'), edge('c', 'b'), edge('b', 'root'), edge('d', 'e'), edge('e', 'root')];
  expect(pathToRoot('d', edges)).toEqual(['root', 'e', 'd']);
  expect(pathToRoot('root', edges)).toEqual(['root']);
});

it('ends where terms go round, or are not in the graph', () => {
  expect(pathToRoot('a', [edge('a', 'b'), edge('b', 'a')])).toEqual(['a']);
  expect(pathToRoot('a', [])).toEqual(['a']);
});
