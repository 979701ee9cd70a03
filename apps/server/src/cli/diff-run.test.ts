import { expect, it } from 'vitest';
import type { AnswerLine } from '@kindred/kernels/answer';
import { type AnsweredTerms, answeredTerms, bestAnswerChanges, changesBetween } from './diff-run.js';

const answer = (rows: Record<string, [score: number, source: string]>): AnsweredTerms =>
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
  const best = (from: AnsweredTerms, to: AnsweredTerms) =>
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

/** Makes the exported table from texts like `P1 GO:1 known`, `P1 GO:1 not` and `P1 GO:2 0.5`. */
async function table(...texts: string[]): Promise<AnsweredTerms> {
  return answeredTerms(
    (async function* () {
      for (const text of texts) {
        const [protein, go_id, value, implied] = text.split(' ');
        const isAnnotated = value === 'known' || value === 'not';
        const line = { protein, go_id, aspect: 'P', kind: isAnnotated ? 'known' : 'predicted' };
        const score = isAnnotated ? null : Number(value);
        yield { ...line, score, is_known: value === 'known' || implied === 'implied' } as AnswerLine;
      }
      yield { protein: 'P9', go_id: null, kind: 'no_answer' } as AnswerLine;
    })(),
  );
}

it('compares what is known too, and says where a prediction became known', async () => {
  const [older, newer] = [
    await table('P1 GO:1 known', 'P1 GO:1 0.9', 'P1 GO:2 0.8', 'P1 GO:3 0.7', 'P1 GO:4 known', 'P1 GO:5 0.3'),
    await table(
      'P1 GO:1 known',
      'P1 GO:2 known',
      'P1 GO:3 0.2 implied',
      'P1 GO:4 0.6',
      'P1 GO:6 known',
      'P1 GO:7 not',
    ),
  ];
  const shown = (from: AnsweredTerms, to: AnsweredTerms) =>
    changesBetween(from, to, 0.05).map(({ change, go_id, kind_before, kind_after }) =>
      [change, go_id, kind_before ?? '-', kind_after ?? '-'].join(' '),
    );
  expect(shown(older, newer)).toEqual([
    'gained GO:6 - known',
    'lost GO:5 predicted -',
    'now_known GO:2 predicted known',
    'now_known GO:3 predicted known',
    'no_longer_known GO:4 known predicted',
  ]);
  expect(shown(older, older)).toEqual([]);
  expect(bestAnswerChanges(older, newer)).toEqual([]);
});

it('does not count a best answer that the other run knows as another one', async () => {
  const best = async (from: string[], to: string[]) =>
    bestAnswerChanges(await table(...from), await table(...to)).map(
      (one) => `${one.before?.go_id ?? '-'} ${one.after?.go_id ?? '-'}`,
    );
  expect(await best(['P1 GO:1 0.9'], ['P1 GO:2 known', 'P1 GO:1 known'])).toEqual([]);
  expect(await best(['P1 GO:2 known', 'P1 GO:1 known'], ['P1 GO:1 known'])).toEqual([]);
  expect(await best(['P1 GO:1 0.9'], ['P1 GO:2 known', 'P1 GO:1 0.9'])).toEqual(['GO:1 GO:2']);
});
