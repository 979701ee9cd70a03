import type { FastaRecord } from './fasta.js';
import { geneticCode, reverseComplement } from './genetic-code.js';

/** A part of a coding sequence, 1-based, both ends included. */
export interface CodingPart {
  start: number;
  end: number;
  strand: 1 | -1;
}

/** What a file of features says about one protein. */
export interface CodingSequence {
  accession: string;
  product: string | null;
  gene: string | null;
  organism: string | null;
  taxonId: number | null;
  /** In the order of translation. */
  parts: readonly CodingPart[];
  /** Bases before the first whole codon: 0, 1 or 2. */
  phase: number;
  /** The first codon is in the file, so that a start codon means methionine. */
  hasStart: boolean;
  /** Number of the genetic code. */
  table: number;
  /** Residues that the code does not give (selenocysteine, pyrrolysine), by their first base. */
  exceptions: ReadonlyMap<number, string>;
  /** 1-based line of its feature. */
  line: number;
}

/** A protein that a file of features names, and why it has no sequence. */
export interface LeftOutProtein {
  line: number;
  record: string | null;
  reason: string;
}

/**
 * Translates a coding sequence out of its nucleotide sequence (capitals). Drops a final stop and an unfinished last codon.
 * Cost: O(length). Source: the INSDC feature table, /codon_start, /transl_table and /transl_except.
 *
 * @returns the residues, or why there are none
 */
export function translate(
  coding: CodingSequence,
  nucleotides: string,
  isCircular = false,
): { residues: string } | { reason: string } {
  const code = geneticCode(coding.table);
  if (code === undefined) return { reason: `there is no genetic code ${coding.table}` };
  let text = '';
  /** First base of each letter of \`text\`, for exceptions. */
  const firstBases: number[] = [];
  for (const part of coding.parts) {
    const piece = pieceOf(part, nucleotides, isCircular);
    if (piece === null)
      return {
        reason: `${part.start}..${part.end} is outside its sequence of ${nucleotides.length} bases`,
      };
    if (coding.exceptions.size > 0)
      for (let i = 0; i < piece.length; i++)
        firstBases.push(part.strand === 1 ? part.start + i : part.end - i);
    text += piece;
  }
  const residues: string[] = [];
  for (let at = coding.phase; at + 3 <= text.length; at += 3) {
    const codon = text.slice(at, at + 3);
    const isLast = at + 6 > text.length;
    const exception = coding.exceptions.get(firstBases[at]);
    if (exception !== undefined) residues.push(exception);
    else if (at === 0 && coding.hasStart && code.mayStart(codon)) residues.push('M');
    else if (!(isLast && code.mayEnd(codon))) residues.push(code.residue(codon));
  }
  if (residues.at(-1) === '*') residues.pop();
  const stop = residues.indexOf('*');
  if (stop >= 0)
    return {
      reason: `a stop after ${stop} of ${residues.length} residues by the genetic code ${coding.table}: not a protein, or another code`,
    };
  if (residues.length === 0) return { reason: 'shorter than one codon' };
  return { residues: residues.join('') };
}

const maxTimesBases = 20;
const minBudget = 100_000;

/**
 * Bases that the coding sequences of one nucleotide sequence may have: 20 times its own, at least 100,000. Without a bound, a small
 * file of many long features would take its length squared to translate.
 */
export class CodingBudget {
  #left: number;

  constructor(bases: number) {
    this.#left = Math.max(maxTimesBases * bases, minBudget);
  }

  /** Why this one is not translated; null: it is. */
  spend(parts: readonly CodingPart[]): string | null {
    for (const { start, end } of parts) this.#left -= Math.max(0, end - start + 1);
    return this.#left >= 0
      ? null
      : `the coding sequences up to this one have more than ${maxTimesBases} times the bases of their sequence; split the file`;
  }
}

/** Bases of a part in its own direction; a circular sequence goes on at its first base. */
function pieceOf(
  { start, end, strand }: CodingPart,
  nucleotides: string,
  isCircular: boolean,
): string | null {
  const { length } = nucleotides;
  if (start < 1 || start > length || end < start) return null;
  if (end > length && (!isCircular || end - length >= start)) return null;
  const piece = nucleotides.slice(start - 1, end) + nucleotides.slice(0, Math.max(0, end - length));
  return strand === 1 ? piece : reverseComplement(piece);
}

/** A protein as a record of FASTA, with a header in UniProt's style. */
export function proteinRecord(
  about: Pick<CodingSequence, 'accession' | 'product' | 'gene' | 'organism' | 'taxonId' | 'line'>,
  sequence: string,
): FastaRecord {
  const { accession, product, gene, organism, taxonId, line } = about;
  const fields = [
    accession,
    product ?? '',
    organism === null ? '' : `OS=${organism}`,
    taxonId === null ? '' : `OX=${taxonId}`,
    gene === null ? '' : `GN=${gene}`,
  ];
  return {
    header: fields.filter((field) => field !== '').join(' '),
    accession,
    entryName: null,
    reviewed: null,
    proteinName: product,
    organism,
    taxonId,
    geneName: gene,
    sequence,
    line,
  };
}

const threeLetters: Readonly<Record<string, string>> = { Sec: 'U', Pyl: 'O', Met: 'M', OTHER: 'X' };

/**
 * Reads `(pos:complement(1..3),aa:Sec)`, of GenBank, EMBL and GFF3. Gives the first base in the direction of the strand; null for what
 * is not understood and for a stop that the file completes (`aa:TERM`).
 */
export function translationException(text: string): { base: number; residue: string } | null {
  const match = /pos:(complement\()?(\d+)\.\.(\d+)\)?,\s*aa:(\w+)/.exec(text);
  if (match === null || match[4] === 'TERM') return null;
  return {
    base: Number(match[1] === undefined ? match[2] : match[3]),
    residue: threeLetters[match[4]] ?? 'X',
  };
}
