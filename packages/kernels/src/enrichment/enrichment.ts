import type { OntologyGraph, TermRows } from '../ontology/index.js';
import { falseDiscoveryRates } from './benjamini-hochberg.js';
import { oneSided, twoSided } from './hypergeometric.js';

export interface EnrichmentInput {
  /** The direct terms of each protein of the population; their ancestors are added. */
  rows: TermRows;
  /** A flag for each protein, 1 if it is in the list: [proteins]. */
  isStudied: Uint8Array;
  /** Counts of more proteins of the population that were made before; none of these proteins is in the list. */
  others?: TermCounts;
}

/** How many proteins have each term, directly or by a term below it. The terms are numbers of one graph. */
export interface TermCounts {
  proteins: number;
  /** The number of proteins with each term: [terms]. */
  withTerm: Int32Array;
  /** The number of proteins with any parent of each term: [terms]. */
  withParent: Int32Array;
}

/** The method `classic` compares a term with the whole population, `parent_child` with the proteins that have any of its parents. */
export const enrichmentMethods = ['classic', 'parent_child'] as const;
export type EnrichmentMethod = (typeof enrichmentMethods)[number];

export interface EnrichedTerm {
  /** The number of the term in the graph. */
  term: number;
  aspect: string;
  /** The number of proteins of the list with the term, and of all proteins of the list (for parent_child only those with any parent). */
  studyCount: number;
  studySize: number;
  populationCount: number;
  populationSize: number;
  /** Whether the list has the term more often than the population. */
  isEnriched: boolean;
  /** The p value of Fisher's exact test: two-sided for classic, one-sided (more often) for parent_child. */
  pValue: number;
  /** The false discovery rate by Benjamini and Hochberg, within the aspect. */
  qValue: number;
}

/**
 * Finds the terms that a list of proteins has more (or less) often than its population. Every term that a protein of the population has
 * is tested; annotations propagate over is_a and part_of. The result is in the order of p value, then of id.
 *
 * @param only terms to test; null means all
 * Cost: O(annotations with their ancestors).
 * @throws RangeError if there are not as many flags as rows
 * @cite Grossmann2007
 */
export function enrichment(
  graph: OntologyGraph,
  { rows, isStudied, others }: EnrichmentInput,
  method: EnrichmentMethod,
  only: ReadonlySet<number> | null = null,
): EnrichedTerm[] {
  const own = rows.start.length - 1;
  if (isStudied.length !== own) throw new RangeError(`${isStudied.length} flags for ${own} proteins`);
  const study = countTerms(graph, rows, isStudied);
  const population = addedCounts(countTerms(graph, rows), others ?? noCounts(graph));
  const tested: EnrichedTerm[] = [];
  for (let term = 0; term < graph.size; term++) {
    if (population.withTerm[term] === 0 || only?.has(term) === false) continue;
    tested.push(test(graph, term, { study, population, method }));
  }
  return withRates(graph, tested);
}

/**
 * Counts the proteins that have each term, over is_a and part_of.
 *
 * @param rows direct terms of each protein; their ancestors are added
 * @param isCounted 0 for proteins that are left out: [proteins]; without it all count
 * Cost: O(annotations with their ancestors).
 */
export function countTerms(graph: OntologyGraph, rows: TermRows, isCounted?: Uint8Array): TermCounts {
  const closure = graph.ancestorClosure();
  const counts = noCounts(graph);
  const seen = new Int32Array(graph.size).fill(-1);
  const seenParent = new Int32Array(graph.size).fill(-1);
  const count = (protein: number, term: number) => {
    if (seen[term] === protein) return;
    seen[term] = protein;
    counts.withTerm[term]++;
    for (const child of graph.childrenOf(term)) {
      if (seenParent[child] === protein) continue;
      seenParent[child] = protein;
      counts.withParent[child]++;
    }
  };
  for (let protein = 0; protein + 1 < rows.start.length; protein++) {
    if (isCounted?.[protein] === 0) continue;
    counts.proteins++;
    for (let at = rows.start[protein]; at < rows.start[protein + 1]; at++) {
      const term = rows.terms[at];
      for (let above = closure.start[term]; above < closure.start[term + 1]; above++)
        count(protein, closure.terms[above]);
    }
  }
  return counts;
}

/** Adds the counts of two sets of proteins, which have none in common. */
function addedCounts(a: TermCounts, b: TermCounts): TermCounts {
  return combined(a, b, 1);
}

/** Returns the counts of the proteins of `whole` that are not in `part`. All proteins of `part` must be in `whole`. */
export function withoutCounts(whole: TermCounts, part: TermCounts): TermCounts {
  return combined(whole, part, -1);
}

function combined(a: TermCounts, b: TermCounts, sign: 1 | -1): TermCounts {
  return {
    proteins: a.proteins + sign * b.proteins,
    withTerm: a.withTerm.map((count, term) => count + sign * b.withTerm[term]),
    withParent: a.withParent.map((count, term) => count + sign * b.withParent[term]),
  };
}

function noCounts({ size }: OntologyGraph): TermCounts {
  return { proteins: 0, withTerm: new Int32Array(size), withParent: new Int32Array(size) };
}

function test(
  graph: OntologyGraph,
  term: number,
  { study, population, method }: { study: TermCounts; population: TermCounts; method: EnrichmentMethod },
): EnrichedTerm {
  const isRoot = graph.parentsOf(term).length === 0;
  // A root has no parents, and every protein has it, so there is nothing to test.
  const sizeIn = ({ proteins, withTerm, withParent }: TermCounts) =>
    method === 'classic' ? proteins : (isRoot ? withTerm : withParent)[term];
  const [found, marked] = [study.withTerm[term], population.withTerm[term]];
  const table = { found, drawn: sizeIn(study), marked, population: sizeIn(population) };
  return {
    term,
    aspect: graph.aspects[term] ?? '',
    studyCount: found,
    studySize: table.drawn,
    populationCount: marked,
    populationSize: table.population,
    isEnriched: found * table.population > marked * table.drawn,
    pValue: method === 'classic' ? twoSided(table) : oneSided(table),
    qValue: 1,
  };
}

function withRates(graph: OntologyGraph, tested: readonly EnrichedTerm[]): EnrichedTerm[] {
  const ordered = [...tested].sort(
    (a, b) => a.pValue - b.pValue || (graph.termIds[a.term] < graph.termIds[b.term] ? -1 : 1),
  );
  const aspects = new Set(ordered.map((row) => row.aspect));
  for (const aspect of aspects) {
    const rows = ordered.filter((row) => row.aspect === aspect);
    const rates = falseDiscoveryRates(rows.map((row) => row.pValue));
    for (const [at, row] of rows.entries()) row.qValue = rates[at];
  }
  return ordered;
}
