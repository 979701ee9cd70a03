import type { AnswerLine } from '@kindred/kernels/answer';
import { expect, it } from 'vitest';
import { UncalibratedProteins, uncalibratedText } from './uncalibrated.js';

const line = (protein: string, aspect: string, probability: number | null, kind = 'predicted') =>
  ({ protein, aspect, probability, kind }) as AnswerLine;

async function countOf(...lines: AnswerLine[]): Promise<number> {
  const proteins = new UncalibratedProteins();
  const seen: AnswerLine[] = [];
  for await (const one of proteins.counted(
    (async function* () {
      yield* lines;
    })(),
  ))
    seen.push(one);
  expect(seen).toEqual(lines);
  return proteins.count;
}

it('counts proteins with predicted processes and functions, none of which has a probability', async () => {
  expect(
    await countOf(line('A', 'P', null), line('A', 'C', null), line('B', 'F', 0.5), line('B', 'P', null)),
  ).toBe(1);
  expect(await countOf(line('A', 'C', null), line('B', 'F', null, 'known'))).toBe(0);
  expect(await countOf(line('A', 'F', null), line('B', 'F', null))).toBe(2);
});

it('says what would help', () => {
  expect(uncalibratedText(2)).toMatch(
    /^2 proteins have no probabilities.*--organism.*load_taxonomy.*kingdom\.\n$/,
  );
});
