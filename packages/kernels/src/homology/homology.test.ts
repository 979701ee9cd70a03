import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { alignPlain, blosum62, defaultScoring, encodeResidues } from '../alignment/index.js';
import { Random } from '../arrays/index.js';
import {
  bitScore,
  blastScoring,
  blastStatistics,
  buildWordIndex,
  CandidateSearch,
  defaultStatistics,
  logExpectValue,
  statisticsOf,
} from './index.js';

const residues = fc.string({ unit: fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYX'), maxLength: 60 });
const options = { limit: 1000, minimumScore: 1, wordScore: -100 };
const scoreOf = (a: number, b: number) => blosum62[a * 32 + b];

/** Most that the scores, added one by one, come to before they fall by more than `drop` below it. */
function bestRun(scores: number[], drop: number): number {
  let best = 0;
  let sum = 0;
  for (const score of scores) {
    sum += score;
    best = Math.max(best, sum);
    if (best - sum > drop) break;
  }
  return best;
}

/** Best ungapped segment of each pair around a common word, by extending every one of them. */
function plainScores(
  query: Uint8Array,
  references: Uint8Array[],
  wordLength: number,
  drop: number,
): Map<number, number> {
  const index = buildWordIndex(references, wordLength);
  const found = new Map<number, number>();
  references.forEach((reference, number) => {
    const own = buildWordIndex([query], wordLength);
    const common = [...index.wordStart.keys()].slice(0, -1).flatMap((word) => {
      const here = [...index.place.subarray(index.wordStart[word], index.wordStart[word + 1])].filter(
        (p) => p >= index.sequenceStart[number] && p < index.sequenceStart[number + 1],
      );
      const there = [...own.place.subarray(own.wordStart[word], own.wordStart[word + 1])];
      return there.flatMap((i) => here.map((p) => [i, p - index.sequenceStart[number]]));
    });
    for (const [i, j] of common) {
      const along = (from: number, step: number, count: number) =>
        Array.from({ length: Math.max(0, count) }, (_, n) =>
          scoreOf(query[i + from + step * n], reference[j + from + step * n]),
        );
      const left = bestRun(along(-1, -1, Math.min(i, j)), drop);
      const after = Math.min(query.length - i, reference.length - j) - wordLength;
      const right = bestRun(along(wordLength, 1, after), drop);
      const word = along(0, 1, wordLength).reduce((sum, score) => sum + score, 0);
      const score = left + word + right;
      if (score >= 1) found.set(number, Math.max(found.get(number) ?? 0, score));
    }
  });
  return found;
}

describe('CandidateSearch', () => {
  it('finds every sequence with a common word, with the score of its best segment', () => {
    fc.assert(
      fc.property(
        fc.array(residues, { maxLength: 6 }),
        residues,
        fc.constantFrom(6, 20, 1000),
        (texts, text, drop) => {
          const references = texts.map(encodeResidues);
          const query = encodeResidues(text);
          const search = new CandidateSearch(buildWordIndex(references, 2));
          const expected = [...plainScores(query, references, 2, drop)].sort(
            (a, b) => b[1] - a[1] || a[0] - b[0],
          );
          for (const round of [1, 2]) {
            const { sequence, score } = search.find(query, { ...options, drop });
            expect([round, ...Array.from(sequence, (s, i) => [s, score[i]])]).toEqual([round, ...expected]);
          }
        },
      ),
      // The second word lies behind a fall below 0, so that the first one's segment does not stand for it.
      { numRuns: 300, examples: [[['MFAAAFARW'], 'VWYADAKKW', 1000]] },
    );
  });

  it('keeps the best, at most `limit`, none below the minimum', () => {
    const references = ['MKTAYIAKQR', 'MKTAYIAKQA', 'WWWWWWWW', 'MKTAY'].map(encodeResidues);
    const search = new CandidateSearch(buildWordIndex(references));
    const query = encodeResidues('MKTAYIAKQR');
    expect([...search.find(query, { limit: 10, minimumScore: 10 }).sequence]).toEqual([0, 1, 3]);
    expect([...search.find(query, { limit: 2, minimumScore: 10 }).sequence]).toEqual([0, 1]);
    expect([...search.find(query, { limit: 10, minimumScore: 30 }).sequence]).toEqual([0, 1]);
    expect(() => search.find(query, { limit: 1, minimumScore: 0 })).toThrow('minimum score');
  });

  it('refuses word lengths that it cannot count', () => {
    expect(() => buildWordIndex([], 8)).toThrow('word length 8');
    expect(buildWordIndex([], 3).place).toHaveLength(0);
  });
});

describe('E-values', () => {
  it('know the statistics of the two scorings in use, and of no other', () => {
    expect(statisticsOf(blastScoring)).toBe(blastStatistics);
    expect(statisticsOf(defaultScoring)).toBe(defaultStatistics);
    expect(() => statisticsOf({ ...defaultScoring, gapOpen: 11 })).toThrow('not known');
  });

  it.each([
    ['BLAST', blastScoring, blastStatistics],
    ['the service', defaultScoring, defaultStatistics],
  ])('expect as many chance hits as there are, with the scoring of %s', (_name, scoring, statistics) => {
    const random = new Random(7);
    // Background of BLOSUM62, in thousandths.
    const letters = 'ARNDCQEGHILKMFPSTWYV';
    const weights = [78, 51, 41, 52, 24, 34, 59, 83, 25, 62, 92, 56, 24, 43, 43, 59, 55, 14, 34, 71];
    const bag = [...letters].flatMap((letter, i) => Array.from({ length: weights[i] }, () => letter));
    const draw = (length: number) =>
      encodeResidues(Array.from({ length }, () => bag[random.integer(bag.length)]).join(''));
    const length = 200;
    const references = Array.from({ length: 30 }, () => draw(length));
    const space = { residues: 30 * length, sequences: 30 };
    let hits = 0;
    const queries = 20;
    for (let q = 0; q < queries; q++) {
      const query = draw(length);
      for (const reference of references) {
        const { score } = alignPlain(query, reference, 'local', scoring);
        if (logExpectValue(score, length, space, statistics) <= 0.5) hits++;
      }
    }
    const expected = queries * 10 ** 0.5;
    // 63 expected by the statistics; chance and the shortness of the sequences leave a factor of two.
    expect(hits).toBeGreaterThan(expected / 2);
    expect(hits).toBeLessThan(expected * 2);
  });

  const golden = sharedData('data', 'ecoli-k12', 'golden', 'blastp_targets_vs_reference.tsv.gz');
  it.skipIf(golden === null)("give BLAST's bits: each that it printed is that of a whole raw score", () => {
    const rows = gunzipSync(readFileSync(golden as string))
      .toString('utf8')
      .split('\n')
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => line.split('\t'));
    // Every bit score that BLAST prints is that of a whole raw score.
    const printed = new Set(rows.map((row) => row[11]).filter((bits) => Number(bits) < 99));
    const ours = new Set(Array.from({ length: 400 }, (_, raw) => bitScore(raw, blastStatistics).toFixed(1)));
    expect(printed.size).toBeGreaterThan(50);
    expect([...printed].filter((bits) => !ours.has(Number(bits).toFixed(1)))).toEqual([]);
  });
});
