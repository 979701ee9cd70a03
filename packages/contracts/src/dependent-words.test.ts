import { expect, it } from 'vitest';
import { dependentSentence } from './dependent-words.js';

it.each([
  [{ count: 1, words: 'pack' }, '1 pack'],
  [{ count: 10_000, words: 'predictions', more: true }, 'more than 10,000 predictions'],
  [{ count: 2, words: 'runs', names: ['one', 'two'] }, '2 runs: “one”, “two”'],
  [{ count: 2, words: 'runs', names: ['one'] }, '2 runs: “one” and 1 other'],
  [{ count: 1200, words: 'runs', names: ['one'] }, '1,200 runs: “one” and 1,199 others'],
  [{ count: 10_000, words: 'runs', names: ['one'], more: true }, 'more than 10,000 runs: “one” and more'],
])('says %o in words', (rows, sentence) => {
  expect(dependentSentence({ more: false, names: [], ...rows })).toBe(sentence);
});
