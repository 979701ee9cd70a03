import { readFileSync } from 'node:fs';
import {
  type AlignmentMode,
  type AlignmentPairs,
  type AlignmentTable,
  blosum62,
  encodeResidues,
  type PairAligner,
  plainAligner,
} from '@kindred/kernels/alignment';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nativeKernelsForTests } from '../native-for-tests.js';
import { createWasmAligner } from './wasm-aligner.js';

const modes = ['global', 'local', 'overlap'] as const;

const natives = nativeKernelsForTests();

/**
 * The test runs every fast aligner, once with enough memory for traces, and once with so little that every batch is computed in blocks.
 */
const aligners: [string, PairAligner][] = [
  ['wasm', createWasmAligner()],
  ['wasm in blocks', createWasmAligner(64)],
  ...natives.flatMap(({ instructions, createAligner }): [string, PairAligner][] => [
    [`native ${instructions}`, createAligner()],
    [`native ${instructions} in blocks`, createAligner(64)],
  ]),
];

const goldenFile = new URL('../../../kernels/src/alignment/golden/parasail.tsv', import.meta.url);
const golden = readFileSync(goldenFile, 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

function rows(table: AlignmentTable): number[][] {
  return Array.from(table.score, (score, p) => [
    score,
    table.identical[p],
    table.similar[p],
    table.gaps[p],
    table.length[p],
  ]);
}

/** The pairs have scores at the edge of 16 bits (at most 2,978 tryptophans fit), gap costs beyond it, and small ones. */
const largePairs: AlignmentPairs = {
  sequences: ['W'.repeat(2978), 'W'.repeat(2985), 'A'.repeat(90), 'G'.repeat(16_000), 'GAWN'.repeat(50)].map(
    encodeResidues,
  ),
  query: Int32Array.of(0, 1, 2, 3, 4),
  target: Int32Array.of(0, 1, 3, 2, 4),
};
const largeResults = new Map<AlignmentMode, number[][]>();
function largeRows(mode: AlignmentMode): number[][] {
  const known = largeResults.get(mode) ?? rows(plainAligner.align(largePairs, { mode }));
  largeResults.set(mode, known);
  return known;
}

const letters = fc.constantFrom(...'ARNDCQEGHILKMFPSTWYVX*');
const sequence = fc
  .oneof(
    fc.array(letters, { minLength: 1, maxLength: 70 }),
    fc.array(fc.constantFrom('A', 'W'), { minLength: 1, maxLength: 40 }),
  )
  .map((list) => encodeResidues(list.join('')));
const problem: fc.Arbitrary<AlignmentPairs> = fc
  .tuple(
    fc.array(sequence, { minLength: 1, maxLength: 12 }),
    fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 60 }),
  )
  .map(([sequences, picks]) => ({
    sequences,
    query: Int32Array.from(picks, ([q]) => q % Math.min(4, sequences.length)),
    target: Int32Array.from(picks, ([, t]) => t % sequences.length),
  }));

if (natives.length === 0) {
  it('native aligners: left out, no C++ compiler here', () => {
    expect(process.env.CI).toBeUndefined();
  });
}

describe.each(aligners)('%s', (_, aligner) => {
  it.each(['global', 'local'] as const)(
    'gives the columns of parasail for every golden pair (%s)',
    (mode) => {
      const cases = golden.filter(([kind]) => kind === mode);
      const sequences = cases.flatMap(([, query, target]) => [encodeResidues(query), encodeResidues(target)]);
      const query = Int32Array.from(cases, (_, p) => 2 * p);
      const target = query.map((q) => q + 1);
      const table = aligner.align({ sequences, query, target }, { mode });
      expect(rows(table)).toEqual(cases.map(([, , , ...expected]) => expected.map(Number)));
    },
  );

  it('equals the plain implementation, whatever the batches and the costs', () => {
    const costs = fc.constantFrom([10, 1], [20, 1], [11, 0], [3, 3], [1, 1], [0, 0], [1000, 7]);
    const factor = fc.constantFrom(1, 2, -1);
    fc.assert(
      fc.property(
        problem,
        fc.constantFrom(...modes),
        costs,
        factor,
        (pairs, mode, [gapOpen, gapExtend], times) => {
          const scoring = { matrix: blosum62.map((score) => times * score), gapOpen, gapExtend };
          const expected = plainAligner.align(pairs, { mode, scoring });
          expect(rows(aligner.align(pairs, { mode, scoring }))).toEqual(rows(expected));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes pairs that 16 bits cannot hold in 32', () => {
    for (const mode of ['global', 'local'] as const) {
      expect(rows(aligner.align(largePairs, { mode }))).toEqual(largeRows(mode));
    }
  });

  it('reports progress, stops on request and refuses bad input', () => {
    const sequences = ['MKV', 'MKWV', 'A'].map(encodeResidues);
    const pairs = { sequences, query: Int32Array.of(0, 1, 2), target: Int32Array.of(1, 1, 0) };
    const seen: number[] = [];
    aligner.align(pairs, { mode: 'global', onProgress: (done) => seen.push(done) });
    expect(seen.at(-1)).toBe(3);
    expect(() => aligner.align(pairs, { mode: 'global', isAborted: () => true })).toThrow('cancelled');
    const bad = (change: Partial<AlignmentPairs>): (() => unknown) => {
      return () => aligner.align({ ...pairs, ...change }, { mode: 'global' as AlignmentMode });
    };
    expect(bad({ query: Int32Array.of(0, -1, 2) })).toThrow('no sequence -1');
    expect(bad({ query: Int32Array.of(0) })).toThrow('1 queries but 3 targets');
    expect(bad({ sequences: [...sequences.slice(1), new Uint8Array(0)] })).toThrow('sequence 2 is empty');
    expect(bad({ sequences: [...sequences.slice(1), Uint8Array.of(40)] })).toThrow('residue code 40');
  });

  it('stops in the middle of a large pair, and hands on what the question throws', () => {
    const sequences = [encodeResidues('W'.repeat(9000))];
    const pairs = { sequences, query: Int32Array.of(0), target: Int32Array.of(0) };
    let questions = 0;
    const later = () => ++questions > 3;
    expect(() => aligner.align(pairs, { mode: 'local', isAborted: later })).toThrow('cancelled');
    expect(questions).toBe(4);
    const fault = () => {
      if (++questions > 6) throw new RangeError('asked too often');
      return false;
    };
    expect(() => aligner.align(pairs, { mode: 'local', isAborted: fault })).toThrow('asked too often');
  });
});
