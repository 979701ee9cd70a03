import type { CombinedQuery } from '@kindred/kernels/combined';
import type { CombinedInput } from './combined-tasks.js';
import type { TermExplanation } from './combined-scorer.js';
import type { ComputeTask } from '../../ground/pool/pool.js';

/** One query with its donors, and one of its terms. */
export interface TermEvidenceInput extends Pick<CombinedInput, 'shared'> {
  query: CombinedQuery;
  term: number;
  sequence: string;
  /** Residues of the donors, and of the reference that is aligned. */
  letters: ReadonlyMap<number, string>;
  /** The reference whose alignment with the query is wanted, -1 for none. */
  alignWith: number;
}

export interface DonorOfTerm {
  reference: number;
  /** Null for a donor that was found by distance. */
  logEValue: number | null;
  identity: number | null;
  distance: number | null;
  /** Shares of the residues that the alignment covers; null where the pair is too long to be aligned for it. */
  queryCoverage: number | null;
  donorCoverage: number | null;
  addedByAlignment: number;
  addedByDistance: number;
  /** Mask of the evidence groups of its annotation with the term. */
  groups: number;
}

/** Rows of letters, "-" for a gap. Positions count from 1. */
export interface ShownAlignment {
  score: number;
  queryStart: number;
  queryEnd: number;
  donorStart: number;
  donorEnd: number;
  query: string;
  donor: string;
}

export interface TermEvidenceOutput {
  /** Null where the query has no score for the term. */
  explanation: TermExplanation | null;
  /** Donors of the term that the score rests on, those that add most first. */
  donors: DonorOfTerm[];
  /** The term's score without each of the first donors. */
  scoresWithout: number[];
  /** Mask of the evidence groups by which the protein itself has the term. */
  ownGroups: number;
  alignment: ShownAlignment | null;
}

/** The donors of each query, by a search; null for one that has no answer. */
export const searchedDonorsTask: ComputeTask<CombinedInput, (CombinedQuery | null)[]> = {
  file: new URL('./tasks/term-evidence.js', import.meta.url),
  export: 'searchedDonors',
};

/** Local alignment of two sequences; null where they are too long for it. */
export const shownAlignmentTask: ComputeTask<{ query: string; donor: string }, ShownAlignment | null> = {
  file: new URL('./tasks/term-evidence.js', import.meta.url),
  export: 'shownAlignment',
};

export const termEvidenceTask: ComputeTask<TermEvidenceInput, TermEvidenceOutput> = {
  file: new URL('./tasks/term-evidence.js', import.meta.url),
  export: 'termEvidence',
};
