import type { OntologyGraph, TermRows } from '../ontology/index.js';
import { falseDiscoveryRates } from './benjamini-hochberg.js';
import { oneSided, twoSided } from './hypergeometric.js';

export interface EnrichmentInput {
  /** Direct terms of each protein of the population; their ancestors are added. */
  rows: TermRows;
  /** 1 for proteins of the list: [proteins]. */
  isStudied: Uint8Array;
}

/** classic: a term against the whole population; parent_child: against the proteins that have any of its parents. */
export const enrichmentMethods = ['classic', 'parent_child'] as const;
export type EnrichmentMethod = (typeof enrichmentMethods)[number];

export interface EnrichedTerm {
  /** Number of the term in the graph. */
  term: number;
  aspect: string;
  /** Proteins of the list with the term, and all proteins of the list (parent_child: only those with any parent). */
  studyCount: number;
  studySize: number;
  populationCount: number;
  populationSize: number;
  /** Whether the list has the term more often than the population. */
  isEnriched: boolean;
  /** Fisher's exact test: two-sided for classic, one-sided (more often) for parent_child. */
  pValue: number;
  /** False discovery rate by Benjamini and Hochberg, within the aspect. */
  qValue: number;
}

/**
 * Terms that a list of proteins has more (or less) often than its population. Tests every term that a protein of the
 * population has; annotations propagate over is_a and part_of. Ordered by p value, then by id.
 *
 * @param only terms to test, null: all
 * Cost: O(annotations with their ancestors).
 * @throws RangeError if there are not as many flags as rows
 * @cite Grossmann2007
 */
export function enrichment(
  graph: OntologyGraph,
  { rows, isStudied }: EnrichmentInput,
  method: EnrichmentMethod,
  only: ReadonlySet<number> | null = null,
): EnrichedTerm[] {
  const size = rows.start.length - 1;
  if (isStudied.length !== size) throw new RangeError(`${isStudied.length} flags for ${size} proteins`);
  const propagated = graph.propagateTerms(rows);
  const counts = countTerms(graph, propagated, isStudied);
  const tested: EnrichedTerm[] = [];
  for (let term = 0; term < graph.size; term++) {
    if (counts.population[term] === 0 || only?.has(term) === false) continue;
    const bounds =
      method === 'classic'
        ? { study: counts.studied, population: size }
        : { study: counts.studyParents[term], population: counts.populationParents[term] };
    tested.push(test(graph, term, { counts, bounds, method }));
  }
  return withRates(graph, tested);
}

interface Counts {
  studied: number;
  /** Proteins with the term: [terms]. */
  study: Int32Array;
  population: Int32Array;
  /** Proteins with any parent of the term: [terms]. */
  studyParents: Int32Array;
  populationParents: Int32Array;
}

function countTerms(graph: OntologyGraph, { start, terms }: TermRows, isStudied: Uint8Array): Counts {
  const column = (): Int32Array => new Int32Array(graph.size);
  const counts = {
    studied: isStudied.reduce((sum, flag) => sum + flag, 0),
    study: column(),
    population: column(),
    studyParents: column(),
    populationParents: column(),
  };
  const counted = new Int32Array(graph.size).fill(-1);
  for (let protein = 0; protein < isStudied.length; protein++) {
    const studied = isStudied[protein];
    for (let at = start[protein]; at < start[protein + 1]; at++) {
      const term = terms[at];
      counts.population[term]++;
      counts.study[term] += studied;
      for (const child of graph.childrenOf(term)) {
        if (counted[child] === protein) continue;
        counted[child] = protein;
        counts.populationParents[child]++;
        counts.studyParents[child] += studied;
      }
    }
  }
  return counts;
}

function test(
  graph: OntologyGraph,
  term: number,
  {
    counts,
    bounds,
    method,
  }: { counts: Counts; bounds: { study: number; population: number }; method: EnrichmentMethod },
): EnrichedTerm {
  const isRoot = graph.parentsOf(term).length === 0;
  // A root has no parents: every protein has it, so there is nothing to test.
  const study = method === 'parent_child' && isRoot ? counts.study[term] : bounds.study;
  const population = method === 'parent_child' && isRoot ? counts.population[term] : bounds.population;
  const [found, marked] = [counts.study[term], counts.population[term]];
  const table = { found, drawn: study, marked, population };
  return {
    term,
    aspect: graph.aspects[term] ?? '',
    studyCount: found,
    studySize: study,
    populationCount: marked,
    populationSize: population,
    isEnriched: found * population > marked * study,
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
