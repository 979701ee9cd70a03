/** The kind of a pasted text: FASTA, one sequence without a header, accessions, a text that only the service recognises, or nothing. */
export type InputKind = 'empty' | 'fasta' | 'bare' | 'accessions' | 'other';

/** The content of the text, found before it is sent. The service reads the text again, strictly. */
export interface SequenceInput {
  kind: InputKind;
  /** The text to send; empty for accessions, whose sequences are fetched first. */
  fasta: string;
  /** The accessions of the kind `accessions`, in capitals, each once. */
  accessions: string[];
  sequences: number;
  residues: number;
  longest: number;
  /** The ids that several records share, in the order of their second record. */
  duplicates: string[];
  /** The sentence that says why nothing can be sent; null if it can be sent. */
  fault: string | null;
  /** The sentence that says what was taken out of the text before it is sent. */
  note?: string;
  /** The name of a run without a given one: `P05108 and 2 more`. */
  name: string;
}

/** Examines a text while somebody types; null if it is not FASTA, or has gaps: `readUnnamed` examines it. The cost is two passes. */
export function readInput(text: string): SequenceInput | null {
  const trimmed = text.trim();
  if (trimmed === '') return nothing;
  return /^>/m.test(trimmed) && !gapped.test(text) ? readRecords('fasta', text) : null;
}

/** The pattern finds a line of letters and gaps alone, as programs write alignments. */
export const gapped = /^[A-Za-z*. ]*-[A-Za-z*. -]*$/m;

export const nothing: SequenceInput = {
  kind: 'empty',
  fasta: '',
  accessions: [],
  sequences: 0,
  residues: 0,
  longest: 0,
  duplicates: [],
  fault: null,
  name: '',
};

export function readRecords(kind: 'fasta' | 'bare', fasta: string): SequenceInput {
  const count = new RecordCount();
  for (const line of fasta.split(/\r\n|\r|\n/)) count.take(line);
  return { ...count.input(), kind, fasta };
}

/** Counts the records of FASTA, line by line. */
export class RecordCount {
  readonly #input: SequenceInput = { ...nothing, kind: 'fasta' };
  readonly #seen = new Set<string>();
  readonly #repeated = new Set<string>();
  #first = '';
  #length = 0;

  take(line: string): void {
    const input = this.#input;
    const trimmed = line.trim();
    if (trimmed.startsWith('>')) {
      input.sequences += 1;
      this.#length = 0;
      const id = idOfHeader(trimmed);
      if (this.#seen.has(id)) this.#repeated.add(id);
      else this.#seen.add(id);
      if (input.sequences === 1) this.#first = id;
    } else {
      const residues = trimmed.replace(/[\s*]/g, '').length;
      this.#length += residues;
      input.residues += residues;
      input.longest = Math.max(input.longest, this.#length);
    }
  }

  /** Returns the counts so far, without the text. */
  input(): SequenceInput {
    const name = nameOf(this.#first, this.#input.sequences);
    return { ...this.#input, duplicates: [...this.#repeated], name };
  }
}

/** Returns the id that the service will use: the accession of a UniProt header, otherwise the first word. */
export function idOfHeader(header: string): string {
  const [word = ''] = header.slice(1).trim().split(/\s+/, 1);
  return /^(?:sp|tr)\|([^|]+)\|/.exec(word)?.[1] ?? word;
}

export function nameOf(first: string, count: number): string {
  const shown = first === '' ? 'unnamed' : first.slice(0, 60);
  return count > 1 ? `${shown} and ${(count - 1).toLocaleString('en-GB')} more` : shown;
}
