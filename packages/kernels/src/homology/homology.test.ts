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
  buildSeedIndex,
  type CandidateQueries,
  createPlainCandidateFinder,
  defaultStatistics,
  findRelatives,
  logEValue,
  lowComplexity,
  minimumScore,
  narrowSeedIndex,
  placesOfWord,
  seedOffsets,
  seedWords,
  statisticsOf,
} from './index.js';

const scoreOf = (a: number, b: number) => blosum62[a * 32 + b];
const sequenceText = fc.string({ unit: fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYX'), maxLength: 70 });

/** A pair of a text and a relative of it: some letters are changed, and a stretch is left out. */
const pairOfTexts = fc
  .tuple(sequenceText, fc.array(fc.nat(), { maxLength: 8 }), fc.nat(60), fc.nat(14))
  .map(([text, changes, from, count]) => {
    const letters = [...text];
    for (const change of changes) if (letters.length > 0) letters[change % letters.length] = 'W';
    letters.splice(from, count);
    return [text, letters.join('')] as const;
  });

function queriesOf(texts: readonly string[], minimumBand: number): CandidateQueries {
  const all = texts.map(encodeResidues);
  const start = Int32Array.of(0, ...all.map((codes) => codes.length)).map((_, q, lengths) =>
    lengths.slice(0, q + 1).reduce((sum, length) => sum + length, 0),
  );
  return {
    codes: Uint8Array.from(all.flatMap((codes) => [...codes])),
    start,
    masked: Uint8Array.from(all.flatMap((codes) => [...lowComplexity(codes)])),
    excluded: new Int32Array(texts.length).fill(-1),
    minimumBand: new Int32Array(texts.length).fill(minimumBand),
  };
}

/** Returns the best sum of the first letter scores of a list; at least `least` of them are summed. */
function bestStart(scores: readonly number[], least: 0 | 1): number {
  let sum = 0;
  let best = least === 0 ? 0 : Number.NEGATIVE_INFINITY;
  for (const score of scores) {
    sum += score;
    best = Math.max(best, sum);
  }
  return best;
}

/**
 * Returns the score of the seed at (i, j) by the definition: the best segment within the window, or on the diagonal where that is 127.
 */
function plainWindow(query: Uint8Array, target: Uint8Array, i: number, j: number): number {
  const diagonal = j - i;
  const first = Math.max(0, -diagonal);
  const last = Math.min(query.length, target.length - diagonal);
  const scores = Array.from({ length: last - first }, (_, at) =>
    scoreOf(query[first + at], target[first + at + diagonal]),
  );
  const seed = i - first;
  const before = scores.slice(Math.max(0, seed - 20), seed).reverse();
  const best = bestStart(before, 0) + bestStart(scores.slice(seed, seed + 28), 1);
  return best < 127 ? best : Math.max(...scores.map((_, from) => bestStart(scores.slice(from), 1)));
}

/** Computes Smith-Waterman where every cell outside the band is left out. */
function plainBand(query: Uint8Array, target: Uint8Array, diagonal: number): number {
  const cell = new Map<string, { h: number; e: number; f: number }>();
  const outside = { h: 0, e: -1e9, f: -1e9 };
  const at = (i: number, j: number) => cell.get(`${i} ${j}`) ?? outside;
  let best = 0;
  for (let i = 0; i < query.length; i++)
    for (let j = Math.max(0, i + diagonal - 12); j <= Math.min(target.length - 1, i + diagonal + 12); j++) {
      const above = at(i - 1, j);
      const left = at(i, j - 1);
      const e = Math.max(above.h - 12, above.e - 1);
      const f = Math.max(left.h - 12, left.f - 1);
      const h = Math.max(0, e, f, at(i - 1, j - 1).h + scoreOf(query[i], target[j]));
      cell.set(`${i} ${j}`, { h, e, f });
      best = Math.max(best, h);
    }
  return best;
}

/** Finds the candidates of one query by the definition of CandidateFinder, from every pair of positions. */
function candidatesByDefinition(
  query: Uint8Array,
  targets: readonly Uint8Array[],
  { minimumSeed, minimumWindow }: { minimumSeed: number; minimumWindow: number },
): [number, number][] {
  const allMarked = (marks: Uint8Array, from: number) =>
    seedOffsets.every((offset) => marks[from + offset] === 1);
  const queryMarks = lowComplexity(query);
  const isResidue = (code: number) => 'ACDEFGHIKLMNPQRSTVWY'.includes(String.fromCharCode(65 + code));
  const found = targets.flatMap((target, number): [number, number][] => {
    let best = { score: 0, diagonal: 0 };
    const targetMarks = lowComplexity(target);
    for (let i = 0; i + 6 < query.length; i++)
      for (let j = 0; j + 6 < target.length; j++) {
        const letters = seedOffsets.map((offset) => [query[i + offset], target[j + offset]]);
        if (!letters.flat().every(isResidue) || allMarked(queryMarks, i) || allMarked(targetMarks, j))
          continue;
        if (letters.reduce((sum, [a, b]) => sum + scoreOf(a, b), 0) < minimumSeed) continue;
        const score = plainWindow(query, target, i, j);
        const better = score > best.score || (score === best.score && j - i < best.diagonal);
        if (score >= minimumWindow && better) best = { score, diagonal: j - i };
      }
    return best.score > 0 ? [[number, plainBand(query, target, best.diagonal)]] : [];
  });
  return found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

describe('buildSeedIndex', () => {
  it('lists every place of every word of five residues that is not of low complexity, ascending, and no other', () => {
    const repeat = 'NNNNNNNNNQNNNNNN';
    const texts = [
      'MKTAYIAKQRQISFVKSHF',
      '',
      `MKTWYIAKQRQISFVKSHFWRQXEERLGLIEVQ${repeat}MKTAYIA`,
      'ACD',
      repeat,
    ];
    const { codes, start, prefixes, occupied, places } = buildSeedIndex(texts.map(encodeResidues));
    const letters = 'ACDEFGHIKLMNPQRSTVWY';
    const found: string[] = [];
    for (let word = 0; word < seedWords; word++) {
      const { from, to } = placesOfWord({ prefixes }, word);
      if (((occupied[Math.floor(word / 20)] >> (word % 20)) & 1) !== Number(to > from))
        throw new Error(`word ${word}: occupied differs from its places`);
      for (let p = from; p < to; p++) {
        const text = [160_000, 8000, 400, 20, 1]
          .map((unit) => letters[Math.floor(word / unit) % 20])
          .join('');
        const sequence = start.findLastIndex((from) => from <= places[p]);
        found.push(`${text} ${sequence} ${places[p] - start[sequence]}`);
        expect(p === from || places[p] > places[p - 1]).toBe(true);
      }
    }
    const expected = texts.flatMap((text, sequence) => {
      const marks = lowComplexity(encodeResidues(text));
      return [...text].flatMap((_, at) => {
        const word = seedOffsets.map((offset) => text[at + offset]).join('');
        const isLeftOut = word.includes('X') || seedOffsets.every((offset) => marks[at + offset] === 1);
        return at + 6 < text.length && !isLeftOut ? [`${word} ${sequence} ${at}`] : [];
      });
    });
    expect(found.sort()).toEqual(expected.sort());
    expect(found.filter((place) => place.startsWith('NNNNN'))).toEqual([]);
    expect(found.filter((place) => / 2 /.test(place)).length).toBeGreaterThan(15);
    expect(codes.length).toBe((start.at(-1) as number) + 64);
  });

  it('refuses codes that are not letters, and stops on abort', () => {
    expect(() => buildSeedIndex([Uint8Array.of(0, 31, 0)])).toThrow('padding code');
    expect(() => buildSeedIndex([Uint8Array.of(40)])).toThrow('residue code 40');
    expect(() => buildSeedIndex([Uint8Array.of(0)], { isAborted: () => true })).toThrow('cancelled');
  });
});

describe('createPlainCandidateFinder', () => {
  it('finds what the definition finds, whatever else is asked', () => {
    fc.assert(
      fc.property(
        fc.array(pairOfTexts, { minLength: 1, maxLength: 3 }),
        sequenceText,
        fc.constantFrom(17, 21),
        (pairs, other, minimumSeed) => {
          const targets = [...pairs.map(([text]) => text), other].map(encodeResidues);
          const finder = createPlainCandidateFinder(buildSeedIndex(targets));
          const options = { scoring: blastScoring, limit: 10, minimumSeed, minimumWindow: 20 };
          const { sequence, score, count } = finder.find(
            queriesOf(
              pairs.map(([, text]) => text),
              1,
            ),
            options,
          );
          pairs.forEach(([, text], q) => {
            const found = Array.from({ length: count[q] }, (_, at) => [
              sequence[10 * q + at],
              score[10 * q + at],
            ]);
            expect(found).toEqual(candidatesByDefinition(encodeResidues(text), targets, options));
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  it('keeps the best, at most `limit`, none below the minimum, not the excluded one', () => {
    const text = 'MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQ';
    const targets = [text, text.slice(0, 25), 'ACDEFGHIKLMNPQRSTVWY', text].map(encodeResidues);
    const finder = createPlainCandidateFinder(buildSeedIndex(targets));
    const found = (limit: number, minimumBand: number, excluded = -1) => {
      const queries = { ...queriesOf([text], minimumBand), excluded: Int32Array.of(excluded) };
      const { sequence, count } = finder.find(queries, { scoring: blastScoring, limit });
      return [...sequence.subarray(0, count[0])];
    };
    expect(found(10, 1)).toEqual([0, 3, 1]);
    expect(found(2, 1)).toEqual([0, 3]);
    expect(found(10, 150)).toEqual([0, 3]);
    expect(found(10, 1, 0)).toEqual([3, 1]);
    expect(() => found(0, 1)).toThrow('limit 0');
    expect(() => found(1, 0)).toThrow('below 1');
  });
});

describe('lowComplexity', () => {
  it('marks runs and repeats of few letters, not ordinary sequence', () => {
    const marked = (text: string) => lowComplexity(encodeResidues(text)).reduce((sum, one) => sum + one, 0);
    expect(marked('MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQ')).toBe(0);
    expect(marked('QQQQQQQQQQQQQQQQQQQQ')).toBe(20);
    expect(marked('NSNSNSNSNSNSNS')).toBe(14);
    expect(marked('QQQQQ')).toBe(0);
  });

  it('marks the twelve residues of each stretch whose entropy is below the limit, and no others', () => {
    const entropy = (letters: readonly string[]): number =>
      [...new Set(letters)]
        .map((letter) => letters.filter((other) => other === letter).length / letters.length)
        .reduce((bits, share) => bits - share * Math.log2(share), 0);
    const fewLetters = fc.array(fc.constantFrom(...'NNNNQQSTKA'), { maxLength: 60 });
    fc.assert(
      fc.property(fewLetters, (letters) => {
        const expected = new Uint8Array(letters.length);
        for (let i = 0; i + 12 <= letters.length; i++)
          if (entropy(letters.slice(i, i + 12)) < 2.2) expected.fill(1, i, i + 12);
        expect(lowComplexity(encodeResidues(letters.join('')))).toEqual(expected);
      }),
    );
  });
});

describe('findRelatives', () => {
  it('gives the whole local alignment of each relative, best first, without the excluded one', () => {
    const text = 'MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKV';
    const relative = `${text.slice(0, 30)}GGGGG${text.slice(34)}`;
    const targets = ['ACDEFGHIKLMNPQRSTVWYACDEFGHIKLMNPQRSTVWY', text, relative].map(encodeResidues);
    const index = buildSeedIndex(targets);
    const search = { index, finder: createPlainCandidateFinder(index) };
    const queries = [text, 'MKT', relative, ''].map(encodeResidues);
    const excluded = Int32Array.of(-1, -1, 2, -1);
    const found = findRelatives(search, queries, { maxTargets: 5, maxLogEValue: -3, excluded });
    expect([...found.query]).toEqual([0, 0, 2]);
    expect([...found.sequence]).toEqual([1, 2, 1]);
    const counts = alignPlain(queries[0], targets[2], 'local', blastScoring);
    expect([...found.score]).toEqual([
      alignPlain(queries[0], targets[1], 'local', blastScoring).score,
      counts.score,
      alignPlain(queries[2], targets[1], 'local', blastScoring).score,
    ]);
    expect(found.identity[1]).toBeCloseTo(counts.identical / counts.length, 6);
    expect(found.queryCoverage[1]).toBeCloseTo((counts.length - counts.gaps) / text.length, 6);
    expect(found.sequenceCoverage[1]).toBeCloseTo((counts.length - counts.gaps) / relative.length, 6);
    expect(found.normalisedScore[0]).toBe(1);
    const space = { residues: targets.reduce((sum, { length }) => sum + length, 0), sequences: 3 };
    expect(found.logEValue[1]).toBeCloseTo(logEValue(counts.score, text.length, space, blastStatistics), 4);
    const one = findRelatives(search, queries, { maxTargets: 1, maxLogEValue: -3, excluded });
    expect([...one.sequence]).toEqual([1, 1]);
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
    // The background frequencies of BLOSUM62, in thousandths.
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
        if (logEValue(score, length, space, statistics) <= 0.5) hits++;
      }
    }
    const expected = queries * 10 ** 0.5;
    // The statistics expect 63 hits; chance and the shortness of the sequences leave a factor of two.
    expect(hits).toBeGreaterThan(expected / 2);
    expect(hits).toBeLessThan(expected * 2);
  });

  it('know the least score of an E-value', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -60, max: 2, noNaN: true }),
        fc.integer({ min: 1, max: 40_000 }),
        fc.integer({ min: 1, max: 1_000_000 }),
        (maxLog, length, sequences) => {
          const space = { residues: 350 * sequences, sequences };
          const score = minimumScore(maxLog, length, space, blastStatistics);
          expect(logEValue(score, length, space, blastStatistics)).toBeLessThanOrEqual(maxLog);
          expect(logEValue(score - 1, length, space, blastStatistics)).toBeGreaterThan(maxLog);
        },
      ),
    );
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

describe('a narrowed index', () => {
  it('finds what an index of the kept sequences finds, with the same E-values', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(pairOfTexts, fc.boolean()), { minLength: 1, maxLength: 8 }), (pairs) => {
        const targets = pairs.map(([[, target]]) => encodeResidues(target));
        const queries = pairs.map(([[query]]) => encodeResidues(query));
        const kept = [...pairs.keys()].filter((i) => pairs[i][1]);
        const keep = Uint8Array.from(pairs, ([, is]) => Number(is));
        const options = { maxTargets: 5, maxLogEValue: 3 };
        const found = [
          narrowSeedIndex(buildSeedIndex(targets), keep),
          buildSeedIndex(kept.map((i) => targets[i])),
        ].map((index) =>
          findRelatives({ index, finder: createPlainCandidateFinder(index) }, queries, options),
        );
        expect(found[0]).toEqual({ ...found[1], sequence: found[1].sequence.map((i) => kept[i]) });
      }),
      { numRuns: 100 },
    );
  });
});
