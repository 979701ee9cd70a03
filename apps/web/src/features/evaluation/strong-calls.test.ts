import { expect, it } from 'vitest';
import calibration from '../../../../../models/combined/calibration-test.json';
import { strongCalls } from './strong-calls.js';

const tested = { aspect: 'F', claimed: 100, right: 90, error: 0.01, error_from_10: 0.03 };

it('says how many of the calls were right', () => {
  expect(strongCalls(tested)).toEqual({
    share: '90 of 100',
    sentence: 'Molecular function: 90 of 100 such calls were confirmed by experiments later.',
  });
});

it('says what databases hold, where answers have that rate', () => {
  expect(strongCalls({ ...tested, claimed: 76_330, right: 72_670 }, true)).toEqual({
    share: '95 of 100',
    sentence: 'Molecular function: 72,670 of 76,330 such calls were held by the databases.',
  });
});

it('says that there were none, and why others are not shown', () => {
  expect(strongCalls({ ...tested, claimed: 0, right: 0 })).toEqual({
    share: 'None',
    sentence: 'Molecular function: no call had such a probability.',
  });
  expect(strongCalls({ ...tested, claimed: 1, right: 0 }).sentence).toContain('0 of 1 such call was');
  expect(strongCalls({ ...tested, right: 60 }).sentence).toContain('too few');
  expect(strongCalls({ ...tested, error_from_10: 0.2 }).sentence).toContain('off by too much');
});

it('has words for every row of the shipped test', () => {
  for (const row of calibration)
    expect(Object.values(strongCalls(row)).join(' ')).not.toMatch(/NaN|undefined/);
});
