import { expect, it } from 'vitest';
import { readUnnamed } from './read-unnamed.js';
import { readInput } from './sequence-input.js';

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

it.each([
  ['  1 MKPVTLYDVA EYAGVSYQTV\n 21 SRVVNQASHV', 30],
  ['MKPVTLYDVA EYAGVSYQTV 20\nSRVVNQASHV 30', 30],
  ['ORIGIN\n        1 mkpvtlydva eyagvsyqtv\n       21 srvv\n//\n', 24],
  ['SQ   SEQUENCE   24 AA;  2000 MW;  0 CRC64;\n     MKPVTLYDVA EYAGVSYQTV        20\n     SRVV\n//', 24],
])('reads a numbered sequence as the databases print it: %j', (text, residues) => {
  const read = readUnnamed(text);
  expect(read).toMatchObject({ kind: 'bare', sequences: 1, residues, fault: null });
  expect(read.fasta).toMatch(/^>sequence\n[A-Za-z\n]+\n$/);
  expect(read.note).toBe('Positions are left out.');
});

it('takes the gaps out of an alignment, and keeps its names', () => {
  const text = '>a-1 OX=9606\nMK--TAY..I\n>b\n--MKTAYI--\n';
  expect(readInput(text)).toBeNull();
  expect(readUnnamed(text)).toMatchObject({
    ...{ kind: 'fasta', sequences: 2, residues: 12, fault: null },
    fasta: '>a-1 OX=9606\nMKTAYI\n>b\nMKTAYI\n',
    note: 'Gaps of the alignment are left out.',
  });
  expect(readUnnamed('MK--TAYI')).toMatchObject({ kind: 'bare', fasta: '>sequence\nMKTAYI\n' });
});

it('leaves an alignment in another format to the service, whose lines begin with names', () => {
  const text = 'CLUSTAL W (1.83) multiple sequence alignment\n\none  MK--TAYI\ntwo  MKTATAYI\n';
  expect(readUnnamed(text)).toMatchObject({ kind: 'other', fasta: text });
});

it('leaves FASTA without gaps as it is, whatever its headers have', () => {
  expect(readInput('>a-1 b - c\nMKTAYI\n')).toMatchObject({ kind: 'fasta', sequences: 1 });
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
