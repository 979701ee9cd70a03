/** What somebody pasted: FASTA, one sequence without a header, accessions, or nothing. */
export type InputKind = 'empty' | 'fasta' | 'bare' | 'accessions';

/** What the text contains, found before it is sent; the service reads it again, strictly. */
export interface SequenceInput {
  kind: InputKind;
  /** FASTA text to send; empty for accessions, whose sequences are fetched first. */
  fasta: string;
  /** For the kind `accessions`: in capitals, each once. */
  accessions: string[];
  sequences: number;
  residues: number;
  longest: number;
  /** Ids that several records share, in the order of their second record. */
  duplicates: string[];
  /** What a run is called that was given no name: `P05108 and 2 more`. */
  name: string;
}

/** UniProt's pattern, isoforms included. */
const accession = /^(?:[OPQ]\d[A-Z\d]{3}\d|[A-NR-Z]\d(?:[A-Z][A-Z\d]{2}\d){1,2})(?:-\d+)?$/i;
const maxAccessions = 500;

/** Looks at a text while somebody types. Cost: one pass. */
export function readInput(text: string): SequenceInput {
  const trimmed = text.trim();
  if (trimmed === '') return { ...nothing };
  if (trimmed.startsWith('>') || trimmed.includes('\n>')) return readRecords('fasta', text);
  const words = trimmed.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length <= maxAccessions && words.every((word) => accession.test(word)))
    return readAccessions(words);
  return readRecords('bare', `>sequence\n${trimmed}\n`);
}

const nothing: SequenceInput = {
  kind: 'empty',
  fasta: '',
  accessions: [],
  sequences: 0,
  residues: 0,
  longest: 0,
  duplicates: [],
  name: '',
};

function readAccessions(words: readonly string[]): SequenceInput {
  const accessions = [...new Set(words.map((word) => word.toUpperCase()))];
  return {
    ...nothing,
    kind: 'accessions',
    accessions,
    sequences: accessions.length,
    name: nameOf(accessions[0] ?? '', accessions.length),
  };
}

function readRecords(kind: 'fasta' | 'bare', fasta: string): SequenceInput {
  const input: SequenceInput = { ...nothing, kind, fasta, accessions: [], duplicates: [] };
  const seen = new Set<string>();
  const repeated = new Set<string>();
  let first = '';
  let length = 0;
  for (const line of fasta.split(/\r\n|\r|\n/)) {
    const trimmed = line.trim();
    if (trimmed.startsWith('>')) {
      input.sequences += 1;
      length = 0;
      const id = idOfHeader(trimmed);
      if (seen.has(id)) repeated.add(id);
      else seen.add(id);
      if (input.sequences === 1) first = id;
    } else {
      const residues = trimmed.replace(/[\s*]/g, '').length;
      length += residues;
      input.residues += residues;
      input.longest = Math.max(input.longest, length);
    }
  }
  const name = kind === 'bare' ? `Sequence of ${input.residues} residues` : nameOf(first, input.sequences);
  return { ...input, duplicates: [...repeated], name };
}

/** The id that the service will use: the accession of a UniProt header, otherwise the first word. */
export function idOfHeader(header: string): string {
  const [word = ''] = header.slice(1).trim().split(/\s+/, 1);
  return /^(?:sp|tr)\|([^|]+)\|/.exec(word)?.[1] ?? word;
}

function nameOf(first: string, count: number): string {
  const shown = first === '' ? 'unnamed' : first.slice(0, 60);
  return count > 1 ? `${shown} and ${(count - 1).toLocaleString('en-GB')} more` : shown;
}

/** Gives each repeated id a number that no other record has: `p`, `p_2`, `p_3`. The rest of a header stays. */
export function numberDuplicates(fasta: string): string {
  const lines = fasta.split(/\r\n|\r|\n/);
  const taken = new Set(
    lines.filter((line) => line.trim().startsWith('>')).map((line) => idOfHeader(line.trim())),
  );
  const seen = new Set<string>();
  return lines
    .map((line) => {
      const trimmed = line.trim();
      if (!trimmed.startsWith('>')) return line;
      const id = idOfHeader(trimmed);
      if (!seen.has(id)) {
        seen.add(id);
        return line;
      }
      let number = 2;
      while (taken.has(`${id}_${number}`)) number += 1;
      const free = `${id}_${number}`;
      taken.add(free);
      seen.add(free);
      return `>${free}${
        trimmed.slice(1).trim().replace(/^\S+/, '') &&
        ` ${trimmed
          .slice(1)
          .trim()
          .replace(/^\S+\s*/, '')}`
      }`;
    })
    .join('\n');
}
