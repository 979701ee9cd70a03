import type { FastaRecord } from './fasta.js';
import { type CodingPart, parseLocation } from './feature-location.js';
import { quoted } from './format-error.js';
import { geneticCode, reverseComplement } from './genetic-code.js';

/** A coding sequence: the facts that a file of features gives about one protein. */
export interface CodingSequence {
  accession: string;
  product: string | null;
  gene: string | null;
  organism: string | null;
  taxonId: number | null;
  /** The parts in the order of translation. */
  parts: readonly CodingPart[];
  /** The number of bases before the first whole codon: 0, 1 or 2. */
  phase: number;
  /** Whether the first codon is in the file, so that a start codon means methionine. */
  hasStart: boolean;
  /** The number of the genetic code. */
  table: number;
  /** Residues that the genetic code does not give (selenocysteine, pyrrolysine), by their first base. */
  exceptions: ReadonlyMap<number, string>;
  /** The line of the feature in the file, from 1. */
  line: number;
}

/** A protein that a file of features names, and the reason why it has no sequence. */
export interface LeftOutProtein {
  line: number;
  record: string | null;
  reason: string;
}

/**
 * Translates a coding sequence out of its nucleotide sequence (capitals). Drops a final stop and an unfinished last codon.
 * The cost is O(length). The source is the INSDC feature table, /codon_start, /transl_table and /transl_except.
 *
 * @returns the residues, or the reason why there are none
 */
export function translate(
  coding: CodingSequence,
  nucleotides: string,
  isCircular = false,
): { residues: string; endsInStop: boolean } | { reason: string } {
  const code = geneticCode(coding.table);
  if (code === undefined)
    return {
      reason: Number.isNaN(coding.table)
        ? 'transl_table is not a number'
        : `there is no genetic code ${coding.table}`,
    };
  let text = '';
  /** The first base of each letter of `text`, for exceptions. */
  const firstBases: number[] = [];
  for (const part of coding.parts) {
    const piece = pieceOf(part, nucleotides, isCircular);
    if (typeof piece !== 'string') return piece;
    if (coding.exceptions.size > 0)
      for (let i = 0; i < piece.length; i++)
        firstBases.push(part.strand === 1 ? part.start + i : part.end - i);
    text += piece;
  }
  const residues: string[] = [];
  let endsInStop = false;
  for (let at = coding.phase; at + 3 <= text.length; at += 3) {
    const codon = text.slice(at, at + 3);
    const isLast = at + 6 > text.length;
    const exception = coding.exceptions.get(firstBases[at]);
    if (exception !== undefined) residues.push(exception);
    else if (at === 0 && coding.hasStart && code.mayStart(codon)) residues.push('M');
    else if (isLast && code.mayEnd(codon)) endsInStop = true;
    else residues.push(code.residue(codon));
  }
  if (residues.at(-1) === '*') {
    residues.pop();
    endsInStop = true;
  }
  const stop = residues.indexOf('*');
  if (stop >= 0)
    return {
      reason: `a stop after ${stop} of ${residues.length} residues by the genetic code ${coding.table}: not a protein, or another code`,
    };
  if (residues.length === 0) return { reason: 'shorter than one codon' };
  return { residues: residues.join(''), endsInStop };
}

const maxTimesBases = 20;
const minBudget = 100_000;

/**
 * The number of bases that the coding sequences of one nucleotide sequence may have: 20 times its own, at least 100,000. Without a bound,
 * the translation of a small file with many long features would take its length squared.
 */
export class CodingBudget {
  #left: number;

  constructor(bases: number) {
    this.#left = Math.max(maxTimesBases * bases, minBudget);
  }

  /** Returns the reason why a coding sequence is not translated; null if it may be. */
  spend(parts: readonly CodingPart[]): string | null {
    for (const { start, end } of parts) this.#left -= Math.max(0, end - start + 1);
    return this.#left >= 0
      ? null
      : `the coding sequences up to this one have more than ${maxTimesBases} times the bases of their sequence; split the file`;
  }
}

/** Programs that mask repeats write X for a base. */
const notBase = /[^ACGTUNRYSWKMBDHVX]/;

/**
 * Returns the bases of a part in its own direction, or the reason why it has none. A circular sequence goes on at its first base. Other
 * letters than bases would become residues X: the sequence may be a protein, or text.
 */
function pieceOf(
  { start, end, strand }: CodingPart,
  nucleotides: string,
  isCircular: boolean,
): string | { reason: string } {
  const { length } = nucleotides;
  const isInside = start >= 1 && start <= length && end >= start;
  if (!isInside || (end > length && (!isCircular || end - length >= start)))
    return { reason: `${start}..${end} is outside its sequence of ${length} bases` };
  const piece = nucleotides.slice(start - 1, end) + nucleotides.slice(0, Math.max(0, end - length));
  const bad = notBase.exec(piece);
  if (bad !== null)
    return { reason: `${quoted(bad[0])} is not a base (position ${start + bad.index} of its sequence)` };
  return strand === 1 ? piece : reverseComplement(piece);
}

/**
 * Makes a name of one word, as FASTA needs it: other readers of a header take what is before the first blank for the name, and two names
 * with the same beginning would be one.
 */
export const oneWord = (name: string): string => name.trim().replaceAll(/[\s\p{Cc}]+/gu, '_');

const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');

/** Writes a protein as a record of FASTA, with a header in UniProt's style. */
export function proteinRecord(
  about: Pick<CodingSequence, 'accession' | 'product' | 'gene' | 'organism' | 'taxonId' | 'line'> &
    Partial<Pick<FastaRecord, 'entryName' | 'reviewed'>>,
  sequence: string,
): FastaRecord {
  const { taxonId, line, entryName = null, reviewed = null } = about;
  const accession = oneWord(about.accession);
  const [product, gene, organism] = [about.product, about.gene, about.organism].map((text) =>
    text === null ? null : oneLine(text),
  );
  const fields = [
    reviewed === null ? accession : `${reviewed ? 'sp' : 'tr'}|${accession}|${entryName ?? ''}`,
    product ?? '',
    organism === null ? '' : `OS=${organism}`,
    taxonId === null ? '' : `OX=${taxonId}`,
    gene === null ? '' : `GN=${gene}`,
  ];
  return {
    header: fields.filter((field) => field !== '').join(' '),
    accession,
    entryName,
    reviewed,
    proteinName: product,
    organism,
    taxonId,
    geneName: gene,
    sequence,
    line,
  };
}

/** Abbreviations of amino acids in the INSDC feature table; any other name (OTHER) means X. */
const residueOf: Readonly<Record<string, string>> = {
  ...{ ALA: 'A', ARG: 'R', ASN: 'N', ASP: 'D', CYS: 'C', GLN: 'Q', GLU: 'E', GLY: 'G', HIS: 'H', ILE: 'I' },
  ...{ LEU: 'L', LYS: 'K', MET: 'M', PHE: 'F', PRO: 'P', SER: 'S', THR: 'T', TRP: 'W', TYR: 'Y', VAL: 'V' },
  ...{ SEC: 'U', PYL: 'O', ASX: 'B', GLX: 'Z', XLE: 'J', TERM: '*', SELENOCYSTEINE: 'U', PYRROLYSINE: 'O' },
};

/**
 * Reads values like `(pos:complement(1..3),aa:Sec)` and `(pos:join(7..8,21..21),aa:Trp)` of GenBank, EMBL and GFF3, one or several in a
 * text. Returns pairs of the first base of a codon and its residue. Both ends of the location count as first bases, because some files
 * leave out `complement`, and only one of the two is in the frame. A stop that the polyadenylation completes (`aa:TERM` of one or two
 * bases) has no pair.
 */
export function translationExceptions(text: string): [base: number, residue: string][] {
  return text
    .split('(pos:')
    .slice(1)
    .flatMap((piece) => {
      const aa = piece.indexOf('aa:');
      const place = piece.slice(0, Math.max(aa, 0)).trimEnd().replace(/,$/, '');
      const parts = parseLocation(place)?.parts ?? [];
      const name = /^\s*(\w+)/.exec(piece.slice(aa + 3))?.[1].toUpperCase();
      const bases = parts.reduce((sum, { start, end }) => sum + end - start + 1, 0);
      if (aa < 0 || bases !== 3 || name === undefined) return [];
      const residue = residueOf[name] ?? (/^[A-Z]$/.test(name) ? name : 'X');
      const [first, last] = [parts[0], parts[parts.length - 1]];
      return [first.strand === 1 ? first.start : first.end, last.strand === 1 ? last.end : last.start].map(
        (base): [number, string] => [base, residue],
      );
    });
}
