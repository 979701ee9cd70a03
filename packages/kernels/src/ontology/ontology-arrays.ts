import type { OboDocument, OntologyAspect } from './obo-document.js';

/** An ontology as columns, for instance of database rows. Terms are numbered by their position in `termIds`. */
export interface OntologyArrays {
  termIds: readonly string[];
  aspects: readonly (OntologyAspect | null)[];
  /** Not 0 or true: obsolete. */
  obsolete: ArrayLike<number | boolean>;
  /** Edge e goes from term `edgeChild[e]` to `edgeParent[e]` by `relationNames[edgeRelation[e]]`. */
  edgeChild: ArrayLike<number>;
  edgeParent: ArrayLike<number>;
  edgeRelation: ArrayLike<number>;
  relationNames: readonly string[];
  /** Alternative id and the term that it stands for. */
  altIds: Iterable<readonly [altId: string, term: number]>;
}

/** Columns of a document: terms in its order, relations in the order of their first use after is_a and part_of. */
export function ontologyArrays(document: OboDocument): OntologyArrays {
  const row = new Map(document.terms.map((term, i) => [term.id, i]));
  const relationRow = new Map([
    ['is_a', 0],
    ['part_of', 1],
  ]);
  const edgeChild: number[] = [];
  const edgeParent: number[] = [];
  const edgeRelation: number[] = [];
  const altIds: [string, number][] = [];
  document.terms.forEach((term, i) => {
    for (const altId of term.altIds) altIds.push([altId, i]);
    for (const { id, relation } of term.parents) {
      const parent = row.get(id);
      if (parent === undefined)
        throw new RangeError(`${term.id} ${relation} ${id}: no such term in the document`);
      if (!relationRow.has(relation)) relationRow.set(relation, relationRow.size);
      edgeChild.push(i);
      edgeParent.push(parent);
      edgeRelation.push(relationRow.get(relation) as number);
    }
  });
  return {
    termIds: document.terms.map((term) => term.id),
    aspects: document.terms.map((term) => term.aspect),
    obsolete: document.terms.map((term) => term.isObsolete),
    edgeChild,
    edgeParent,
    edgeRelation,
    relationNames: [...relationRow.keys()],
    altIds,
  };
}

/** @throws RangeError columns of different length, an edge or alternative id to a term that is not there */
export function checkOntologyArrays(arrays: OntologyArrays): void {
  const n = arrays.termIds.length;
  const edges = arrays.edgeChild.length;
  if (arrays.aspects.length !== n || arrays.obsolete.length !== n) {
    throw new RangeError(
      `${n} term ids, but ${arrays.aspects.length} aspects and ${arrays.obsolete.length} obsolete flags`,
    );
  }
  if (arrays.edgeParent.length !== edges || arrays.edgeRelation.length !== edges) {
    throw new RangeError('edgeChild, edgeParent and edgeRelation differ in length');
  }
  for (let e = 0; e < edges; e++) {
    for (const term of [arrays.edgeChild[e], arrays.edgeParent[e]]) {
      if (!(Number.isInteger(term) && term >= 0 && term < n))
        throw new RangeError(`edge ${e} names term ${term} of ${n}`);
    }
    if (arrays.relationNames[arrays.edgeRelation[e]] === undefined) {
      throw new RangeError(
        `edge ${e} has relation ${arrays.edgeRelation[e]} of ${arrays.relationNames.length}`,
      );
    }
  }
  for (const [altId, term] of arrays.altIds) {
    if (!(Number.isInteger(term) && term >= 0 && term < n))
      throw new RangeError(`${altId} stands for term ${term} of ${n}`);
  }
}
