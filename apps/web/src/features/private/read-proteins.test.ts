import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readUnnamed } from '../../shared/read-unnamed.js';
import { readProteins, textOfFile } from './read-proteins.js';

const read = (text: string) => readProteins(text, readUnnamed);
const faultOf = (text: string) => {
  const found = read(text);
  return 'fault' in found ? found.fault : null;
};

it('reads FASTA and a bare sequence', () => {
  expect(read('>a\r\nMKT\r\nAYI*\r\n>b\nMK\n')).toMatchObject({
    proteins: [
      { accession: 'a', sequence: 'MKTAYI' },
      { accession: 'b', sequence: 'MK' },
    ],
  });
  expect(read('MKTAYIAKQR')).toMatchObject({ proteins: [{ accession: 'sequence', sequence: 'MKTAYIAKQR' }] });
});

it('says what to change instead of leaving something out', () => {
  expect(faultOf(' ')).toMatch(/^Paste a sequence/);
  expect(faultOf('P05108, Q9QZ82')).toMatch(/paste their sequences instead/);
  expect(faultOf('>a\nMK4\n')).toMatch(/line 2/);
  expect(faultOf('>a\nMK\n>a\nMK\n')).toMatch(/a/);
  const many = (count: number) => Array.from({ length: count }, (_, i) => `>q${i}\nMK\n`).join('');
  expect(faultOf(many(100))).toBeNull();
  expect(faultOf(many(101))).toBe('These are 101 proteins; this browser takes 100 at once. Leave out 1.');
  expect(faultOf(`>a\n${'M'.repeat(40_001)}\n`)).toMatch(/40,?000/);
});

it('reads a file, also one that gzip packed, and says which it cannot', async () => {
  expect(await textOfFile(new File(['>a\nMK\n'], 'a.fasta'))).toBe('>a\nMK\n');
  expect(await textOfFile(new File([new Uint8Array(gzipSync('>a\nMK\n'))], 'a.fasta.gz'))).toBe('>a\nMK\n');
  await expect(textOfFile(new File([new Uint8Array([0x1f, 0x8b, 1])], 'b.gz'))).rejects.toThrow(
    /b.gz could not/,
  );
});
