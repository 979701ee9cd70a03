import { expect, it } from 'vitest';
import { impliedTerms, pathToRoot } from './ancestry.js';

const edge = (source: string, target: string) => ({ source, target, relation_type: 'is_a' });

it('finds the terms that others imply, over terms that are not asked for', () => {
  const edges = [edge('c', 'b'), edge('b', 'a'), edge('d', 'a')];
  expect([...impliedTerms(['a', 'c', 'd'], edges)]).toEqual(['a']);
  expect([...impliedTerms(['c', 'd'], edges)]).toEqual([]);
});

it('leads from the root to a term by a shortest way', () => {
  const edges = [edge('d', 'c'), edge('c', 'b'), edge('b', 'root'), edge('d', 'e'), edge('e', 'root')];
  expect(pathToRoot('d', edges)).toEqual(['root', 'e', 'd']);
  expect(pathToRoot('root', edges)).toEqual(['root']);
});

it('ends where terms go round, or are not in the graph', () => {
  expect(pathToRoot('a', [edge('a', 'b'), edge('b', 'a')])).toEqual(['a']);
  expect(pathToRoot('a', [])).toEqual(['a']);
});
