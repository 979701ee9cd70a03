import { expect, it } from 'vitest';
import { longestReadingFrame } from './translate.js';

// The sequence has the first codons of human insulin (NM_000207), and the protein as UniProt P01308 has it.
const insulin =
  'ATGGCCCTGTGGATGCGCCTCCTGCCCCTGCTGGCGCTGCTGGCCCTCTGGGGACCTGACCCAGCCGCAGCCTTTGTGAACCAACACCTGTGCGGC';
const protein = 'MALWMRLLPLLALLALWGPDPAAAFVNQHLCG';
const complement: Record<string, string> = { A: 'T', C: 'G', G: 'C', T: 'A' };

it('finds the reading frame of a gene on either strand, at any offset, of DNA and RNA', () => {
  expect(longestReadingFrame(`${insulin}TAA`)).toBe(protein);
  expect(longestReadingFrame(`cc${insulin.toLowerCase()}tga`)).toBe(protein);
  expect(longestReadingFrame(insulin.replaceAll('T', 'U'))).toBe(protein);
  const reverse = [...`${insulin}TAA`].reverse().map((letter) => complement[letter]);
  expect(longestReadingFrame(reverse.join(''))).toBe(protein);
});

it('reads a fragment without a start, and gives X for what is not known', () => {
  expect(longestReadingFrame('GCCGCCNCCGCC')).toBe('AAXA');
  expect(longestReadingFrame('')).toBe('');
});

it('knows every codon', () => {
  const codons = ['TTT', 'TCT', 'TAT', 'TGG', 'CAT', 'CAA', 'ATT', 'AAT', 'AAA', 'GAT', 'GAA', 'GGG', 'TGT'];
  const read = codons.map((codon) => longestReadingFrame(`ATG${codon.repeat(9)}`).charAt(1));
  expect(read.join('')).toBe('FSYWHQINKDEGC');
});
