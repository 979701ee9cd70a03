import { describe, expect, it } from 'vitest';
import { decodeSources, encodeSources, type StoredSources } from './stored-sources.js';

const single = Math.fround;
const sources: StoredSources = {
  aligned: [
    {
      accession: 'P12345',
      logEValue: single(-180.25),
      identity: single(0.913),
      share: single(0.7),
      origin: 0,
    },
    { accession: 'A0A000-2', logEValue: single(1.99), identity: single(0.1), share: 0, origin: 0 },
  ],
  near: [{ accession: 'é1', distance: single(0.0123) }],
};

describe('stored sources', () => {
  it.each([
    ['both kinds', sources],
    ['none', { aligned: [], near: [] }],
  ] as const)('come back as they were: %s', (_, given) => {
    expect(decodeSources(encodeSources(given as StoredSources))).toEqual(given);
  });

  it('are refused where the bytes are damaged', () => {
    const bytes = encodeSources(sources);
    const broken = [bytes.subarray(0, 5), bytes.subarray(0, 20), Uint8Array.from(bytes).fill(9, 0, 1)];
    for (const one of broken) expect(() => decodeSources(one)).toThrow('damaged');
  });
});
