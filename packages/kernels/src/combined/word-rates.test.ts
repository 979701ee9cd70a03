import { expect, it } from 'vitest';
import { Random } from '../arrays/index.js';
import { type ShownCall, wordRates } from './word-rates.js';

const [shown, held] = ['shown by experiment', 'held by the databases'] as const;

it('counts by word and sense, and leaves out calls of aspects that the protein says nothing of', () => {
  const calls = Array.from({ length: 200 }, (_, protein): ShownCall[] => [
    { protein, probability: 0.9, isRight: { [shown]: protein % 2 === 0, [held]: true } },
    { protein, probability: 0.3, isRight: { [shown]: null, [held]: protein % 4 === 0 } },
    { protein, probability: null, isRight: { [shown]: null, [held]: false } },
  ]).flat();
  const rates = wordRates(calls);
  expect(
    rates.map(({ meaning, word, proteins, calls: n, right }) => [meaning, word, proteins, n, right]),
  ).toEqual([
    [shown, 'strong', 200, 200, 0.5],
    [held, 'strong', 200, 200, 1],
    [held, 'possible', 200, 200, 0.25],
    [held, 'not calibrated', 200, 200, 0],
  ]);
  expect(rates[0].said).toBeCloseTo(0.9, 12);
  expect(rates[3].said).toBeNull();
  // The bounds of a share of a half among 200 proteins are about 1.96 * sqrt(0.25 / 200) away.
  expect(0.5 - (rates[0].low as number)).toBeCloseTo(0.069, 1);
  expect((rates[0].high as number) - 0.5).toBeCloseTo(0.069, 1);
});

it('gives a count instead of a share where fewer than 100 proteins have such a call', () => {
  const one = (protein: number): ShownCall => ({
    protein,
    probability: 0.6,
    isRight: { [shown]: true, [held]: true },
  });
  // Ten calls each do not make up for proteins, since those of one protein go together.
  const few = wordRates(Array.from({ length: 990 }, (_, call) => one(call % 99)));
  expect(few[0]).toMatchObject({
    word: 'likely',
    proteins: 99,
    calls: 990,
    right: null,
    low: null,
    high: null,
  });
  const enough = wordRates(Array.from({ length: 100 }, (_, call) => one(call)));
  expect(enough[0]).toMatchObject({ proteins: 100, right: 1 });
  expect(wordRates([])).toEqual([]);
});

it('has a wider interval where the calls of a protein are right or wrong together', () => {
  const random = new Random(3);
  const coins = Array.from({ length: 300 }, () => random.integer(2) === 1);
  const width = (isRight: (protein: number) => boolean): number => {
    const calls = Array.from({ length: 3000 }, (_, call): ShownCall => {
      const right = isRight(call % 300);
      return { protein: call % 300, probability: 0.9, isRight: { [shown]: right, [held]: null } };
    });
    const [{ low, high }] = wordRates(calls);
    return (high as number) - (low as number);
  };
  expect(width((protein) => coins[protein]) / width(() => random.integer(2) === 1)).toBeGreaterThan(2);
});
