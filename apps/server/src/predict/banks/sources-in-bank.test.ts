import { describe, expect, it } from 'vitest';
import type { StoredSources } from '../../store/predictions/stored-sources.js';
import { sourcesInBank } from './sources-in-bank.js';

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

describe('the sources of a query', () => {
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
