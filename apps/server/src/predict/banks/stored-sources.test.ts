import { describe, expect, it } from 'vitest';
import { decodeSources, sourcesInBank, encodeSources, type StoredSources } from './stored-sources.js';

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

const withHits: StoredSources = {
  ...sources,
  aligned: sources.aligned.map((one, origin) => ({ ...one, origin: origin + 1 })),
};

describe('stored sources', () => {
  it.each([
    ['both kinds', sources],
    ['hits of another program', withHits],
    ['none', { aligned: [], near: [] }],
  ] as const)('come back as they were: %s', (_, given) => {
    expect(decodeSources(encodeSources(given as StoredSources))).toEqual(given);
  });

  it('have the bytes of before where the own search found all', () => {
    expect(encodeSources(sources)[0]).toBe(1);
    expect(encodeSources(withHits)[0]).toBe(2);
  });

  it('are refused where the bytes are damaged', () => {
    const bytes = encodeSources(sources);
    const broken = [bytes.subarray(0, 5), bytes.subarray(0, 20), Uint8Array.from(bytes).fill(9, 0, 1)];
    for (const one of broken) expect(() => decodeSources(one)).toThrow('damaged');
  });

  it('are numbered as in the bank, or not at all where one has gone', () => {
    expect(sourcesInBank(sources, ['A0A000-2', 'P12345', 'é1'])).toEqual({
      aligned: {
        reference: Int32Array.of(1, 0),
        logEValue: Float64Array.of(single(-180.25), single(1.99)),
        identity: Float64Array.of(single(0.913), single(0.1)),
        share: Float64Array.of(single(0.7), 0),
        origin: Uint8Array.of(0, 0),
      },
      near: { reference: Int32Array.of(2), distance: Float64Array.of(single(0.0123)) },
    });
    expect(sourcesInBank(sources, ['A0A000-2', 'P12345'])).toBeNull();
  });
});
