import { isReleaseHeading } from './flat-file.js';
import { FormatError } from './format-error.js';
import { Utf8Chunks, utf8Lines } from './text-encoding.js';

export type SequenceFormat = 'fasta' | 'genbank' | 'embl' | 'gff3';

/**
 * Returns the format of a file of sequences by its first line that is not blank; null if it is none of these. GenPept has the layout of
 * GenBank, UniProt text that of EMBL. Other comments may come before the first line of GFF3.
 */
export function sequenceFormat(text: string): SequenceFormat | null {
  const line = /[^\s\ufeff].*/.exec(text)?.[0] ?? '';
  if (line.startsWith('>')) return 'fasta';
  if (/^LOCUS {2,}\S/.test(line) || isReleaseHeading(line)) return 'genbank';
  if (/^ID {3}\S/.test(line)) return 'embl';
  if (/^\s*(?:#.*\r?\n\s*)*?##\s*gff-version\s+3/.test(text.replace(/^\ufeff/, ''))) return 'gff3';
  return null;
}

const headBytes = 4096;

/** Returns `sequenceFormat` of a file by its first bytes, in any encoding that is read. */
export function sequenceFormatOfBytes(bytes: Uint8Array): SequenceFormat | null {
  try {
    const head = new Utf8Chunks().push(bytes.subarray(0, headBytes));
    return sequenceFormat(Buffer.from(utf8Lines(head)).toString('utf8'));
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
