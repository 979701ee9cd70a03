import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SequenceCurves } from '@kindred/kernels/combined';
import { repositoryRoot } from '@kindred/testkit';
import { expect, it } from 'vitest';
import { sequenceOnlyCount, sequenceOnlySentence, sequenceOnlyTest } from './sequence-only.js';

it('says the measured shares of the curves that the product reads', () => {
  const file = join(repositoryRoot(), 'models/network/orphan-curves.json');
  const { aspects } = JSON.parse(readFileSync(file, 'utf8')) as SequenceCurves;
  const measured = Object.entries(aspects).map(([aspect, { test }]) => [
    aspect,
    Object.fromEntries(Object.entries(test).map(([word, { said, right }]) => [word, { said, right }])),
  ]);
  expect(sequenceOnlyTest).toEqual(Object.fromEntries(measured));
  expect(sequenceOnlySentence).toMatch(/processes likely \d+ %, possible \d+ %.*; components strong \d+ %/);
});

it('counts the proteins without a similar one, answered or not', () => {
  expect(sequenceOnlyCount({ sequence_only: 1, no_answer: { no_similar_protein: 2, too_short: 4 } })).toMatch(
    /^3 proteins have no similar one in the reference; 1 of them has terms from the sequence alone/,
  );
  expect(sequenceOnlyCount({ sequence_only: 1, no_answer: {} })).toMatch(/^1 protein has no similar one/);
  expect(sequenceOnlyCount({ sequence_only: 0, no_answer: { no_similar_protein: 2 } })).toBeNull();
  expect(sequenceOnlyCount(null)).toBeNull();
});
