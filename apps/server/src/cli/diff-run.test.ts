import { expect, it } from 'vitest';
import type { AnswerLine } from '@kindred/kernels/answer';
import { bestAnswerChanges, changesBetween, type PredictedTerms } from './diff-run.js';

const answer = (rows: Record<string, [score: number, source: string]>): PredictedTerms =>
  new Map(
    Object.entries(rows).map(([key, [score, source]]) => {
      const [protein, go_id] = key.split(' ');
      const line = { protein, go_id, go_name: `name of ${go_id}`, aspect: 'P', score, source_id: source };
      return [`${protein}\t${go_id}`, line as AnswerLine];
    }),
  );
const before = answer({
  'P2 GO:1': [0.9, 'A'],
  'P1 GO:1': [0.8, 'A'],
  'P1 GO:2': [0.5, 'A'],
  'P1 GO:3': [0.4, 'B'],
});
const after = answer({
  'P2 GO:1': [0.9, 'C'],
  'P1 GO:1': [0.84, 'A'],
  'P1 GO:3': [0.2, 'D'],
  'P1 GO:4': [0.3, 'D'],
  'P1 GO:5': [0.6, 'D'],
});
const short = (minChange: number) =>
  changesBetween(before, after, minChange).map(
    ({ protein, change, go_id, score_before, score_after, source_after }) =>
      [protein, change, go_id, score_before, score_after, source_after].join(' '),
  );

it('lists gained, lost and changed terms by protein, the highest scores first', () => {
  const rest = ['P1 lost GO:2 0.5  ', 'P1 changed GO:3 0.4 0.2 D'];
  const gained = ['P1 gained GO:5  0.6 D', 'P1 gained GO:4  0.3 D'];
  expect(short(0.05)).toEqual([...gained, ...rest]);
  expect(short(0)).toEqual([...gained, rest[0], 'P1 changed GO:1 0.8 0.84 A', rest[1]]);
});

it('finds the proteins whose best answer is another term, with and without one', () => {
  const best = (from: PredictedTerms, to: PredictedTerms) =>
    bestAnswerChanges(from, to).map(({ protein, aspect, before: old, after: fresh }) =>
      [protein, aspect, old?.go_id ?? '-', fresh?.go_id ?? '-'].join(' '),
    );
  expect(best(before, after)).toEqual([]);
  const other = answer({ 'P1 GO:1': [0.5, 'A'], 'P1 GO:5': [0.6, 'D'], 'P3 GO:9': [0.3, 'E'] });
  expect(best(before, other)).toEqual(['P1 P GO:1 GO:5', 'P2 P GO:1 -', 'P3 P - GO:9']);
  // A tie has one answer, in whichever order the terms come.
  const tie = [answer({ 'P1 GO:2': [0.5, 'A'], 'P1 GO:1': [0.5, 'A'] }), answer({ 'P1 GO:1': [0.5, 'A'] })];
  expect(best(tie[0], tie[1])).toEqual([]);
});
