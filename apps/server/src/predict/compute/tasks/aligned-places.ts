import { bitScore, blastStatistics } from '@kindred/kernels/homology';
import { task } from '../../../ground/pool/pool.js';
import { type ShownAlignment, shownAlignment } from './shown-alignment.js';

/** The place of an alignment on both sequences; positions count from 1. */
export type AlignedPlace = Omit<ShownAlignment, 'query' | 'source' | 'score'> & {
  /** The share of identical columns, 0 to 1. */
  identity: number;
  bits: number;
};

interface Sequences {
  query: string;
  sources: readonly string[];
}

/** Finds the place at which each source aligns with a query; null for a source that is too long or has no similar residue. */
export function alignedPlaces({ query, sources }: Sequences): (AlignedPlace | null)[] {
  return sources.map((source) => {
    const found = shownAlignment({ query, source });
    if (found === null) return null;
    const { query: letters, source: others, score, ...place } = found;
    const equal = Array.from(letters).filter((letter, at) => letter === others[at]).length;
    return { ...place, identity: equal / letters.length, bits: bitScore(score, blastStatistics) };
  });
}

export const alignedPlacesTask = task(import.meta.url, alignedPlaces);
