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
const options = { limit: 1000, minimumScore: 1, wordScore: -100, drop: 1000 };
const scoreOf = (a: number, b: number) => blosum62[a * 32 + b];

/** Best ungapped segment of each pair that covers a common word, by trying all diagonals. */
function plainScores(query: Uint8Array, references: Uint8Array[], wordLength: number): Map<number, number> {
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
      let left = 0;
      for (let n = 1, sum = 0; i - n >= 0 && j - n >= 0; n++) {
        sum += scoreOf(query[i - n], reference[j - n]);
        left = Math.max(left, sum);
      }
      let right = 0;
      for (let n = wordLength, sum = 0; i + n < query.length && j + n < reference.length; n++) {
        sum += scoreOf(query[i + n], reference[j + n]);
        right = Math.max(right, sum);
      }
      let word = 0;
      for (let n = 0; n < wordLength; n++) word += scoreOf(query[i + n], reference[j + n]);
      const score = left + word + right;
      if (score >= 1) found.set(number, Math.max(found.get(number) ?? 0, score));
    }
  });
  return found;
}

describe('CandidateSearch', () => {
  it('finds every sequence with a common word, with the score of its best segment', () => {
    fc.assert(
      fc.property(fc.array(residues, { maxLength: 6 }), residues, (texts, text) => {
        const references = texts.map(encodeResidues);
        const query = encodeResidues(text);
        const search = new CandidateSearch(buildWordIndex(references, 2));
        const expected = [...plainScores(query, references, 2)].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
        for (const round of [1, 2]) {
          const { sequence, score } = search.find(query, options);
          expect([round, ...Array.from(sequence, (s, i) => [s, score[i]])]).toEqual([round, ...expected]);
        }
      }),
      { numRuns: 150 },
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
