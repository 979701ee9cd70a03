import type { OntologyGraph, TermRows } from '../ontology/index.js';
import type { DatedAnnotations, DatedCounts } from './types.js';

/** The terms of each protein at one date, as `closeDate` makes them: propagated, without roots, ascending. */
export interface DatedClosure {
  rows: TermRows;
  counts: DatedCounts;
}

/**
 * Collects the annotations of one date, not propagated: one row for each protein, with repeats. A NOT propagates downwards: it removes
 * the protein's positive entries at the term and below it, and so also the terms that they imply.
 *
 * @throws RangeError for a protein number out of range, or columns of different lengths
 */
export function assertedTerms(
  graph: OntologyGraph,
  proteinCount: number,
  { protein, term, negated }: DatedAnnotations,
): DatedClosure {
  if (term.length !== protein.length || negated.length !== protein.length)
    throw new RangeError(`${protein.length} proteins, ${term.length} terms and ${negated.length} NOT flags`);
  const counts = { annotations: protein.length, negations: 0, denied: 0, unknownTerms: 0, pairs: 0 };
  const denials = new Map<number, number[]>();
  const start = new Int32Array(proteinCount + 1);
  for (let i = 0; i < protein.length; i++) {
    if (!(protein[i] >= 0 && protein[i] < proteinCount))
      throw new RangeError(`protein ${protein[i]} is not one of ${proteinCount}`);
    if (negated[i]) counts.negations++;
    if (!isLive(graph, term[i])) counts.unknownTerms++;
    else if (negated[i]) denials.set(protein[i], [...(denials.get(protein[i]) ?? []), term[i]]);
    else start[protein[i] + 1]++;
  }
  for (let p = 0; p < proteinCount; p++) start[p + 1] += start[p];
  const direct = new Int32Array(start[proteinCount]);
  const next = start.slice();
  for (let i = 0; i < protein.length; i++)
    if (!negated[i] && isLive(graph, term[i])) direct[next[protein[i]]++] = term[i];
  const rows = withoutDenied(graph, { start, terms: direct }, denials);
  counts.denied = direct.length - rows.terms.length;
  return { rows, counts };
}

/**
 * Propagates the annotations of one date upwards. The cost is the annotations after propagation, and for each protein with a NOT the
 * terms below it.
 */
export function closeDate(
  graph: OntologyGraph,
  proteinCount: number,
  annotations: DatedAnnotations,
): DatedClosure {
  const asserted = assertedTerms(graph, proteinCount, annotations);
  const rows = withoutRoots(graph, graph.propagateTerms(asserted.rows));
  return { rows, counts: { ...asserted.counts, pairs: rows.terms.length } };
}

function isLive(graph: OntologyGraph, term: number): boolean {
  return term >= 0 && graph.obsolete[term] === 0;
}

function withoutDenied(
  graph: OntologyGraph,
  rows: TermRows,
  denials: ReadonlyMap<number, number[]>,
): TermRows {
  if (denials.size === 0) return rows;
  return filterRows(rows, (protein) => {
    const denied = denials.get(protein);
    if (denied === undefined) return () => true;
    const below = new Set(graph.descendantsOf(denied));
    return (term) => !below.has(term);
  });
}

function withoutRoots({ parents }: OntologyGraph, rows: TermRows): TermRows {
  const hasParent = (term: number): boolean => parents.start[term] < parents.start[term + 1];
  return filterRows(rows, () => hasParent);
}

function filterRows(rows: TermRows, testOf: (row: number) => (term: number) => boolean): TermRows {
  const count = rows.start.length - 1;
  const start = new Int32Array(count + 1);
  const terms = new Int32Array(rows.terms.length);
  let length = 0;
  for (let row = 0; row < count; row++) {
    const keeps = testOf(row);
    for (let i = rows.start[row]; i < rows.start[row + 1]; i++)
      if (keeps(rows.terms[i])) terms[length++] = rows.terms[i];
    start[row + 1] = length;
  }
  return { start, terms: terms.slice(0, length) };
}
