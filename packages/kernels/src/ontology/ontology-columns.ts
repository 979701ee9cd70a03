import { type Adjacency, adjacencyOf } from './adjacency.js';
import type { OboDocument } from './obo-document.js';
import { propagatingRelations } from './relations.js';

/**
 * An ontology in plain columns: the output of the readers, the content of a database row, and the form in which it is sent
 * to a thread. Terms are numbers: positions in `termIds`. An id occurs once in each namespace.
 */
export interface OntologyColumns {
  termIds: string[];
  /** The names of the namespaces (aspects), for instance `biological_process`. */
  namespaces: string[];
  /** The index of each term's namespace in `namespaces`, or `noNamespace`. uint8 */
  namespace: Uint8Array;
  /** The value is 1 for each term that is obsolete. uint8 */
  obsolete: Uint8Array;
  /** The edges: edge e leads from term edgeChild[e] to edgeParent[e], possibly in another namespace. int32 */
  edgeChild: Int32Array;
  edgeParent: Int32Array;
  /** The index of each edge's relation in `relationNames`. uint8 */
  edgeRelation: Uint8Array;
  relationNames: string[];
  /** The alternative ids: altIds[i] is one of term altTerms[i]. */
  altIds: string[];
  altTerms: Int32Array;
}

/** The value for a term without a namespace. */
export const noNamespace = 255;

/**
 * Makes the columns of a document: terms in the order of the document, namespaces in the order of their first live term, and as relations
 * is_a, part_of, then the others in the order of their first use.
 */
export function ontologyColumns(document: OboDocument): OntologyColumns {
  const { terms } = document;
  const row = new Map(terms.map((term, i) => [term.id, i]));
  const namespaces = new Map<string, number>();
  const relations = new Map(propagatingRelations.map((name, i) => [name, i]));
  const numberIn = (table: Map<string, number>, name: string): number => {
    if (!table.has(name)) table.set(name, table.size);
    return table.get(name) as number;
  };
  for (const { isObsolete, namespace } of terms)
    if (!isObsolete && namespace !== null) numberIn(namespaces, namespace);
  const edges: [child: number, parent: number, relation: number][] = [];
  const alternatives: [string, number][] = [];
  terms.forEach((term, i) => {
    for (const altId of term.altIds) alternatives.push([altId, i]);
    for (const { id, relation } of term.parents) {
      const parent = row.get(id);
      if (parent === undefined)
        throw new RangeError(`${term.id} ${relation} ${id}: no such term in the document`);
      edges.push([i, parent, numberIn(relations, relation)]);
    }
  });
  return {
    termIds: terms.map((term) => term.id),
    namespace: Uint8Array.from(terms, ({ namespace }) =>
      namespace === null ? noNamespace : numberIn(namespaces, namespace),
    ),
    namespaces: [...namespaces.keys()],
    obsolete: Uint8Array.from(terms, (term) => Number(term.isObsolete)),
    edgeChild: Int32Array.from(edges, ([child]) => child),
    edgeParent: Int32Array.from(edges, ([, parent]) => parent),
    edgeRelation: Uint8Array.from(edges, ([, , relation]) => relation),
    relationNames: [...relations.keys()],
    altIds: alternatives.map(([id]) => id),
    altTerms: Int32Array.from(alternatives, ([, term]) => term),
  };
}

/** @throws RangeError for columns of different lengths, or an edge, namespace or alternative id out of range */
export function checkOntologyColumns(columns: OntologyColumns): void {
  const { edgeChild, edgeParent, edgeRelation, relationNames, namespaces, namespace } = columns;
  const n = columns.termIds.length;
  if (namespace.length !== n || columns.obsolete.length !== n) {
    throw new RangeError(
      `${n} term ids, but ${namespace.length} namespaces and ${columns.obsolete.length} obsolete flags`,
    );
  }
  if (edgeParent.length !== edgeChild.length || edgeRelation.length !== edgeChild.length)
    throw new RangeError('edgeChild, edgeParent and edgeRelation differ in length');
  if (columns.altTerms.length !== columns.altIds.length)
    throw new RangeError('altIds and altTerms differ in length');
  const isTerm = (term: number): boolean => term >= 0 && term < n;
  for (let e = 0; e < edgeChild.length; e++) {
    for (const term of [edgeChild[e], edgeParent[e]])
      if (!isTerm(term)) throw new RangeError(`edge ${e} names term ${term} of ${n}`);
    if (edgeRelation[e] >= relationNames.length)
      throw new RangeError(`edge ${e} has relation ${edgeRelation[e]} of ${relationNames.length}`);
  }
  columns.altTerms.forEach((term, i) => {
    if (!isTerm(term)) throw new RangeError(`${columns.altIds[i]} stands for term ${term} of ${n}`);
  });
  namespace.forEach((number, term) => {
    if (number !== noNamespace && number >= namespaces.length)
      throw new RangeError(`term ${term} is of namespace ${number} of ${namespaces.length}`);
  });
}

/**
 * Returns the edges over which annotations propagate: is_a and part_of between live terms of one namespace, each pair once. The parents
 * of a term ascend; `edge` numbers the pairs. Cost: O(terms and edges).
 */
export function propagatingParents(columns: OntologyColumns): Adjacency {
  const { namespace, obsolete, relationNames } = columns;
  const propagates = relationNames.map((name) => propagatingRelations.includes(name));
  const n = columns.termIds.length;
  const { start, targets, edge } = adjacencyOf(n, columns.edgeChild, columns.edgeParent);
  const children: number[] = [];
  const parents: number[] = [];
  for (let child = 0; child < n; child++) {
    let previous = -1;
    for (let e = start[child]; e < start[child + 1]; e++) {
      const parent = targets[e];
      if (!propagates[columns.edgeRelation[edge[e]]] || parent === previous) continue;
      if (obsolete[child] + obsolete[parent] > 0 || namespace[child] !== namespace[parent]) continue;
      previous = parent;
      children.push(child);
      parents.push(parent);
    }
  }
  return adjacencyOf(n, children, parents);
}

/** Returns the number of each term among those that are not obsolete; -1 for obsolete ones: [terms]. */
export function liveNumbers(obsolete: Uint8Array): Int32Array {
  let next = 0;
  return Int32Array.from(obsolete, (isObsolete) => (isObsolete ? -1 : next++));
}
