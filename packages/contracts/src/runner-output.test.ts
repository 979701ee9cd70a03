import { describe, expect, it } from 'vitest';
import { type RunnerInput, type RunnerOutput, runnerOutputFault } from './index.js';

/** The input has two queries, and three references with the terms 0, then 0 and 1, then 2 (with NOT 1). */
const input: RunnerInput = {
  nQuery: 2,
  k: 2,
  neighbours: Int32Array.of(1, 0, 2, -1),
  distances: Float32Array.of(0.5, 1, 0.25, Infinity),
  termStart: Int32Array.of(0, 1, 3, 5),
  terms: Int32Array.of(0, 0, 1, 2, 1),
  negated: Uint8Array.of(0, 0, 0, 0, 1),
  metric: 'cosine',
};
const good: RunnerOutput = {
  query: Int32Array.of(0, 0, 1, 1),
  term: Int32Array.of(0, 1, 2, 0),
  score: Float64Array.of(1, 0.75, 0.5, 0),
  source: Int32Array.of(1, 1, 2, -1),
  distance: Float32Array.of(0.5, 0.5, 0.25, Number.NaN),
};

describe('what a runner gives', () => {
  it('is taken where it fits, also where it is nothing at all', () => {
    expect(runnerOutputFault(input, good)).toBeNull();
    const none = { query: new Int32Array(), term: new Int32Array(), source: new Int32Array() };
    const nothing = { ...none, score: new Float64Array(), distance: new Float32Array() };
    expect(runnerOutputFault(input, nothing)).toBeNull();
  });

  const undonated = {
    ...good,
    source: good.source.map(() => -1),
    distance: good.distance.map(() => Number.NaN),
  };
  const { query, term, score, source, distance } = good;
  const changed = <T extends Int32Array | Float64Array | Float32Array>(
    column: T,
    at: number,
    value: number,
  ) => column.with(at, value) as T;
  it.each<[string, object | undefined, string]>([
    ['nothing', undefined, 'its query is not of type Int32Array'],
    ['a plain list', { ...good, score: [1, 1, 1, 1] }, 'its score is not of type Float64Array'],
    [
      'columns of two lengths',
      { ...good, source: source.slice(1) },
      'its source has 3 rows, and query has 4',
    ],
    ['another query', { ...good, query: changed(query, 3, 2) }, 'none of the 2 queries that were asked for'],
    ['no term', { ...good, term: changed(term, 3, 3) }, 'row 3 (query 1, term 3) names none of the 3 terms'],
    ['a negative term', { ...good, term: changed(term, 3, -1) }, 'names none of the 3 terms'],
    [
      'a score above 1',
      { ...good, score: changed(score, 0, 1.5) },
      'has the score 1.5, which is not between 0 and 1',
    ],
    ['no number', { ...good, score: changed(score, 3, Number.NaN) }, 'has the score NaN'],
    [
      'rising scores',
      { ...good, score: changed(score, 1, 1).with(0, 0.9) },
      'has a higher score than the row before',
    ],
    [
      'queries in disorder',
      { ...undonated, query: Int32Array.of(1, 1, 0, 0) },
      'comes after rows of a later query',
    ],
    ['a pair twice', { ...good, term: changed(term, 1, 0) }, 'has a term twice for one query'],
    ['a source far away', { ...good, source: changed(source, 0, 2) }, 'source 2, which is not a neighbour'],
    [
      'a source without the term',
      { ...good, term: changed(term, 2, 0).with(3, 2) },
      'source 2, which does not carry the term',
    ],
    ['a NOT annotation', { ...good, term: changed(term, 2, 1) }, 'source 2, which does not carry the term'],
    [
      'another distance',
      { ...good, distance: changed(distance, 0, 0.75) },
      'has the distance 0.75 for the source 1, which is at 0.5',
    ],
    ['a distance to nobody', { ...good, distance: changed(distance, 3, 1) }, 'has a distance, but no source'],
  ])('is refused with %s', (_, output, fault) => {
    expect(runnerOutputFault(input, output as RunnerOutput)).toContain(fault);
  });

  it('keeps to the aspect that was asked for', () => {
    const one = { ...input, aspect: 1, termAspect: Uint8Array.of(0, 1, 1) };
    expect(runnerOutputFault(one, good)).toContain('row 0 (query 0, term 0) has a term of another aspect');
  });

  it('takes every reference of a near sequence as a source', () => {
    // The references 0 and 2 have one sequence, and 2 stands for both among the neighbours.
    const sequence = Int32Array.of(0, 1, 0);
    const groups = { start: Int32Array.of(0, 2, 3), members: Int32Array.of(0, 2, 1) };
    const far = {
      ...good,
      source: Int32Array.of(1, 1, 2, 0),
      distance: Float32Array.of(0.5, 0.5, 0.25, 0.25),
    };
    expect(runnerOutputFault(input, far)).toContain('source 0, which is not a neighbour');
    expect(runnerOutputFault({ ...input, sharing: { sequence, groups } }, far)).toBeNull();
  });
});
