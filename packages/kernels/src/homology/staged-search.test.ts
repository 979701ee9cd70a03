import { describe, expect, it } from 'vitest';
import { encodeResidues } from '../alignment/index.js';
import { Random } from '../arrays/index.js';
import { buildSeedIndex, type CandidateFinder, createPlainCandidateFinder, findRelatives } from './index.js';
import { relativesBySeeds } from './relatives.js';

const letters = 'ACDEFGHIKLMNPQRSTVWY';
const random = new Random(3);
const drawn = (length: number) =>
  Array.from({ length }, () => letters[random.integer(letters.length)]).join('');
/** Draws this share of the letters of a text again. */
const changed = (text: string, share: number) =>
  [...text]
    .map((letter) => (random.integer(1000) < 1000 * share ? letters[random.integer(letters.length)] : letter))
    .join('');

/** The proteins are a family of close relatives, one of distant ones, one with a close relative and distant ones, and strangers. */
const close = drawn(150);
const distant = drawn(150);
const mixed = drawn(150);
const texts = [
  ...Array.from({ length: 6 }, () => changed(close, 0.1)),
  ...[0.5, 0.55, 0.6, 0.62, 0.64].map((share) => changed(distant, share)),
  changed(mixed, 0.05),
  ...[0.7, 0.72, 0.74, 0.76, 0.78].map((share) => changed(mixed, share)),
  ...Array.from({ length: 5 }, () => drawn(120)),
];
const targets = texts.map(encodeResidues);
const index = buildSeedIndex(targets);
const search = { index, finder: createPlainCandidateFinder(index) };
const queries = [changed(close, 0.1), 'MKT', distant, mixed, '', drawn(120), close].map(encodeResidues);
const usual = { maxTargets: 4, maxLogEValue: 1 };

type Answer = { sequence: number; logEValue: number; identity: number }[];

function answersOf(table: ReturnType<typeof findRelatives>, count = queries.length): Answer[] {
  const answers = Array.from({ length: count }, (): Answer => []);
  table.query.forEach((query, row) => {
    answers[query].push({
      sequence: table.sequence[row],
      logEValue: table.logEValue[row],
      identity: table.identity[row],
    });
  });
  return answers;
}

const firstSeed = 31;

/**
 * Searches each query alone: the first search counts where it gives the maximum number of relatives, all of them close; otherwise the
 * whole search counts.
 */
function expected(): { answer: Answer; isFirst: boolean }[] {
  return queries.map((query) => {
    const [first] = answersOf(relativesBySeeds(search, [query], { ...usual, minimumSeed: firstSeed }), 1);
    const isFirst = first.length === usual.maxTargets && first.every(({ logEValue }) => logEValue <= -20);
    return {
      isFirst,
      answer: isFirst ? first : answersOf(relativesBySeeds(search, [query], usual), 1)[0],
    };
  });
}

describe('a search in two stages', () => {
  it('gives each query the answer of the stage that settles it, in the order of the queries', () => {
    const found = findRelatives(search, queries, { ...usual, firstSeed });
    const alone = expected();
    expect(new Set(alone.map(({ isFirst }) => isFirst))).toEqual(new Set([true, false]));
    expect([...found.query]).toEqual([...found.query].sort((a, b) => a - b));
    expect(answersOf(found)).toEqual(alone.map(({ answer }) => answer));
  });

  it('finds what the whole search finds, though the first search misses distant relatives', () => {
    const whole = findRelatives(search, queries, usual);
    expect(findRelatives(search, queries, { ...usual, firstSeed })).toEqual(whole);
    const first = relativesBySeeds(search, queries, { ...usual, minimumSeed: firstSeed });
    expect(first.query.length).toBeLessThan(whole.query.length);
  });

  it('leaves out what each query may not find, in both stages', () => {
    const excluded = Int32Array.from(queries.keys(), (query) => (query === 3 ? 11 : query === 6 ? 0 : -1));
    const found = findRelatives(search, queries, { ...usual, firstSeed, excluded });
    expect(found).toEqual(findRelatives(search, queries, { ...usual, excluded }));
    expect(answersOf(found)[3].map(({ sequence }) => sequence)).not.toContain(11);
    expect(answersOf(found)[6].map(({ sequence }) => sequence)).not.toContain(0);
  });

  /** Makes a search that notes the minimum score of words of each call. */
  function noting(asked: (number | undefined)[]): CandidateFinder {
    return {
      find: (some, options) => {
        asked.push(options.minimumSeed);
        return search.finder.find(some, options);
      },
    };
  }

  it('is the whole search alone for a small index', () => {
    const asked: (number | undefined)[] = [];
    const finder = noting(asked);
    findRelatives({ index, finder }, queries, usual);
    findRelatives({ index, finder }, queries, { ...usual, firstSeed: null });
    expect(asked).toEqual([undefined, undefined]);
    expect(findRelatives(search, [], { ...usual, firstSeed }).query).toHaveLength(0);
  });

  it('starts from higher words in a large index, and from those of the default where a first search is asked for', () => {
    const asked: (number | undefined)[] = [];
    const large = { index: { ...index, places: { length: 2 ** 25 } as Int32Array }, finder: noting(asked) };
    findRelatives(large, queries, usual);
    findRelatives(large, queries, { ...usual, firstSeed });
    expect(asked).toEqual([25, 21, firstSeed, undefined]);
  });
});
