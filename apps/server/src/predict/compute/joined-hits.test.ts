import { encodeResidues } from '@kindred/kernels/alignment';
import { alignmentOrigins } from '@kindred/kernels/combined';
import { buildSeedIndex } from '@kindred/kernels/homology';
import { expect, it } from 'vitest';
import { joinHits, type Relative } from './joined-hits.js';

const letters = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKR';
const half = letters.slice(0, 39);
const stranger = 'GGGGSGGGGSGGGGSGGGGSGGGGS';
const index = buildSeedIndex([letters, half, stranger, letters.slice(3)].map((text) => encodeResidues(text)));
const [search, hit, both] = alignmentOrigins.keys();

const found = (sequence: number, logEValue: number): Relative => ({
  sequence,
  logEValue,
  identity: 0.5,
  share: 0.5,
  origin: search,
});
const of = (sequence: number, logEValue: number) => ({ sequence, logEValue, identity: 0.25 });
const joined = (own: Relative[], hits: ReturnType<typeof of>[], excluded = -1, k = 50) =>
  joinHits([{ residues: letters, found: own, hits, excluded }], { index, k, isAborted: () => false })[0];

it('has the better E-value of each sequence, in order, with where it is from', () => {
  const own = [found(1, -20), found(3, -10)];
  expect(joined(own, [of(3, -30), of(1, -5), of(2, -15)])).toEqual([
    { sequence: 3, logEValue: -30, identity: 0.25, share: expect.closeTo(0.96, 1), origin: both },
    found(1, -20),
    { sequence: 2, logEValue: -15, identity: 0.25, share: expect.closeTo(0, 1), origin: hit },
  ]);
});

it('scores a hit by our own alignment of the pair', () => {
  const [whole, part] = joined([], [of(0, -90), of(1, -40)]);
  expect(whole.share).toBe(1);
  expect(part.share).toBeGreaterThan(0.4);
  expect(part.share).toBeLessThan(0.6);
});

it('leaves out the query itself, and all after the best k', () => {
  expect(
    joined([found(1, -20)], [of(0, -90), of(3, -1), of(2, -2)], 0, 2).map((one) => one.sequence),
  ).toEqual([1, 2]);
});

it('changes nothing where the own search found all of it as well', () => {
  const own = [found(1, -20), found(3, -10)];
  expect(joined(own, [of(1, -20), of(3, -9)])).toEqual(own);
});
