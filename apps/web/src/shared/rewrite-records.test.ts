import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookAtFile, type Rewriting, rewriteRecords } from './rewrite-records.js';
import { readRecords } from './sequence-input.js';

const rewritten = async (fasta: string | Blob, change: Rewriting) =>
  (await rewriteRecords(new Blob([fasta]), change)).text();
const packed = (text: string) => new Blob([new Uint8Array(gzipSync(text))]);
const gene = 'ATGGCCCTGTGGATGCGCCTCCTGCCCCTGCTGGCGCTGCTGGCCCTCTGGGGACCTGACCCAGCC';
const protein = 'MALWMRLLPLLALLALWGPDPA';

describe('numbering of repeated ids', () => {
  it('keeps the first, the rest of each header, and ids that have the number already', async () => {
    expect(await rewritten('>b one\nM\n>b_2\nM\n>b two words\nM\n> b\nM', { number: true })).toBe(
      '>b one\nM\n>b_2\nM\n>b_3 two words\nM\n>b_4\nM\n',
    );
  });

  it('leaves no id twice', async () => {
    const ids = fc.array(fc.constantFrom('a', 'a_2', 'a_3', 'b', 'sp|P05108|X'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(ids, async (names) => {
        const fasta = names.map((name) => `>${name} x\nMKT`).join('\n');
        const numbered = readRecords('fasta', await rewritten(fasta, { number: true }));
        expect(numbered.duplicates).toEqual([]);
        expect(numbered.sequences).toBe(names.length);
      }),
    );
  });
});

describe('another encoding', () => {
  it('is read by its byte order mark, also packed', async () => {
    const fasta = '>caf\u00e9 one\nM\n>caf\u00e9\nM\n';
    const little = Buffer.from(`\ufeff${fasta}`, 'utf16le');
    for (const bytes of [little, Buffer.from(little).swap16(), Buffer.from(`\ufeff${fasta}`)])
      for (const file of [new Blob([bytes]), new Blob([new Uint8Array(gzipSync(bytes))])]) {
        expect(await rewritten(file, { number: true })).toBe('>caf\u00e9 one\nM\n>caf\u00e9_2\nM\n');
        expect(await lookAtFile(file)).toMatchObject({ sequences: 2 });
      }
  });

  it('is not guessed, since a wrong letter would make another name', async () => {
    await expect(rewritten(new Blob([Buffer.from('>caf\u00e9\nM', 'latin1')]), {})).rejects.toThrow();
  });
});

describe('translation of nucleotide sequences', () => {
  it('translates every one of them, and no protein', async () => {
    const genes = Array.from(
      { length: 7 },
      (_, i) => `>g${i} gene\n${gene.slice(0, 30)}\n${gene.slice(30)}\n`,
    );
    const fasta = `>a keep\nMKTAYIAKQRQISFVKSHFSRQ\n${genes.join('')}>c\nMK\n`;
    const expected = genes.map((_, i) => `>g${i} gene\n${protein}\n`).join('');
    expect(await rewritten(fasta, { translate: true })).toBe(
      `>a keep\nMKTAYIAKQRQISFVKSHFSRQ\n${expected}>c\nMK\n`,
    );
  });

  it('leaves what is too long to be a gene', async () => {
    const fasta = `>long\n${gene.repeat(5000)}\n`;
    expect(await rewritten(fasta, { translate: true })).toBe(fasta);
  });
});

describe('files', () => {
  const fasta = `>a one\r\nMKTAY\r\nIAKQR\r\n>b\r\nMK*\r\n>a two\r\nMKT`;

  it('are counted as pasted text is, packed or not', async () => {
    const { fasta: _text, ...expected } = readRecords('fasta', fasta);
    for (const file of [new Blob([fasta]), packed(fasta)])
      expect(await lookAtFile(file)).toEqual({ ...expected, fasta: '' });
  });

  it('are rewritten unpacked', async () => {
    expect(await rewritten(packed(fasta), { number: true })).toBe(
      '>a one\nMKTAY\nIAKQR\n>b\nMK*\n>a_2 two\nMKT\n',
    );
  });

  it('of another format are left to the service', async () => {
    expect(await lookAtFile(new Blob(['LOCUS       NC_000913\n']))).toBeNull();
    expect(await lookAtFile(new Blob(['\n']))).toBeNull();
    expect(await lookAtFile(new Blob(['Entry\nP05108\n']))).toMatchObject({ accessions: ['P05108'] });
    expect(await lookAtFile(new Blob(['P05108\nabc\n']))).toMatchObject({
      fault: expect.stringContaining('"abc"'),
    });
  });

  it('of many parts keep their order', async () => {
    const records = Array.from({ length: 4000 }, (_, i) => `>s${i}\n${'MKTAYIAKQR'.repeat(60)}\n`);
    const all = records.join('');
    expect(await rewritten(all, {})).toBe(all);
    expect(await lookAtFile(packed(all))).toMatchObject({ sequences: 4000, longest: 600 });
  });
});
