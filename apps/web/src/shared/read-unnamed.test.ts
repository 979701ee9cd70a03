import { expect, it } from 'vitest';
import { readUnnamed } from './read-unnamed.js';

it('reads a bare sequence, over several lines', () => {
  expect(readUnnamed('MKTAY\nIAKQR*\n')).toMatchObject({
    kind: 'bare',
    fasta: '>sequence\nMKTAY\nIAKQR*\n',
    sequences: 1,
    residues: 10,
    name: 'sequence',
  });
});

it.each([
  ['p05108, Q9QZ82;P05108\nA0A024R1R8-2', ['P05108', 'Q9QZ82', 'A0A024R1R8-2'], 'P05108 and 2 more'],
  ['Entry\nP05108\n', ['P05108'], 'P05108'],
  ['"P05108.2"\n"UniProtKB:Q9QZ82"', ['P05108', 'Q9QZ82'], 'P05108 and 1 more'],
  ['Gene\tUniProt ID\nabc\tP05108\n', ['P05108'], 'P05108'],
  ['sp|P05108|CP11A_HUMAN', ['P05108'], 'P05108'],
  ['1. P05108\n2. Q9QZ82', ['P05108', 'Q9QZ82'], 'P05108 and 1 more'],
])('reads a list of accessions as the command line does: %j', (text, accessions, name) => {
  expect(readUnnamed(text)).toMatchObject({
    kind: 'accessions',
    accessions,
    sequences: accessions.length,
    name,
  });
});

it('reads a list of any length', () => {
  const many = Array.from({ length: 3000 }, (_, at) => `P${String(10_000 + at)}`);
  expect(readUnnamed(many.join('\n'))).toMatchObject({ kind: 'accessions', sequences: 3000 });
});

it('names the word that is no accession', () => {
  expect(readUnnamed('P05108\nabc')).toMatchObject({
    kind: 'other',
    fault: expect.stringMatching(/^This text, line 2: "abc" is not a UniProt accession/),
  });
});

it.each([
  'LOCUS       X  9 aa\nORIGIN\n        1 mkv\n//',
  'ID   X; 9 AA.\nSQ   \n//',
  '##gff-version 3\n',
  '{"a": 1}',
])('leaves %j to the service, unchanged', (text) =>
  expect(readUnnamed(text)).toMatchObject({ kind: 'other', fasta: text, fault: null }),
);
