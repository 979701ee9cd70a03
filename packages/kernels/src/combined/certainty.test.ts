import { describe, expect, it } from 'vitest';
import { answerEnd, certaintyOf, isInAnswer } from './index.js';

describe('the word for a probability', () => {
  it.each([
    [1, 'strong'],
    [0.8, 'strong'],
    [0.799, 'likely'],
    [0.5, 'likely'],
    [0.499, 'possible'],
    [0.25, 'possible'],
    [0.249, 'weak'],
    [0, 'weak'],
    [null, null],
  ])('%s: %s', (probability, word) => {
    expect(certaintyOf(probability)).toBe(word);
  });
});

it('an answer ends at a probability, or at a score where there is none', () => {
  expect(isInAnswer({ probability: answerEnd.probability, score: 0 })).toBe(true);
  expect(isInAnswer({ probability: answerEnd.probability - 0.001, score: 1 })).toBe(false);
  expect(isInAnswer({ probability: null, score: answerEnd.score })).toBe(true);
  expect(isInAnswer({ probability: null, score: answerEnd.score - 0.001 })).toBe(false);
});
