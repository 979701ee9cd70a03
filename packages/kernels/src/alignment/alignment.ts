import { blosum62 } from './blosum62.js';
import { alphabetSize, paddingCode } from './residues.js';

/**
 * `global` aligns both sequences from end to end and charges end gaps (Needleman-Wunsch). `local` finds the best pair of segments
 * (Smith-Waterman). `overlap` aligns both sequences from end to end, but gaps at either end of either sequence are free.
 */
export type AlignmentMode = 'global' | 'local' | 'overlap';

/** Scores of columns and gaps. A gap of n residues costs gapOpen + (n - 1) * gapExtend. */
export interface AlignmentScoring {
  /** Scores of all pairs of residue codes (32 x 32); the row is that of the query residue. */
  matrix: Int8Array;
  /** The cost of the first residue of a gap: an integer from gapExtend to 1000. */
  gapOpen: number;
  /** The cost of each further residue of a gap: an integer from 0 to gapOpen. */
  gapExtend: number;
}

/** The scoring of the service: BLOSUM62, and a gap of n residues costs 10 + (n - 1). */
export const defaultScoring: AlignmentScoring = { matrix: blosum62, gapOpen: 10, gapExtend: 1 };

/** The counts of one alignment over all its columns. A local alignment without a positive column is empty, and all its counts are 0. */
export interface AlignmentCounts {
  score: number;
  /** Columns with the same letter twice. */
  identical: number;
  /** Columns of two residues with a positive score. */
  similar: number;
  /** Columns with a gap in either row. */
  gaps: number;
  /** All columns, with the end gaps of a global alignment. */
  length: number;
}

/** The pairs to align: pair p is sequences[query[p]] (rows) with sequences[target[p]] (columns). */
export interface AlignmentPairs {
  /** Residue codes, as `encodeResidues` makes them; no sequence is empty. */
  sequences: readonly Uint8Array[];
  query: Int32Array;
  target: Int32Array;
}

/** The counts of many pairs: entry p of each column belongs to pair p, and `AlignmentCounts` says what a column counts. */
export interface AlignmentTable {
  score: Int32Array;
  identical: Int32Array;
  similar: Int32Array;
  gaps: Int32Array;
  length: Int32Array;
}

export interface AlignOptions {
  mode: AlignmentMode;
  /** @default defaultScoring */
  scoring?: AlignmentScoring;
  /** A function that is called between batches and inside large ones; when it returns true, the call ends with an AbortError. */
  isAborted?: () => boolean;
  /** A function that gets the number of pairs done so far after each batch. */
  onProgress?: (done: number) => void;
}

/** An implementation of alignment. All implementations return identical results. */
export interface PairAligner {
  readonly name: 'plain' | 'wasm' | 'avx2' | 'avx512';
  align(pairs: AlignmentPairs, options: AlignOptions): AlignmentTable;
}

export function alignmentTable(rows: number): AlignmentTable {
  const column = (): Int32Array => new Int32Array(rows);
  return { score: column(), identical: column(), similar: column(), gaps: column(), length: column() };
}

/** @throws RangeError if the kernels do not support the scoring */
export function checkScoring(scoring: AlignmentScoring): void {
  const { matrix, gapOpen, gapExtend } = scoring;
  if (matrix.length !== alphabetSize * alphabetSize) {
    throw new RangeError(`substitution matrix has ${matrix.length} entries, expected 32 x 32`);
  }
  const whole = Number.isInteger(gapOpen) && Number.isInteger(gapExtend);
  if (!whole || gapExtend < 0 || gapOpen < gapExtend || gapOpen > 1000) {
    throw new RangeError(
      `gap costs must be integers, 0 <= extend <= open <= 1000: open ${gapOpen}, extend ${gapExtend}`,
    );
  }
}

/** @throws RangeError for an index outside the sequences, an empty sequence or a code that is not a residue */
export function checkPairs(pairs: AlignmentPairs): void {
  const { sequences, query, target } = pairs;
  if (query.length !== target.length) {
    throw new RangeError(`${query.length} queries but ${target.length} targets`);
  }
  for (const [index, sequence] of sequences.entries()) {
    if (sequence.length === 0) throw new RangeError(`sequence ${index} is empty`);
    for (const code of sequence)
      if (code >= paddingCode) throw new RangeError(`sequence ${index}: residue code ${code}`);
  }
  for (const side of [query, target]) {
    for (const index of side) {
      if (!(index >= 0 && index < sequences.length)) throw new RangeError(`no sequence ${index}`);
    }
  }
}

/** Makes the error of a call whose `isAborted` returned true. */
export function abortError(): DOMException {
  return new DOMException('alignment was cancelled', 'AbortError');
}
