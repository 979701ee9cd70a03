import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { glanceAtFasta, readHeader } from './fasta.js';

const file = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

describe('glanceAtFasta', () => {
  it('counts the example that the page ships', () => {
    expect(glanceAtFasta(file('../../public/example.fasta'))).toEqual({
      sequences: 3,
      residues: 526 + 464 + 181,
      longest: 526,
      startsWithHeader: true,
    });
  });

  it('takes every line end and a final star, and sees a missing header', () => {
    expect(glanceAtFasta('>a\r\nMK\r\nMK*\r\n>b\rM\n')).toMatchObject({
      sequences: 2,
      residues: 5,
      longest: 4,
    });
    expect(glanceAtFasta('MKTAY\n')).toMatchObject({ sequences: 0, startsWithHeader: false });
    expect(glanceAtFasta('')).toMatchObject({ sequences: 0, residues: 0, startsWithHeader: true });
  });

  it('counts what was written, however it is wrapped', () => {
    const sequence = fc.stringMatching(/^[ACDEFGHIKLMNPQRSTVWY]{1,200}$/);
    fc.assert(
      fc.property(
        fc.array(sequence, { maxLength: 8 }),
        fc.integer({ min: 1, max: 80 }),
        (sequences, width) => {
          const wrap = (text: string) => (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
          const text = sequences.map((one, i) => `>s${i}\n${wrap(one)}\n`).join('');
          const lengths = sequences.map((one) => one.length);
          expect(glanceAtFasta(text)).toEqual({
            sequences: sequences.length,
            residues: lengths.reduce((sum, length) => sum + length, 0),
            longest: Math.max(0, ...lengths),
            startsWithHeader: true,
          });
        },
      ),
    );
  });
});

it('ships an example that is part of the example data', () => {
  const all = file('../../../../examples/queries.fasta');
  for (const record of file('../../public/example.fasta').split(/^(?=>)/m)) expect(all).toContain(record);
});

describe('readHeader', () => {
  it('takes a UniProt header apart', () => {
    const header = 'sp|P06212|ESR1_CHICK Estrogen receptor OS=Gallus gallus OX=9031 GN=ESR1 PE=2 SV=1';
    expect(readHeader(header)).toEqual({ name: 'Estrogen receptor', organism: 'Gallus gallus' });
    expect(readHeader('x OS=Bacillus subtilis (strain 168)')).toEqual({
      name: '',
      organism: 'Bacillus subtilis (strain 168)',
    });
  });

  it('leaves other headers as they are', () => {
    expect(readHeader('contig_7 my favourite protein')).toEqual({
      name: 'my favourite protein',
      organism: null,
    });
    expect(readHeader('lonely')).toEqual({ name: '', organism: null });
  });
});
