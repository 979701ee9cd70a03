import { expect, it } from 'vitest';
import { quickGoAddress, uniprotAddress } from './links.js';

it('links GO terms', () => {
  expect(quickGoAddress('GO:0005515')).toBe('https://www.ebi.ac.uk/QuickGO/term/GO:0005515');
});

it.each([
  ['P05108', 'P05108'],
  ['Q8N0X2-2', 'Q8N0X2'],
  ['A0A024R1R8', 'A0A024R1R8'],
])('links %s to UniProt', (accession, entry) => {
  expect(uniprotAddress(accession)).toBe(`https://www.uniprot.org/uniprotkb/${entry}/entry`);
});

it.each(['my_protein', 'P0510', 'ENSP00000268053', 'P05108/../evil', ''])('links %j nowhere', (accession) => {
  expect(uniprotAddress(accession)).toBeNull();
});
