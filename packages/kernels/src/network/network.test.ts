import { createHash } from 'node:crypto';
import { largestDifference, networkFile, shippedNetwork } from '@kindred/testkit/shipped-network';
import { describe, expect, it } from 'vitest';
import { type NetworkAnswer, NetworkFormatError, SequenceNetwork } from './index.js';
import { windowStarts } from './windows.js';

const { layout, bytes, terms, cases } = shippedNetwork();
const network = new SequenceNetwork(layout, bytes);

function answerOf(sequence: string, of = network): NetworkAnswer {
  const answer = of.answer(sequence);
  if (answer === null) throw new Error(`no answer for ${sequence.length} residues`);
  return answer;
}

describe('the shipped network', () => {
  it('has a term for every probability, and at most 16 MB of weights', () => {
    expect(network.terms).toBe(terms.length);
    expect(bytes.length).toBeLessThanOrEqual(16_000_000);
  });

  it('says where its files come from', () => {
    const { sha256 } = JSON.parse(networkFile('provenance.json').toString()) as {
      sha256: Record<string, string>;
    };
    const found = Object.keys(sha256).map((name) => [
      name,
      createHash('sha256').update(networkFile(name)).digest('hex'),
    ]);
    expect(Object.fromEntries(found)).toEqual(sha256);
    expect(Object.keys(sha256)).toContain('weights.bin');
  });

  // Longer sequences would take plain code seconds each. Among these are odd and even lengths, unusual letters and a repeat.
  const short = cases.filter(({ sequence }) => sequence.length <= 90);
  const medium = cases.find(({ sequence }) => sequence.length > 200) ?? cases[0];
  it.each([...short, medium])(
    'gives what PyTorch gives, $sequence.length residues',
    ({ sequence, vector, probabilities }) => {
      const answer = answerOf(sequence);
      expect(largestDifference(answer.vector, vector)).toBeLessThan(1e-3);
      const expected = Object.entries(probabilities);
      const found = expected.map(([term]) => answer.probabilities[terms.indexOf(term)]);
      expect(largestDifference(found, Object.values(probabilities))).toBeLessThan(1e-3);
    },
  );

  it('says nothing of fewer than 30 residues', () => {
    expect(network.answer('M'.repeat(29))).toBeNull();
    expect(network.answer('M'.repeat(30))).not.toBeNull();
  });

  it('means the vectors of the windows of a long sequence', () => {
    const narrow = new SequenceNetwork({ ...layout, longest: 48 }, bytes);
    const { sequence } =
      cases.find((one) => one.sequence.length >= 64 && one.sequence.length < 84) ?? cases[0];
    const starts = windowStarts(sequence.length, 48);
    expect(starts.length).toBeGreaterThan(1);
    const parts = starts.map((start) => answerOf(sequence.slice(start, start + 48)).vector);
    const mean = parts[0].map((_, i) => parts.reduce((sum, part) => sum + part[i], 0) / parts.length);
    expect(largestDifference(answerOf(sequence, narrow).vector, mean)).toBeLessThan(1e-5);
  });

  it('refuses weights that its layout does not describe', () => {
    expect(() => new SequenceNetwork(layout, bytes.subarray(0, -100))).toThrow(NetworkFormatError);
    expect(() => new SequenceNetwork({ ...layout, format: 2 }, bytes)).toThrow(/has format 2/);
    expect(() => new SequenceNetwork({ ...layout, tensors: layout.tensors.slice(1) }, bytes)).toThrow(
      /no tensor "embedding.weight"/,
    );
  });
});

describe('windowStarts', () => {
  it('covers every residue, each window overlapping the next by a quarter or more', () => {
    expect(windowStarts(2048, 2048)).toEqual([0]);
    expect(windowStarts(2049, 2048)).toEqual([0, 1]);
    expect(windowStarts(3584, 2048)).toEqual([0, 1536]);
    expect(windowStarts(3585, 2048)).toEqual([0, 769, 1537]);
    for (const length of [2050, 5120, 35_213]) {
      const starts = windowStarts(length, 2048);
      expect(starts.at(-1)).toBe(length - 2048);
      const steps = starts.slice(1).map((start, i) => start - starts[i]);
      expect(Math.max(...steps)).toBeLessThanOrEqual(1536);
    }
  });
});
