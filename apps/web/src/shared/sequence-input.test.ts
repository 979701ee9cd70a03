import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInput } from './sequence-input.js';

describe('what somebody pastes', () => {
  it('is nothing until there is a letter', () => {
    expect(readInput(' \n ')).toMatchObject({ kind: 'empty', sequences: 0, fasta: '' });
  });

  it.each(['MKTAY', 'P05108', 'LOCUS       X 9 aa'])(
    'is not known yet where no line begins with ">": %s',
    (text) => expect(readInput(text)).toBeNull(),
  );

  it('is FASTA where a line begins with ">"', () => {
    const fasta = '>sp|P05108|CP11A_HUMAN Name\nMKT*\n>b\r\nM K T\n>b again\nMM';
    expect(readInput(fasta)).toMatchObject({
      kind: 'fasta',
      fasta,
      sequences: 3,
      residues: 8,
      longest: 3,
      duplicates: ['b'],
      name: 'P05108 and 2 more',
    });
  });
});

it('counts the example that the page ships', () => {
  const example = readFileSync(new URL('../../public/example.fasta', import.meta.url), 'utf8');
  expect(readInput(example)).toMatchObject({ sequences: 3, residues: 526 + 464 + 181, longest: 526 });
});

it('counts what was written, however it is wrapped', () => {
  const sequence = fc.stringMatching(/^[ACDEFGHIKLMNPQRSTVWY]{1,200}$/);
  fc.assert(
    fc.property(
      fc.array(sequence, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 80 }),
      (sequences, width) => {
        const wrap = (text: string) => (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
        const lengths = sequences.map((one) => one.length);
        expect(readInput(sequences.map((one, i) => `>s${i}\n${wrap(one)}\n`).join(''))).toMatchObject({
          sequences: sequences.length,
          residues: lengths.reduce((sum, length) => sum + length, 0),
          longest: Math.max(...lengths),
          duplicates: [],
        });
      },
    ),
  );
});
