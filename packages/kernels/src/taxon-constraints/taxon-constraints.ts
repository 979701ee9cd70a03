import {
  type Adjacency,
  adjacencyOf,
  type OntologyColumns,
  orderParentsFirst,
  propagatingRelations,
} from '../ontology/index.js';
import type { TaxonConstraint } from './read-constraints.js';

/** The constraints by number, in the order in which they were given. Constraints of unknown terms are left out. */
export interface TaxonConstraintArrays {
  constraints: readonly TaxonConstraint[];
  /** The term of each constraint: [constraints]. */
  term: Int32Array;
  /** The kind of each constraint, 1 for only_in and 0 for never_in: [constraints]. */
  only: Uint8Array;
  /** The start of each constraint's taxa: constraint c names taxa[start[c] .. start[c + 1]), as NCBI ids. */
  start: Int32Array;
  taxa: Int32Array;
}

/**
 * GO's taxon constraints over an ontology. A term inherits the constraints of all its ancestors over is_a and part_of, in
 * any aspect.
 *
 * The memory is 4 bytes for each edge and about 20 for each term and constraint; each result of `broken` takes 4 bytes for a term.
 * @cite Deegan2010
 */
export class TaxonConstraints {
  readonly arrays: Readonly<TaxonConstraintArrays>;
  readonly #parents: Adjacency;
  readonly #parentsFirst: Int32Array;

  /**
   * @param unions members of each union of taxa; a member can be a union
   * @throws RangeError for an unknown union; Error if is_a and part_of form a cycle
   */
  constructor(
    columns: OntologyColumns,
    constraints: readonly TaxonConstraint[],
    unions: ReadonlyMap<string, readonly string[]> = new Map(),
  ) {
    const terms = columns.termIds.length;
    const numberOf = new Map(columns.termIds.map((id, term) => [id, term]));
    columns.altIds.forEach((id, at) => {
      if (!numberOf.has(id)) numberOf.set(id, columns.altTerms[at]);
    });
    const known = constraints.filter(({ termId }) => numberOf.has(termId));
    const members = known.map(({ taxon }) => taxaOf(taxon, unions));
    const start = new Int32Array(known.length + 1);
    members.forEach((taxa, c) => {
      start[c + 1] = start[c] + taxa.length;
    });
    this.arrays = {
      constraints: known,
      term: Int32Array.from(known, ({ termId }) => numberOf.get(termId) as number),
      only: Uint8Array.from(known, ({ kind }) => (kind === 'only_in' ? 1 : 0)),
      start,
      taxa: Int32Array.from(members.flat()),
    };
    const inherits = columns.relationNames.map((name) => propagatingRelations.includes(name));
    const kept = columns.edgeChild
      .map((_, edge) => edge)
      .filter((edge) => inherits[columns.edgeRelation[edge]]);
    const child = kept.map((edge) => columns.edgeChild[edge]);
    const parent = kept.map((edge) => columns.edgeParent[edge]);
    this.#parents = adjacencyOf(terms, child, parent);
    const { order } = orderParentsFirst(this.#parents, adjacencyOf(terms, parent, child));
    if (order === null) throw new Error('is_a and part_of form a cycle');
    this.#parentsFirst = order;
  }

  /**
   * Returns for each term the number of the constraint that an annotation of a protein of this taxon with the term violates; -1 if there
   * is none, the lowest number if there are several. The cost is O(terms + edges + constraints), so cache the result for a taxon.
   *
   * @param lineage NCBI ids of the taxon and all its ancestors
   */
  broken(lineage: Iterable<number>): Int32Array {
    const { term, only, start, taxa } = this.arrays;
    const above = new Set(lineage);
    const first = new Int32Array(this.#parentsFirst.length).fill(-1);
    for (let c = term.length - 1; c >= 0; c--) {
      const inside = taxa.subarray(start[c], start[c + 1]).some((taxon) => above.has(taxon));
      if (inside !== (only[c] === 1)) first[term[c]] = c;
    }
    for (const child of this.#parentsFirst)
      for (let e = this.#parents.start[child]; e < this.#parents.start[child + 1]; e++) {
        const inherited = first[this.#parents.targets[e]];
        if (inherited >= 0 && (first[child] < 0 || inherited < first[child])) first[child] = inherited;
      }
    return first;
  }
}

/** Returns the NCBI ids of a taxon, or of all members of a union. */
function taxaOf(taxon: string, unions: ReadonlyMap<string, readonly string[]>): number[] {
  const found = new Set<number>();
  const seen = new Set<string>();
  const waiting = [taxon];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next.startsWith('NCBITaxon:')) {
      found.add(Number(next.slice('NCBITaxon:'.length)));
      continue;
    }
    const members = unions.get(next);
    if (members === undefined) throw new RangeError(`the union of taxa ${next} is not known`);
    waiting.push(...members);
  }
  return [...found].sort((a, b) => a - b);
}
