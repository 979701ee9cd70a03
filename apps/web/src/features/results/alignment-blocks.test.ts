import { expect, it } from 'vitest';
import { alignmentBlocks, spansOf } from './alignment-blocks.js';

const pair = {
  score: 1,
  query: `${'A'.repeat(58)}-CDE`,
  source: `${'A'.repeat(57)}GGC-E`,
  query_start: 5,
  query_end: 65,
  source_start: 1,
  source_end: 61,
};

it('cuts an alignment into blocks that count residues, not gaps', () => {
  const [first, second] = alignmentBlocks(pair);
  expect(first).toMatchObject({ queryStart: 5, queryEnd: 63, sourceStart: 1, sourceEnd: 60 });
  expect(first?.marks).toBe(`${'|'.repeat(57)}  |`);
  expect(second).toEqual({
    query: 'DE',
    source: '-E',
    marks: ' |',
    queryStart: 64,
    queryEnd: 65,
    sourceStart: 61,
    sourceEnd: 61,
  });
});

it('knows how long both proteins are from the share that is aligned', () => {
  expect(spansOf(pair, { query_coverage: 61 / 70, source_coverage: 1 })).toEqual({
    query: { start: 5, end: 65, length: 70 },
    source: { start: 1, end: 61, length: 61 },
  });
  expect(spansOf(pair, undefined).query.length).toBe(65);
});
