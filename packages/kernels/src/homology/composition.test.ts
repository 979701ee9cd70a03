import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { sharedData } from '@kindred/testkit';
import { describe, expect, it } from 'vitest';
import { alignPlain, blosum62, encodeResidues } from '../alignment/index.js';
import { parseFasta } from '../formats/index.js';
import { withoutLowComplexity } from '../query-check/index.js';
import {
  blastScoring,
  blastStatistics,
  compositionCorrection,
  correctedLogEValue,
  logEValue,
} from './index.js';

const space = { residues: 9_000_000, sequences: 17_000 };
const text = fc.string({ unit: fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYX'), maxLength: 90 });
const score = (a: number, b: number) => blosum62[a * 32 + b];

describe('correction for composition', () => {
  it('takes from a residue what those around it are more like it than residues of proteins are', () => {
    fc.assert(
      fc.property(text, (sequence) => {
        const codes = encodeResidues(sequence);
        const found = compositionCorrection(codes);
        codes.forEach((code, i) => {
          const others = [...codes.keys()].filter((j) => j !== i && Math.abs(i - j) <= 20);
          expect(found[i]).toBeLessThanOrEqual(0);
          if (others.length === 0 || found[i] === 0) return;
          const mean = others.reduce((sum, j) => sum + score(code, codes[j]), 0) / others.length;
          // The rest is the mean score with residues of proteins, which depends on the residue alone.
          const rest = found[i] + mean;
          const twin = compositionCorrection(Uint8Array.of(code, code))[0] + score(code, code);
          if (twin < score(code, code)) expect(rest).toBeCloseTo(twin, 9);
        });
      }),
    );
  });

  it('leaves nothing of a run of one residue, and all of residues that differ from those around them', () => {
    const run = encodeResidues('Q'.repeat(50));
    expect(correctedLogEValue(run, run, { correction: compositionCorrection(run), space })).toBeGreaterThan(
      0,
    );
    expect([...compositionCorrection(encodeResidues('W'))]).toEqual([0]);
    expect([...compositionCorrection(new Uint8Array(0))]).toEqual([]);
  });

  it('without a correction is the E-value of the best local alignment', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [query, target] = [encodeResidues(a), encodeResidues(b)];
        if (query.length === 0 || target.length === 0) return;
        const { score: best } = alignPlain(query, target, 'local', blastScoring);
        expect(
          correctedLogEValue(query, target, { correction: new Float64Array(query.length), space }),
        ).toBeCloseTo(logEValue(best, query.length, space, blastStatistics), 9);
      }),
    );
  });
});

const folder = sharedData('data', 'human-2018-2022');
// The body of a skipped suite is run, too, so the file is read only where it is.
const proteins = folder === null ? [] : parseFasta(gunzipSync(readFileSync(`${folder}/human.fasta.gz`)));
describe.skipIf(folder === null)('real proteins', () => {
  const human = new Map(proteins.map((one) => [one.accession, one.sequence]));
  const eValue = (query: string, target: string, isCorrected: boolean) => {
    const codes = encodeResidues(query);
    const correction = isCorrected ? compositionCorrection(codes) : new Float64Array(codes.length);
    return correctedLogEValue(codes, encodeResidues(target), { correction, space });
  };

  it.each([
    ['Q96G79', 'Q9Y2D2', 'transporters of nucleotide sugars, ten stretches in the membrane'],
    ['P52926', 'P17096', 'two HMG proteins with AT hooks in stretches of K and E'],
    ['O75486', 'Q15543', 'a histone fold'],
  ])('%s is a relative of %s: %s', (query, target) => {
    const [own, other] = [human.get(query)!, human.get(target)!];
    expect(eValue(withoutLowComplexity(own), other, false)).toBeGreaterThan(-3);
    expect(eValue(own, other, true)).toBeLessThan(-3);
  });

  it.each([
    ['Q14978', 'Q92954', 'both rich in serine and lysine'],
    ['P06454', 'Q7KZ85', 'both with a run of acids'],
  ])('%s is none of %s: %s', (query, target) => {
    const [own, other] = [human.get(query)!, human.get(target)!];
    expect(eValue(own, other, false)).toBeLessThan(-6);
    expect(eValue(own, other, true)).toBeGreaterThan(0);
  });
});
