import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { networkFile } from '@kindred/testkit/shipped-network';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NetworkFormatError, ProteinChance } from './index.js';
import { localFeatureCount, localFeatures, localLogOdds } from './local-statistics.js';
import { ChanceFile } from './protein-chance.js';

const bytes = networkFile('chance.bin');
const chance = ProteinChance.parse(bytes);
const golden = JSON.parse(readFileSync(new URL('golden/protein-chance.json', import.meta.url), 'utf8')) as {
  net: { sequence: string; logOdds: number }[];
  chances: { sequence: string; vector: number[]; chance: number }[];
};
const sequences = fc
  .array(fc.constantFrom(...'ACDEFGHIKLMNPQRSTVWYXBZ'), { maxLength: 120 })
  .map((list) => list.join(''));
const vectors = fc.array(fc.float({ min: -4, max: 4, noNaN: true }), { minLength: 512, maxLength: 512 });

describe('the chance of a protein', () => {
  it('comes from a small file that says what it was made of', () => {
    expect(bytes.length).toBeLessThanOrEqual(1_500_000);
    const { sha256 } = JSON.parse(networkFile('chance.json').toString()) as {
      sha256: Record<string, string>;
    };
    expect(sha256['chance.bin']).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(chance.floor).toBeGreaterThan(0.5);
    expect(chance.floor).toBeLessThan(1);
  });

  it.each(golden.net)(
    'has a small network that gives what PyTorch gives, $sequence.length residues',
    ({ sequence, logOdds }) => {
      expect(new ChanceFile(bytes).noiseNet().logOdds(sequence)).toBeCloseTo(logOdds, 3);
    },
  );

  it.each(golden.chances)(
    'gives what the training gave, $sequence.length residues',
    ({ sequence, vector, chance: expected }) => {
      expect(chance.chance(sequence, Float32Array.from(vector))).toBeCloseTo(expected, 4);
    },
  );

  it('is 0 for fewer than 30 residues, and from 0 to 1 for others', () => {
    fc.assert(
      fc.property(sequences, vectors, (sequence, vector) => {
        const value = chance.chance(sequence, Float32Array.from(vector));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(value === 0).toBe(sequence.length < 30);
      }),
      { numRuns: 30 },
    );
  });

  it('takes any letter that is not a residue for X', () => {
    const vector = new Float32Array(512);
    const sequence = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIE';
    const net = new ChanceFile(bytes).noiseNet();
    expect(net.logOdds(`${sequence}*`)).toBe(net.logOdds(`${sequence}X`));
    expect(chance.chance(`${sequence}X`, vector)).not.toBe(chance.chance(sequence, vector));
  });

  it('refuses another file or the vector of another network', () => {
    expect(() => ProteinChance.parse(bytes.subarray(0, -4))).toThrow(NetworkFormatError);
    expect(() => ProteinChance.parse(new Uint8Array(2))).toThrow(
      /install the file models\/network\/chance.bin/,
    );
    const other = Buffer.from(bytes);
    other.write('{"format":2', 4);
    expect(() => ProteinChance.parse(other)).toThrow(NetworkFormatError);
    expect(() => chance.chance('M'.repeat(40), new Float32Array(64))).toThrow(/64 values/);
  });
});

describe('local features', () => {
  it('are counted for each residue, pair and word, and below their number', () => {
    fc.assert(
      fc.property(sequences, (sequence) => {
        const found = localFeatures(sequence);
        const firsts = Math.min(60, sequence.length) + Math.min(20, sequence.length);
        const pairs = Array.from({ length: 16 }, (_, i) => Math.max(0, sequence.length - 1 - i));
        const spans = [2, 3, 4, 7, 6, 4, 5, 5, 11, 4];
        const words = spans.map((span) => Math.max(0, sequence.length - span));
        const expected = [firsts, ...pairs, ...words].reduce((sum, count) => sum + count, 0);
        expect(found.length).toBe(expected);
        expect(found.every((feature) => feature >= 0 && feature < localFeatureCount)).toBe(true);
      }),
    );
  });

  it('give the bias where no weight speaks, and see the order of residues', () => {
    const weights = new Float64Array(localFeatureCount);
    const sequence = 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIE';
    expect(localLogOdds(localFeatures(sequence), { weights, bias: 0.5 })).toBe(0.5);
    const reversed = [...sequence].reverse().join('');
    expect([...localFeatures(reversed)].sort()).not.toEqual([...localFeatures(sequence)].sort());
  });
});
