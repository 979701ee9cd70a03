import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { encodeResidues } from '@kindred/kernels/alignment';
import {
  blastScoring,
  buildSeedIndex,
  type CandidateQueries,
  createPlainCandidateFinder,
  findRelatives,
  lowComplexity,
} from '@kindred/kernels/homology';
import { sharedData } from '@kindred/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';

const natives = nativeKernelsForTests();

const letters = fc.constantFrom(...'ARNDCQEGHILKMFPSTWYVXBU*');
const text = fc.oneof(
  fc.array(letters, { maxLength: 200 }).map((list) => list.join('')),
  fc.array(fc.constantFrom('A', 'W', 'K', 'D'), { maxLength: 60 }).map((list) => list.join('')),
);

/** The sequences include mutated parts of others, so that windows and bands reach their limits. */
const related = fc
  .tuple(
    fc.array(text, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(150), fc.nat(60), fc.array(fc.nat(), { maxLength: 20 })), {
      maxLength: 60,
    }),
  )
  .map(([texts, pieces]) => {
    const derived = pieces.map(([of, from, gap, changes]) => {
      const own = [...texts[of % texts.length]];
      own.splice(from, gap);
      for (const change of changes) if (own.length > 0) own[change % own.length] = 'L';
      return own.join('');
    });
    return [...texts, ...derived].map((one) => encodeResidues(one));
  });

function queriesOf(all: readonly Uint8Array[], minimumBand: number): CandidateQueries {
  const start = new Int32Array(all.length + 1);
  all.forEach((codes, q) => {
    start[q + 1] = start[q] + codes.length;
  });
  return {
    codes: Uint8Array.from(all.flatMap((codes) => [...codes])),
    start,
    masked: Uint8Array.from(all.flatMap((codes) => [...lowComplexity(codes)])),
    excluded: Int32Array.from(all, (_, q) => (q % 3 === 0 ? q : -1)),
    minimumBand: new Int32Array(all.length).fill(minimumBand),
  };
}

if (natives.length === 0) {
  it('native search for relatives: left out, no C++ compiler here', () => {
    expect(process.env.CI).toBeUndefined();
  });
}

describe.each(natives.map((native) => [native.instructions, native] as const))('%s', (_, native) => {
  it('finds the candidates of the plain search, whatever the limits', () => {
    fc.assert(
      fc.property(
        related,
        fc.constantFrom(18, 21),
        fc.constantFrom(1, 20, 60, 126),
        fc.constantFrom(1, 5, 200),
        fc.constantFrom(1, 50, 300),
        (sequences, minimumSeed, minimumWindow, limit, minimumBand) => {
          const index = buildSeedIndex(sequences);
          const queries = queriesOf(sequences.slice(0, 12), minimumBand);
          const options = { scoring: blastScoring, limit, minimumSeed, minimumWindow };
          const expected = createPlainCandidateFinder(index).find(queries, options);
          expect(native.createCandidateFinder(index).find(queries, options)).toEqual(expected);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('searches an index in memory of large pages just the same', () => {
    const sequences = ['MKTWYIAKQRQISFVKSHFSRQ', 'MKTWYIAKQRQ', 'GGSGGSWWWW'].map((one) =>
      encodeResidues(one),
    );
    const index = buildSeedIndex(sequences, { allocate: (bytes) => native.allocateShared(bytes) });
    expect([...new Uint8Array(native.allocateShared(3))]).toEqual([0, 0, 0]);
    expect(index.prefixes.buffer.byteLength).toBeGreaterThan(2 ** 22);
    const queries = queriesOf(sequences, 1);
    const options = { scoring: blastScoring, limit: 5 };
    const expected = createPlainCandidateFinder(buildSeedIndex(sequences)).find(queries, options);
    expect(native.createCandidateFinder(index).find(queries, options)).toEqual(expected);
  });

  // The limit is long, because the sanitizers make this test many times slower.
  it('takes bands beyond a byte and long repeats', () => {
    const unit = 'MKTWYIAKQRQISFVKSHFWRQLEERLGLIEVQ';
    const texts = [
      unit.repeat(60),
      unit.repeat(7),
      `${unit}${'G'.repeat(9)}${unit.repeat(20)}`,
      'W'.repeat(400),
    ];
    const sequences = texts.map(encodeResidues);
    const index = buildSeedIndex(sequences);
    const queries = queriesOf(sequences, 1);
    queries.masked.fill(0);
    queries.excluded.fill(-1);
    const options = { scoring: blastScoring, limit: 4 };
    const expected = createPlainCandidateFinder(index).find(queries, options);
    expect(Math.max(...expected.score)).toBeGreaterThan(4000);
    expect(native.createCandidateFinder(index).find(queries, options)).toEqual(expected);
  });

  it('stops on request and refuses an index that does not hold together', () => {
    const index = buildSeedIndex(['MKTWYIAKQRQISFVKSHF', 'MKTWYIAKQRQ'].map(encodeResidues));
    const queries = queriesOf([encodeResidues('MKTWYIAKQRQISFVKSHF')], 1);
    const options = { scoring: blastScoring, limit: 5 };
    const find = (changed: Partial<typeof index>) => () =>
      native.createCandidateFinder({ ...index, ...changed }).find(queries, options);
    expect(() =>
      native.createCandidateFinder(index).find(queries, { ...options, isAborted: () => true }),
    ).toThrow('cancelled');
    expect(find({ places: index.places.map(() => -5) })).toThrow('damaged');
    expect(find({ places: index.places.subarray(0, 3) })).toThrow('damaged');
    expect(find({ codes: index.codes.subarray(1) })).toThrow('codes has');
    expect(find({ start: index.start.map((at) => -at) })).toThrow('start must ascend');
    expect(find({ prefixes: index.prefixes.subarray(1) })).toThrow('prefixes has');
    expect(find({ occupied: index.occupied.subarray(1) })).toThrow('occupied has');
    expect(find({ prefixes: index.prefixes.map(() => 255) })).toThrow('damaged');
    expect(() =>
      native.createCandidateFinder(index).find({ ...queries, codes: queries.codes.map(() => 31) }, options),
    ).toThrow('residue code');
  });
});

describe('findRelatives', () => {
  const folder = sharedData('data', 'ecoli-k12');
  const yeast = sharedData('data', 'yeast');
  const left = folder === null || yeast === null || natives.length === 0;

  it.skipIf(left)('finds the hits of blastp on two proteomes, the surer the more', () => {
    const read = (path: string): string => gunzipSync(readFileSync(path)).toString('utf8');
    const hits = read(`${folder}/golden/blastp_targets_vs_reference.tsv.gz`)
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .filter(([query, subject]) => query !== subject);
    const sequences = new Map<string, Uint8Array>();
    for (const path of [
      `${folder}/UP000000625_83333.fasta.gz`,
      `${yeast}/yeast_swissprot_2025-10-27.fasta.gz`,
    ])
      for (const record of read(path).split('>').slice(1)) {
        const [name, ...lines] = record.split('\n');
        sequences.set(name.split('|')[1], encodeResidues(lines.join('')));
      }
    const accessions = [...sequences.keys()];
    const index = buildSeedIndex([...sequences.values()]);
    const queries = [...new Set(hits.map(([query]) => query))].filter((_, at) => at % 4 === 0);
    const search = {
      index,
      finder: natives[0].createCandidateFinder(index),
    };
    const found = findRelatives(
      search,
      queries.map((query) => sequences.get(query) as Uint8Array),
      { maxTargets: 500, maxLogEValue: -2 },
    );
    const pairs = new Set(
      Array.from(found.query, (query, at) => `${queries[query]} ${accessions[found.sequence[at]]}`),
    );
    const share = (from: number, to: number): number => {
      const wanted = hits.filter(
        ([query, , , , , , , , , , e]) => queries.includes(query) && Number(e) >= from && Number(e) < to,
      );
      const known = wanted.filter(([query, subject]) => pairs.has(`${query} ${subject}`)).length;
      return known / wanted.length;
    };
    // DIAMOND 2.1 (very sensitive) finds these shares of the hits: 1, 0.95, 0.88, 0.71.
    expect(share(0, 1e-20)).toBe(1);
    expect(share(1e-20, 1e-10)).toBeGreaterThan(0.95);
    expect(share(1e-10, 1e-6)).toBeGreaterThan(0.88);
    expect(share(1e-6, 1e-3)).toBeGreaterThan(0.71);
  });
});
