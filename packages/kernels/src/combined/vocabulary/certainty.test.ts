import { describe, expect, it } from 'vitest';
import { answerEnd, certaintyOf, isInAnswer, roundedProbability } from './index.js';

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

describe('a probability in whole percent', () => {
  it.each([
    [0.246, 0.24],
    [0.25, 0.25],
    [0.4951, 0.49],
    [0.5, 0.5],
    [0.7999, 0.79],
    [0.286, 0.29],
    [0.996, 1],
    [0.004, 0],
  ])('%s: %s', (probability, rounded) => {
    expect(roundedProbability(probability)).toBe(rounded);
  });

  it('never contradicts its word, and never falls as the probability rises', () => {
    let before = 0;
    for (let i = 0; i <= 10_000; i++) {
      const probability = Math.fround(i / 10_000);
      const rounded = roundedProbability(probability);
      expect(certaintyOf(rounded), String(probability)).toBe(certaintyOf(probability));
      expect(rounded).toBeGreaterThanOrEqual(before);
      expect(Math.abs(rounded - probability)).toBeLessThan(0.01);
      before = rounded;
    }
  });
});

it('an answer ends at a probability, or at a score where there is none', () => {
  expect(isInAnswer({ probability: answerEnd.probability, score: 0 })).toBe(true);
  expect(isInAnswer({ probability: answerEnd.probability - 0.001, score: 1 })).toBe(false);
  expect(isInAnswer({ probability: null, score: answerEnd.score })).toBe(true);
  expect(isInAnswer({ probability: null, score: answerEnd.score - 0.001 })).toBe(false);
});
