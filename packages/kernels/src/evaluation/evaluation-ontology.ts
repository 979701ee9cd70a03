import type { TermRecord } from './obo-reader.js';
import { EvaluationInputError } from './options.js';

/** The graph of one namespace (aspect): terms are numbered 0 .. n - 1 in file order. */
export interface EvaluationNamespace {
  name: string;
  termIds: readonly string[];
  numberOf: ReadonlyMap<string, number>;
  /** Alternative id -> the terms that list it. */
  alternatives: ReadonlyMap<string, readonly number[]>;
  /** Parents of term t, each once: parents[parentStart[t] .. parentStart[t + 1]). int32 */
  parentStart: Int32Array;
  parents: Int32Array;
  /** Longest way down to a term without children: every child lies lower than its parents. int32 */
  height: Int32Array;
  maxHeight: number;
}

/**
 * One graph per namespace, in order of first appearance. Links are kept between live terms of one namespace only; a
 * parent elsewhere, obsolete or unknown is left out, and a parent stated twice counts once. A term given twice in a
 * namespace: the last statement holds. Cost: linear in terms and links.
 *
 * @throws EvaluationInputError for a cycle, naming a term of it, or when there is no term
 */
export function buildEvaluationOntology(records: readonly TermRecord[]): EvaluationNamespace[] {
  const groups = new Map<string, Map<string, TermRecord>>();
  for (const record of records) {
    let group = groups.get(record.namespace);
    if (!group) groups.set(record.namespace, (group = new Map()));
    group.set(record.id, record);
  }
  if (groups.size === 0) throw new EvaluationInputError('the ontology has no live term with a namespace');
  return [...groups].map(([name, group]) => buildNamespace(name, [...group.values()]));
}

function buildNamespace(name: string, terms: readonly TermRecord[]): EvaluationNamespace {
  const numberOf = new Map(terms.map((term, number) => [term.id, number]));
  const alternatives = new Map<string, number[]>();
  const parentStart = new Int32Array(terms.length + 1);
  const parents: number[] = [];
  terms.forEach((term, number) => {
    for (const id of new Set(term.alternativeIds)) {
      const listed = alternatives.get(id);
      if (listed) listed.push(number);
      else alternatives.set(id, [number]);
    }
    for (const id of new Set(term.parentIds)) {
      const parent = numberOf.get(id);
      if (parent !== undefined) parents.push(parent);
    }
    parentStart[number + 1] = parents.length;
  });
  const termIds = terms.map((term) => term.id);
  const graph = { parentStart, parents: Int32Array.from(parents) };
  const height = heightsOf(graph, termIds);
  const maxHeight = height.reduce((a, b) => Math.max(a, b), 0);
  return { name, termIds, numberOf, alternatives, ...graph, height, maxHeight };
}

function heightsOf(
  graph: { parentStart: Int32Array; parents: Int32Array },
  termIds: readonly string[],
): Int32Array {
  const { parentStart, parents } = graph;
  const height = new Int32Array(termIds.length);
  const openChildren = new Int32Array(termIds.length);
  for (const parent of parents) openChildren[parent]++;
  const ready: number[] = [];
  openChildren.forEach((count, term) => {
    if (count === 0) ready.push(term);
  });
  let done = 0;
  for (let term = ready.pop(); term !== undefined; term = ready.pop()) {
    done++;
    for (let e = parentStart[term]; e < parentStart[term + 1]; e++) {
      const parent = parents[e];
      height[parent] = Math.max(height[parent], height[term] + 1);
      if (--openChildren[parent] === 0) ready.push(parent);
    }
  }
  if (done < termIds.length) {
    const stuck = openChildren.findIndex((count) => count > 0);
    throw new EvaluationInputError(
      `the ontology has a cycle of is_a and part_of links at or below ${termIds[stuck]}`,
    );
  }
  return height;
}

/** True where a term has no parent inside its namespace: roots, and terms whose parents were all left out. */
export function isOrphan(namespace: EvaluationNamespace, term: number): boolean {
  return namespace.parentStart[term] === namespace.parentStart[term + 1];
}
