import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupReferences } from '../knn/index.js';
import { commonTermShare, scoreOfDistance, type TransferInput, transferTerms } from './index.js';

interface Row {
  query: number;
  term: number;
  score: number;
  voteCount: number;
  kPosition: number;
  source: number;
  evidence: number;
  distance: number;
  meanDistance: number;
  distanceStd: number;
  voteFraction: number;
  /** Rows of reference, position, distance and evidence. */
  transfers: [number, number, number, number][];
}

type Sources = Map<number, Row['transfers']>;

/** Adds the terms of all sources behind one neighbour. */
function collect(
  rows: Sources,
  { annotations, sharing, termAspect }: TransferInput,
  neighbour: { named: number; position: number; distance: number; aspect?: number },
): void {
  const { named, position, distance, aspect } = neighbour;
  const sources = sharing
    ? [...sharing.groups.members].filter((r) => sharing.sequence[r] === sharing.sequence[named])
    : [named];
  for (const reference of sources) {
    for (let a = annotations.start[reference]; a < annotations.start[reference + 1]; a++) {
      const term = annotations.term[a];
      if (annotations.negated?.[a]) continue;
      if (aspect !== undefined && termAspect?.[term] !== aspect) continue;
      const evidence = annotations.evidence?.[a] ?? -1;
      const of = rows.get(term) ?? [];
      const same = of.find((row) => row[0] === reference);
      if (same) same[3] = Math.min(same[3], evidence);
      else of.push([reference, position, distance, evidence]);
      rows.set(term, of);
    }
  }
}

/** Counts with a set the references that carry the term. */
function carriers({ start, term, negated }: TransferInput['annotations'], wanted: number): number {
  const of = [...term.keys()].filter((a) => term[a] === wanted && !negated?.[a]);
  return new Set(of.map((a) => start.findIndex((_, r) => start[r] <= a && a < start[r + 1]))).size;
}

/** Returns the sort keys for equal scores, most important first; ascending. */
function tieKey({ term, voteCount }: Row, input: TransferInput): number[] {
  const frequency = input.termFrequency?.[term] ?? carriers(input.annotations, term);
  const isCommon = frequency / (input.annotations.start.length - 1) > commonTermShare;
  const inFirstAspect = input.firstAspect !== undefined && input.termAspect?.[term] === input.firstAspect;
  return [Number(isCommon), -voteCount, -Number(inFirstAspect), -frequency, input.termOrder?.[term] ?? term];
}

function lexical(a: number[], b: number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : a[at] - b[at];
}

/** Transfers terms by the definition, with maps and sorts. */
function plainTransfer(input: TransferInput): Row[] {
  const { k } = input;
  const all: Row[] = [];
  for (let query = 0; query < input.nQuery; query++) {
    const rows: Sources = new Map();
    const distances: number[] = [];
    for (const list of input.lists) {
      for (let p = 0; p < k && list.neighbours[query * k + p] >= 0; p++) {
        const named = list.neighbours[query * k + p];
        const distance = list.distances[query * k + p];
        distances.push(distance);
        collect(rows, input, { named, position: p + 1, distance, aspect: list.aspect });
      }
    }
    const mean = distances.reduce((sum, d) => sum + d, 0) / Math.max(1, distances.length);
    const variance = distances.reduce((sum, d) => sum + (d - mean) ** 2, 0) / Math.max(1, distances.length);
    const ofQuery = [...rows].map(([term, transfers]): Row => {
      const votes = new Map(transfers.map(([, position, distance]) => [position, distance]));
      const voted = [...votes.values()];
      return {
        query,
        term,
        score: scoreOfDistance(transfers[0][2], input.metric),
        voteCount: votes.size,
        voteFraction: votes.size / k,
        kPosition: transfers[0][1],
        source: transfers[0][0],
        evidence: transfers[0][3],
        distance: Math.min(...voted),
        meanDistance: voted.reduce((sum, d) => sum + d, 0) / votes.size,
        distanceStd: Math.sqrt(variance),
        transfers,
      };
    });
    ofQuery.sort((a, b) => b.score - a.score || lexical(tieKey(a, input), tieKey(b, input)));
    all.push(...ofQuery);
  }
  return all;
}

function rowsOf(input: TransferInput): Row[] {
  const { candidates, transfers } = transferTerms(input);
  return Array.from(candidates.query.keys(), (i) => ({
    query: candidates.query[i],
    term: candidates.term[i],
    score: candidates.score[i],
    voteCount: candidates.voteCount[i],
    voteFraction: candidates.voteFraction[i],
    kPosition: candidates.kPosition[i],
    source: candidates.source[i],
    evidence: candidates.evidence[i],
    distance: candidates.distance[i],
    meanDistance: candidates.meanDistance[i],
    distanceStd: candidates.distanceStd[i],
    transfers: Array.from(transfers.candidate.keys())
      .filter((row) => transfers.candidate[row] === i)
      .map((row) => [
        transfers.reference[row],
        transfers.position[row],
        transfers.distance[row],
        transfers.evidence[row],
      ]),
  }));
}

/** Leaves out the two columns whose sums may round differently. */
const exactPart = (row: Row): Row => ({ ...row, distanceStd: 0, meanDistance: 0 });

const terms = 9;
const references = 12;
const annotation = fc.record({
  term: fc.nat(terms - 1),
  evidence: fc.nat(3),
  negated: fc.nat(4).map((n) => (n === 0 ? 1 : 0)),
});
/** The lists have few distinct distances, so that scores are often equal. */
const list = (k: number, aspect?: number) =>
  fc
    .tuple(
      fc.shuffledSubarray([...Array(references).keys()], { maxLength: k }),
      fc.array(fc.nat(4), { minLength: k, maxLength: k }),
    )
    .map(([chosen, steps]) => ({ chosen, distances: steps.map((n) => n / 4).sort((a, b) => a - b), aspect }));

const inputs: fc.Arbitrary<TransferInput> = fc
  .record({
    k: fc.integer({ min: 1, max: 5 }),
    nQuery: fc.integer({ min: 1, max: 4 }),
    aspects: fc.boolean(),
    shared: fc.boolean(),
  })
  .chain(({ k, nQuery, aspects, shared }) =>
    fc
      .record({
        rows: fc.array(fc.array(annotation, { maxLength: 6 }), {
          minLength: references,
          maxLength: references,
        }),
        lists: fc.tuple(
          ...(aspects ? [0, 1, 2] : [undefined]).map((aspect) =>
            fc.array(list(k, aspect), { minLength: nQuery, maxLength: nQuery }),
          ),
        ),
        termAspect: fc.array(fc.nat(2), { minLength: terms, maxLength: terms }),
        termOrder: fc.shuffledSubarray([...Array(terms).keys()], { minLength: terms }),
        termFrequency: fc.option(fc.array(fc.nat(references), { minLength: terms, maxLength: terms })),
        firstAspect: fc.option(fc.nat(2), { nil: undefined }),
        metric: fc.constantFrom<'cosine' | 'l2'>('cosine', 'l2'),
      })
      .map(({ rows, lists, termAspect, termOrder, termFrequency, firstAspect, metric }) => {
        const sequence = Int32Array.from({ length: references }, (_, r) => (shared ? Math.floor(r / 2) : r));
        return {
          nQuery,
          k,
          metric,
          lists: lists.map((ofList) => ({
            aspect: ofList[0].aspect,
            neighbours: Int32Array.from(ofList.flatMap((q) => distinct(q.chosen, sequence, k))),
            distances: Float32Array.from(ofList.flatMap((q) => q.distances)),
          })),
          annotations: {
            start: Int32Array.from(
              rows.reduce((starts, row) => [...starts, starts[starts.length - 1] + row.length], [0]),
            ),
            term: Int32Array.from(rows.flat(), (a) => a.term),
            evidence: Int32Array.from(rows.flat(), (a) => a.evidence),
            negated: Uint8Array.from(rows.flat(), (a) => a.negated),
          },
          termCount: terms,
          termAspect: Uint8Array.from(termAspect),
          termOrder: Int32Array.from(termOrder),
          termFrequency: termFrequency ? Int32Array.from(termFrequency) : undefined,
          firstAspect,
          sharing: shared
            ? { sequence, groups: groupReferences(sequence, Int32Array.from(sequence.keys()).reverse()) }
            : undefined,
        };
      }),
  );

/** Returns one reference for each sequence, padded by -1. */
function distinct(chosen: number[], sequence: Int32Array, k: number): number[] {
  const kept = chosen.filter((r, i) => chosen.findIndex((other) => sequence[other] === sequence[r]) === i);
  return Array.from({ length: k }, (_, i) => kept[i] ?? -1);
}

describe('transferTerms', () => {
  it('equals the plain definition, unified and per aspect, with and without shared sequences', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const expected = plainTransfer(input);
        const found = rowsOf(input);
        expect(found.map(exactPart)).toEqual(expected.map(exactPart));
        found.forEach((row, i) => {
          expect(row.distanceStd).toBeCloseTo(expected[i].distanceStd, 12);
          expect(row.meanDistance).toBeCloseTo(expected[i].meanDistance, 12);
        });
      }),
      { numRuns: 300 },
    );
  });

  const three: TransferInput = {
    nQuery: 1,
    k: 3,
    metric: 'cosine',
    lists: [{ neighbours: Int32Array.of(2, 0, 1), distances: Float32Array.of(0.25, 0.5, 0.5) }],
    annotations: {
      start: Int32Array.of(0, 3, 5, 7),
      term: Int32Array.of(0, 0, 1, 0, 2, 3, 1),
      evidence: Int32Array.of(5, 2, 1, 1, 4, 0, 3),
      negated: Uint8Array.of(0, 0, 0, 0, 0, 1, 0),
    },
    termCount: 4,
  };

  it('counts neighbours, not annotation rows; takes the strongest evidence; never transfers NOT', () => {
    expect(rowsOf(three)).toMatchObject([
      { term: 1, score: 0.875, voteCount: 2, kPosition: 1, source: 2, evidence: 3, meanDistance: 0.375 },
      { term: 0, score: 0.75, voteCount: 2, kPosition: 2, source: 0, evidence: 2, voteFraction: 2 / 3 },
      { term: 2, score: 0.75, voteCount: 1, kPosition: 3, source: 1, evidence: 4 },
    ]);
    expect(rowsOf(three)[0].distanceStd).toBeCloseTo(Math.sqrt(1 / 72), 12);
  });

  it('is 0 in spread where all distances are equal', () => {
    const lists = [{ ...three.lists[0], distances: Float32Array.of(0.1, 0.1, 0.1) }];
    expect(rowsOf({ ...three, lists }).every((row) => row.distanceStd === 0)).toBe(true);
  });

  it('refuses lists that do not ascend or do not fit', () => {
    const run =
      (lists: TransferInput['lists'], more = {}) =>
      () =>
        transferTerms({ ...three, ...more, lists });
    const [list] = three.lists;
    expect(run([{ ...list, distances: Float32Array.of(0.5, 0.25, 0.5) }])).toThrow('must ascend');
    expect(run([list], { k: 2 })).toThrow('need 2 entries');
    expect(run([{ ...list, aspect: 1 }])).toThrow('termAspect is missing');
    expect(run([list, list])).toThrow('aspect of its own');
    expect(run([list], { termOrder: Int32Array.of(1) })).toThrow('must have 4 entries');
    expect(run([list], { firstAspect: 1 })).toThrow('termAspect is missing');
  });

  it('orders equal scores: informative terms, votes, the first aspect, the commoner term, GO id', () => {
    const terms = [
      { aspect: 1, frequency: 300, sources: [0, 1, 2] }, // The term is common: 30 % of the references carry it.
      { aspect: 2, frequency: 100, sources: [0] },
      { aspect: 1, frequency: 2, sources: [0] },
      { aspect: 0, frequency: 3, sources: [0, 1] },
      { aspect: 2, frequency: 200, sources: [0] }, // The term is not common yet at exactly 20 %.
      { aspect: 2, frequency: 100, sources: [0] },
    ];
    const given = [0, 1, 2].map((r) => terms.flatMap((term, i) => (term.sources.includes(r) ? [i] : [])));
    const ends = given.map((_, r) => given.slice(0, r + 1).flat().length);
    const input: TransferInput = {
      ...three,
      lists: [{ neighbours: Int32Array.of(0, 1, 2), distances: Float32Array.of(0.5, 0.5, 0.5) }],
      // There are 1,000 references; all except the first three have no row of their own here.
      annotations: {
        start: Int32Array.from({ length: 1001 }, (_, r) => (r === 0 ? 0 : ends[Math.min(r, 3) - 1])),
        term: Int32Array.from(given.flat()),
      },
      termCount: terms.length,
      termAspect: Uint8Array.from(terms, (term) => term.aspect),
      termFrequency: Int32Array.from(terms, (term) => term.frequency),
      firstAspect: 1,
    };
    expect(rowsOf(input).map((row) => row.term)).toEqual([3, 2, 4, 1, 5, 0]);
    const { firstAspect: _, ...alike } = input;
    expect(rowsOf(alike).map((row) => row.term)).toEqual([3, 4, 1, 5, 2, 0]);
  });

  it('stops when the signal is raised', () => {
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    expect(() => transferTerms({ ...three, signal: stop.signal })).toThrow('enough');
  });
});

describe('scoreOfDistance', () => {
  it('falls with the distance and stays within 0 and 1', () => {
    expect(scoreOfDistance(0, 'cosine')).toBe(1);
    expect(scoreOfDistance(2, 'cosine')).toBe(0);
    expect(scoreOfDistance(0, 'l2')).toBe(1);
    expect(scoreOfDistance(3, 'l2')).toBe(0.25);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2, noNaN: true }),
        fc.double({ min: 0, max: 2, noNaN: true }),
        (a, b) => {
          for (const metric of ['cosine', 'l2'] as const)
            expect(
              Math.sign(scoreOfDistance(a, metric) - scoreOfDistance(b, metric)) * Math.sign(b - a),
            ).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
