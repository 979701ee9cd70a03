/** The fields of a record that a FASTA file needs. The header is written unchanged. */
export interface FastaEntry {
  header: string;
  sequence: string;
}

/**
 * Writes one record as text, with residues in lines of `width` (default 60) and a final newline.
 * @throws RangeError for a header with a line break, which would start another record, or a width below 1
 */
export function formatFastaRecord(entry: FastaEntry, width = 60): string {
  if (/[\r\n]/.test(entry.header))
    throw new RangeError(`a FASTA header must be one line: ${JSON.stringify(entry.header)}`);
  if (!(width >= 1)) throw new RangeError(`a FASTA line needs a width of at least 1, not ${width}`);
  let text = `>${entry.header}\n`;
  for (let start = 0; start < entry.sequence.length; start += width) {
    text += `${entry.sequence.slice(start, start + width)}\n`;
  }
  return text;
}

/** Writes records as a stream of texts, one for each record. */
export function* writeFasta(entries: Iterable<FastaEntry>, width = 60): Generator<string> {
  for (const entry of entries) yield formatFastaRecord(entry, width);
}
