import { expect, it, describe } from 'vitest';
import { readHeader } from './fasta.js';

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
