import type { TermEvidence } from '../../app/api/predictions.js';

type Alignment = NonNullable<TermEvidence['alignment']>;

/** A block of up to 60 columns of an alignment, with its first and last residues, from 1. */
export interface AlignmentBlock {
  query: string;
  source: string;
  /** A bar below each pair of equal letters. */
  marks: string;
  queryStart: number;
  queryEnd: number;
  sourceStart: number;
  sourceEnd: number;
}

const columns = 60;

export function alignmentBlocks({ query, source, query_start, source_start }: Alignment): AlignmentBlock[] {
  const blocks: AlignmentBlock[] = [];
  let queryAt = query_start;
  let sourceAt = source_start;
  for (let from = 0; from < query.length; from += columns) {
    const above = query.slice(from, from + columns);
    const below = source.slice(from, from + columns);
    const queryNext = queryAt + residues(above);
    const sourceNext = sourceAt + residues(below);
    blocks.push({
      query: above,
      source: below,
      marks: Array.from(above, (letter, i) => (letter === below[i] ? '|' : ' ')).join(''),
      queryStart: queryAt,
      queryEnd: queryNext - 1,
      sourceStart: sourceAt,
      sourceEnd: sourceNext - 1,
    });
    queryAt = queryNext;
    sourceAt = sourceNext;
  }
  return blocks;
}

function residues(letters: string): number {
  return letters.replaceAll('-', '').length;
}

/** A part of a protein: its first and last residue, counted from 1, and the length of the whole. */
export interface AlignedSpan {
  start: number;
  end: number;
  length: number;
}

/**
 * Returns the aligned parts of both proteins. The length of the whole follows from the coverage; without a coverage the whole ends with
 * the part.
 */
export function spansOf(
  alignment: Alignment,
  coverage: { query_coverage: number | null; source_coverage: number | null } | undefined,
): { query: AlignedSpan; source: AlignedSpan } {
  const { query_start, query_end, source_start, source_end } = alignment;
  return {
    query: spanOf(query_start, query_end, coverage?.query_coverage ?? null),
    source: spanOf(source_start, source_end, coverage?.source_coverage ?? null),
  };
}

function spanOf(start: number, end: number, coverage: number | null): AlignedSpan {
  const length = coverage === null ? end : Math.max(end, Math.round((end - start + 1) / coverage));
  return { start, end, length };
}
