import fc from 'fast-check';
import { expect, it } from 'vitest';
import { speakingStretch } from './speaking-stretch.js';

/** A network whose only term is as probable as there are tryptophans among 100 residues. */
const network = {
  answer: (sequence: string) => ({
    vector: new Float32Array(0),
    probabilities: Float32Array.of(sequence.split('W').length / 1000),
  }),
};

it('finds the stretch with most of what speaks for the term', () => {
  const sequence = `${'A'.repeat(70)}${'W'.repeat(20)}${'A'.repeat(70)}`;
  const found = speakingStretch(network, sequence, 0);
  expect(found).toMatchObject({ start: 65, end: 96 });
  expect(found?.probability).toBeCloseTo(0.021);
  expect(found?.without).toBeCloseTo(0.001);
});

it('finds what a search of every stretch finds, within the sequence', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('A', 'W'), minLength: 64, maxLength: 1500 }),
      (sequence) => {
        const found = speakingStretch(network, sequence, 0);
        if (!sequence.includes('W')) return expect(found).toBeNull();
        const count = Math.min(32, Math.floor(sequence.length / 32));
        const held = Array.from({ length: count }, (_, i) => {
          const from = Math.floor((i * sequence.length) / count);
          return sequence.slice(from, Math.floor(((i + 1) * sequence.length) / count)).split('W').length - 1;
        });
        const { start, end } = found ?? { start: 0, end: 0 };
        expect(sequence.slice(start - 1, end).split('W').length - 1).toBe(Math.max(...held));
        expect(end - start + 1).toBeGreaterThanOrEqual(32);
      },
    ),
  );
});

it('finds none in a short sequence, without a network answer, and where nothing speaks for the term', () => {
  expect(speakingStretch(network, 'W'.repeat(63), 0)).toBeNull();
  expect(speakingStretch({ answer: () => null }, 'W'.repeat(100), 0)).toBeNull();
  expect(speakingStretch(network, 'A'.repeat(100), 0)).toBeNull();
});
