import { expect, it } from 'vitest';
import { rateWords } from './rate-words.js';

it('says rates in words', () => {
  expect(rateWords('10/minute')).toBe('10 a minute');
  expect(rateWords('10 / minute; 100/hour')).toBe('10 a minute, 100 an hour');
});
