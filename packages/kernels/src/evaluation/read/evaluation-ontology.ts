import { ByteIndex } from '../../arrays/index.js';
import {
  noNamespace,
  type OntologyColumns,
  orderParentsFirst,
  propagatingParents,
} from '../../ontology/index.js';
import { EvaluationInputError } from '../options.js';

/** The graph of one namespace (aspect). Terms are numbered 0 .. size - 1 in the order of the columns. All arrays are int32. */
export interface EvaluationNamespace {
  name: string;
  size: number;
  /** The number of each term's identifier. */
  idOf: Int32Array;
  /** The term of which an identifier (by number) is the canonical id; -1 if there is none. */
  termOf: Int32Array;
  /** The alternative ids: alternativeIds[i] is one of term alternativeTerms[i]. An id may lead to several terms. */
  alternativeIds: Int32Array;
  alternativeTerms: Int32Array;
  /** The start of each term's parents: those of term t are parents[parentStart[t] .. parentStart[t + 1]), each once. */
  parentStart: Int32Array;
  parents: Int32Array;
}

/** An ontology that is prepared for the evaluator: identifiers are looked up by their bytes, and each namespace has a graph. */
export interface EvaluationOntology {
  /** All identifiers of the ontology, canonical and alternative, also of obsolete terms. */
  ids: ByteIndex;
  namespaces: EvaluationNamespace[];
}

/**
 * Prepares an ontology for evaluation: one graph for each namespace that has a live term, in the order of `columns.namespaces`, linked by
 * `propagatingParents`. The cost is linear in terms and edges.
 *
 * @throws EvaluationInputError for a cycle, naming its terms, or if no live term has a namespace
 */
export function linkOntology(columns: OntologyColumns): EvaluationOntology {
  const { termIds, namespace, obsolete, namespaces } = columns;
  const ids = new ByteIndex(termIds.length + columns.altIds.length);
  const idOfRow = Int32Array.from(termIds, (id) => ids.addText(id));
  const idOfAlternative = Int32Array.from(columns.altIds, (id) => ids.addText(id));
  const rowsOf: number[][] = namespaces.map(() => []);
  for (let row = 0; row < termIds.length; row++)
    if (obsolete[row] === 0 && namespace[row] !== noNamespace) rowsOf[namespace[row]].push(row);
  const parents = propagatingParents(columns);
  const { cycle } = orderParentsFirst(parents);
  if (cycle !== null) {
    const path = cycle.map((row) => termIds[row]).join(' -> ');
    throw new EvaluationInputError(`the ontology has a cycle of is_a and part_of links: ${path}`);
  }
  const termOfRow = new Int32Array(termIds.length).fill(-1);
  for (const rows of rowsOf) rows.forEach((row, term) => (termOfRow[row] = term));
  const alternativesOf = alternativesByNamespace(columns, termOfRow);
  const linked = rowsOf.flatMap((rows, number): EvaluationNamespace[] => {
    if (rows.length === 0) return [];
    const termOf = new Int32Array(ids.size).fill(-1);
    for (const row of rows) termOf[idOfRow[row]] = termOfRow[row];
    const parentStart = new Int32Array(rows.length + 1);
    rows.forEach((row, term) => {
      parentStart[term + 1] = parentStart[term] + parents.start[row + 1] - parents.start[row];
    });
    const linkedParents = new Int32Array(parentStart[rows.length]);
    rows.forEach((row, term) => {
      for (let e = parents.start[row], at = parentStart[term]; e < parents.start[row + 1]; e++, at++)
        linkedParents[at] = termOfRow[parents.targets[e]];
    });
    const alternatives = alternativesOf[number];
    return [
      {
        name: namespaces[number],
        size: rows.length,
        idOf: Int32Array.from(rows, (row) => idOfRow[row]),
        termOf,
        alternativeIds: Int32Array.from(alternatives, (i) => idOfAlternative[i]),
        alternativeTerms: Int32Array.from(alternatives, (i) => termOfRow[columns.altTerms[i]]),
        parentStart,
        parents: linkedParents,
      },
    ];
  });
  if (linked.length === 0) throw new EvaluationInputError('the ontology has no live term with a namespace');
  return { ids, namespaces: linked };
}

/**
 * Returns the indices into `altIds` of the alternative ids of live terms, by namespace, then by term. An id that a term lists twice
 * counts once.
 */
function alternativesByNamespace(columns: OntologyColumns, termOfRow: Int32Array): number[][] {
  const { altIds, altTerms, namespace } = columns;
  const found: number[][] = columns.namespaces.map(() => []);
  const stated = new Set<string>();
  altTerms.forEach((row, i) => {
    const key = `${row} ${altIds[i]}`;
    if (termOfRow[row] < 0 || stated.has(key)) return;
    stated.add(key);
    found[namespace[row]].push(i);
  });
  for (const places of found) places.sort((a, b) => altTerms[a] - altTerms[b] || a - b);
  return found;
}

/** Says whether a term has no parent inside its namespace: a root, or a term whose parents were all left out. */
export function isOrphan(namespace: EvaluationNamespace, term: number): boolean {
  return namespace.parentStart[term] === namespace.parentStart[term + 1];
}
