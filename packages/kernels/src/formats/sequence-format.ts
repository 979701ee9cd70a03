import { isReleaseHeading } from './flat-file.js';

export type SequenceFormat = 'fasta' | 'genbank' | 'embl' | 'gff3';

/**
 * The format of a file of sequences by its first line that is not blank; null: none of these. GenPept has the layout of GenBank, UniProt
 * text that of EMBL. Other comments may come before the first line of GFF3.
 */
export function sequenceFormat(text: string): SequenceFormat | null {
  const line = /[^\s\ufeff].*/.exec(text)?.[0] ?? '';
  if (line.startsWith('>')) return 'fasta';
  if (/^LOCUS {2,}\S/.test(line) || isReleaseHeading(line)) return 'genbank';
  if (/^ID {3}\S/.test(line)) return 'embl';
  if (/^\s*(?:#.*\r?\n\s*)*?##\s*gff-version\s+3/.test(text.replace(/^\ufeff/, ''))) return 'gff3';
  return null;
}
