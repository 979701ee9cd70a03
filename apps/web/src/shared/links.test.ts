import { expect, it } from 'vitest';
import { paperAddress, proteinPages, quickGoAddress, uniprotAddress } from './links.js';

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
  expect(proteinPages(accession)).toEqual([]);
});

it('links an isoform to the entry of its protein in four databases', () => {
  const pages = proteinPages('Q8N0X2-2');
  expect(pages.map(({ name }) => name)).toEqual(['UniProt', 'AlphaFold DB', 'InterPro', 'QuickGO']);
  for (const { address } of pages) expect(address).toMatch(/[/=]Q8N0X2(\/|$)/);
});

it('knows where papers are', () => {
  expect(paperAddress('PMID:12345')).toBe('https://pubmed.ncbi.nlm.nih.gov/12345/');
  expect(paperAddress('DOI:10.1000/x"y')).toBe('https://doi.org/10.1000/x%22y');
  expect(paperAddress('GO_REF:0000033')).toBeNull();
  expect(paperAddress('PMID:1/../x')).toBeNull();
});
