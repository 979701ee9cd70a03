import type { AnswerLine } from '@kindred/kernels/answer';
import { expect, it } from 'vitest';
import { ProbabilityNotes, uncalibratedText } from './probability-notes.js';

const line = (protein: string, aspect: string, probability: number | null, kind = 'predicted') =>
  ({ protein, aspect, probability, kind }) as AnswerLine;

async function notesOf(...lines: AnswerLine[]): Promise<ProbabilityNotes> {
  const proteins = new ProbabilityNotes();
  const seen: AnswerLine[] = [];
  for await (const one of proteins.counted(
    (async function* () {
      yield* lines;
    })(),
  ))
    seen.push(one);
  expect(seen).toEqual(lines);
  return proteins;
}

it('counts proteins with predicted processes and functions, none of which has a probability', async () => {
  expect(
    await notesOf(line('A', 'P', null), line('A', 'C', null), line('B', 'F', 0.5), line('B', 'P', null)),
  ).toMatchObject({ uncalibrated: 1, areHeld: false });
  expect(await notesOf(line('A', 'C', null), line('B', 'F', null, 'known'))).toMatchObject({
    uncalibrated: 0,
  });
  expect(await notesOf(line('A', 'F', null), line('B', 'F', null))).toMatchObject({ uncalibrated: 2 });
});

it('notes that probabilities are rates of what databases hold', async () => {
  const held = { ...line('A', 'F', 0.9), probability_meaning: 'held by the databases' } as const;
  expect(await notesOf(line('B', 'F', null), held)).toMatchObject({ areHeld: true });
});

it('says what would help', () => {
  expect(uncalibratedText(2)).toMatch(
    /^2 proteins have no probabilities.*--organism.*load_taxonomy.*kingdom.*--hits.*\.\n$/,
  );
});
