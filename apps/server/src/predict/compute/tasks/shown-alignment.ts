import { encodeResidues, type TracedAlignment, traceAlignment } from '@kindred/kernels/alignment';
import { blastScoring } from '@kindred/kernels/homology';
import { task } from '../../../ground/pool/pool.js';

/** The rows hold letters, and "-" for a gap. Positions count from 1. */
export interface ShownAlignment {
  score: number;
  queryStart: number;
  queryEnd: number;
  sourceStart: number;
  sourceEnd: number;
  query: string;
  source: string;
}

/** A traced alignment has at most this many cells, a byte each: two proteins of 5,000 residues. */
const maxCells = 25_000_000;

/** Aligns two sequences locally, letter by letter; null if they are too long for it. */
export function traced(query: string, source: string): TracedAlignment | null {
  return query.length * source.length > maxCells
    ? null
    : traceAlignment(encodeResidues(query), encodeResidues(source), blastScoring);
}

/** Gives the alignment of two sequences in the form that the page shows. */
export function shownAlignment({ query, source }: { query: string; source: string }): ShownAlignment | null {
  return shown(traced(query, source));
}

function shown(pair: TracedAlignment | null): ShownAlignment | null {
  if (pair === null) return null;
  const letters = (codes: Int8Array) =>
    Array.from(codes, (code) => (code < 0 ? '-' : code < 26 ? String.fromCharCode(65 + code) : '*')).join('');
  return {
    score: pair.score,
    queryStart: pair.queryStart + 1,
    queryEnd: pair.queryStart + pair.queryResidues,
    sourceStart: pair.targetStart + 1,
    sourceEnd: pair.targetStart + pair.targetResidues,
    query: letters(pair.query),
    source: letters(pair.target),
  };
}

export const shownAlignmentTask = task(import.meta.url, shownAlignment);
