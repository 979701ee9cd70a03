import {
  type RelativeOptions,
  type RelativeSearch,
  relativesBySeeds,
  type RelativeTable,
} from './relatives.js';

export interface StagedOptions extends Omit<RelativeOptions, 'minimumSeed'> {
  /**
   * The minimum score of words in a first search of every query. The whole search follows only where the first one leaves the answer
   * open. Null means that there is no first search. @default 25 for an index of 2^25 places and more (where the whole search has 21),
   * otherwise null
   */
  firstSeed?: number | null;
}

/** The number of places from which on two searches cost less than the whole search of every query. */
const stagedFrom = 2 ** 25;
const largeFirstSeed = 25;
/**
 * The minimum score of words of the whole search in such an index. Among so many sequences an E-value requires a higher score, whose
 * words score more, too: of blastp's best 50 hits for 31 proteins among those of Swiss-Prot 2014, the search finds 93.2 % (93.4 % from
 * 20, DIAMOND's very sensitive mode 91.9 %), and takes two thirds of the time.
 */
const largeWholeSeed = 21;

/**
 * The decimal logarithm of the E-value up to which relatives are found from the highest words already. Of 90 proteins against the 435,059
 * distinct sequences of Swiss-Prot 2014, 48 had 50 such close relatives after the first search. Of the 4,499 relatives of the whole
 * search 10 were missed, as many as with a first search from 23 or 24.
 */
const settledLogEValue = -20;

/**
 * Finds the best relatives of each query, as `relativesBySeeds` does. Among many sequences, most queries have the maximum number of close
 * relatives: words of high scores find these in a tenth of the time, and only the other queries need the whole search. The answer for a
 * query does not depend on the other queries.
 *
 * @throws RangeError for a code that is not a letter; AbortError
 * @cite Steinegger2017
 */
export function findRelatives(
  search: RelativeSearch,
  queries: readonly Uint8Array[],
  { firstSeed, ...options }: StagedOptions,
): RelativeTable {
  const { first, minimumSeed } =
    firstSeed === undefined ? defaultStages(search) : { first: firstSeed, minimumSeed: undefined };
  if (first === null || queries.length === 0) return relativesBySeeds(search, queries, options);
  const quick = relativesBySeeds(search, queries, { ...options, minimumSeed: first });
  const quickRows = rowsByQuery(quick, queries.length);
  const open = [...queries.keys()].filter((query) => !isSettled(quick, quickRows[query], options));
  const { excluded } = options;
  const whole = relativesBySeeds(
    search,
    open.map((query) => queries[query]),
    {
      ...options,
      minimumSeed,
      ...(excluded === undefined ? {} : { excluded: Int32Array.from(open, (query) => excluded[query]) }),
    },
  );
  const wholeRows = rowsByQuery(whole, open.length);
  const found = quickRows.map((rows): FoundRows => ({ table: quick, ...rows }));
  open.forEach((query, i) => {
    found[query] = { table: whole, ...wholeRows[i] };
  });
  return joined(found);
}

/** Returns the minimum scores of words of the first search, and of the whole one where it is not the default. */
function defaultStages({ index }: RelativeSearch): { first: number | null; minimumSeed?: number } {
  if (index.places.length < stagedFrom) return { first: null };
  return { first: largeFirstSeed, minimumSeed: largeWholeSeed };
}

/** The rows [from, to) of a table. */
interface Rows {
  from: number;
  to: number;
}
interface FoundRows extends Rows {
  table: RelativeTable;
}

/** Says whether a query needs no further search. The rows are by falling score, so the last relative is the most distant one. */
function isSettled(
  { logEValue }: RelativeTable,
  { from, to }: Rows,
  { maxTargets }: Pick<RelativeOptions, 'maxTargets'>,
): boolean {
  return to - from >= maxTargets && logEValue[to - 1] <= settledLogEValue;
}

function rowsByQuery({ query }: RelativeTable, count: number): Rows[] {
  const rows: Rows[] = [];
  for (let q = 0, from = 0; q < count; q++) {
    let to = from;
    while (to < query.length && query[to] === q) to++;
    rows.push({ from, to });
    from = to;
  }
  return rows;
}

/** Joins the rows of each query, in the order of the queries. */
function joined(found: readonly FoundRows[]): RelativeTable {
  const integers = (name: 'sequence' | 'score'): Int32Array =>
    Int32Array.from(found.flatMap(({ table, from, to }) => [...table[name].subarray(from, to)]));
  const numbers = (name: Exclude<keyof RelativeTable, 'query' | 'sequence' | 'score'>): Float32Array =>
    Float32Array.from(found.flatMap(({ table, from, to }) => [...table[name].subarray(from, to)]));
  return {
    query: Int32Array.from(
      found.flatMap(({ from, to }, query) => Array.from({ length: to - from }, () => query)),
    ),
    sequence: integers('sequence'),
    score: integers('score'),
    bits: numbers('bits'),
    logEValue: numbers('logEValue'),
    identity: numbers('identity'),
    normalisedScore: numbers('normalisedScore'),
    queryCoverage: numbers('queryCoverage'),
    sequenceCoverage: numbers('sequenceCoverage'),
  };
}
