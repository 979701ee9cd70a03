import { uniProtAccession } from './isoform.js';

const isAccession = new RegExp(`^${uniProtAccession}(?:-[1-9]\\d*)?$`);

/**
 * The accessions of a text that has nothing but UniProt accessions, with or without an isoform number, between spaces, commas
 * or line ends; each once, in upper case. Lines that begin with `#` are comments. Null: it has another word, or none.
 */
export function accessionList(text: string): string[] | null {
  const words = text
    .replaceAll(/^\ufeff|^[^\S\r\n]*#.*$/gm, '')
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
  return words.length > 0 && words.every((word) => isAccession.test(word)) ? [...new Set(words)] : null;
}
