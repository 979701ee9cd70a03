import { expect, it } from 'vitest';
import { testSentences, testText } from './reference-words.js';

const rate = { proteins: 812, calls: 9000, said: 0.9 };
const words = [
  { ...rate, meaning: 'shown by experiment', word: 'strong', right: 0.624, low: 0.6, high: 0.649 },
  { ...rate, meaning: 'held by the databases', word: 'strong', right: 0.961, low: 0.95, high: 0.97 },
  {
    ...rate,
    meaning: 'held by the databases',
    word: 'weak',
    proteins: 12,
    right: null,
    low: null,
    high: null,
  },
] as const;

it('says how often each word was right in each sense, and where there are too few proteins', () => {
  expect(testSentences({ words: [...words] })).toEqual([
    'shown by experiment: strong 62 % (60 to 65, n = 812)',
    'held by the databases: strong 96 % (95 to 97, n = 812), weak too few (n = 12)',
  ]);
});

it('says nothing without a test', () => {
  const measured = {
    method: 'combined',
    model_name: 'kmer-1024',
    held_out: 1400,
    aspects: [],
    why_not: null,
  };
  expect(testText({ ...measured, answered: 1311, words: [...words] })).toMatch(
    /^1,400 of its own proteins were asked without their own annotations, and 1,311 answered\. .* weak too few \(n = 12\)\.$/,
  );
  expect(testText({ ...measured, answered: null, words: [] })).toBeNull();
  expect(testText(null)).toBeNull();
});
