import { expect, it } from 'vitest';
import { alignedPlaces } from './aligned-places.js';

const domain = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ';

it('finds where each source covers the query, counted from 1', () => {
  const query = `PPPPP${domain}GGGGG`;
  const [whole, part, none] = alignedPlaces({ query, sources: [query, `WW${domain}`, ''] });
  expect(whole).toMatchObject({ queryStart: 1, queryEnd: 43, sourceStart: 1, sourceEnd: 43, identity: 1 });
  expect(part).toMatchObject({ queryStart: 6, queryEnd: 38, sourceStart: 3, sourceEnd: 35, identity: 1 });
  expect(none).toBeNull();
  expect(whole?.bits).toBeGreaterThan(part?.bits ?? 0);
});

it('counts a gap as a column that is not identical', () => {
  const [gapped] = alignedPlaces({ query: domain + domain, sources: [`${domain}AAA${domain}`] });
  expect(gapped?.identity).toBeCloseTo((2 * domain.length) / (2 * domain.length + 3), 10);
  // The bits are those of the published BLAST statistics: (0.267 S - ln 0.041) / ln 2.
  const [short] = alignedPlaces({ query: 'WWWW', sources: ['WWWW'] });
  expect(short?.bits).toBeCloseTo((0.267 * 44 - Math.log(0.041)) / Math.LN2, 10);
});
