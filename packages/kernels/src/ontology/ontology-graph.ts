import { type Adjacency, adjacencyOf, reversed } from './adjacency.js';
import { orderParentsFirst } from './cycle.js';
import type { OboDocument, OntologyAspect } from './obo-document.js';
import { checkOntologyArrays, ontologyArrays, type OntologyArrays } from './ontology-arrays.js';
import { propagatingRelations } from './relations.js';
import { type Subgraph, type SubgraphOptions, subgraphOf } from './subgraph.js';

/** Rows of terms: those of row r are `terms[start[r] .. start[r + 1])`. */
export interface TermRows {
  start: Int32Array;
  terms: Int32Array;
}

export class OntologyCycleError extends Error {
  /** Term ids from child to parent, the first repeated at the end. */
  readonly cycle: readonly string[];
  constructor(cycle: readonly string[]) {
    super(`is_a and part_of form a cycle: ${cycle.join(' -> ')}`);
    this.name = 'OntologyCycleError';
    this.cycle = cycle;
  }
}

/**
 * An ontology snapshot for computing: terms are numbers (positions in the input), sets of terms come out ascending and
 * without repetition. Annotations propagate over is_a and part_of between live terms of one aspect; every other edge is
 * kept for `subgraph` only. Nothing here recurses, so depth is no limit. Methods share a scratch array: one graph serves
 * one thread, and no method calls back.
 *
 * @cite Ashburner2000
 */
export class OntologyGraph {
  readonly termIds: readonly string[];
  readonly aspects: readonly (OntologyAspect | null)[];
  /** 1 where obsolete. */
  readonly obsolete: Uint8Array;
  readonly relationNames: readonly string[];
  /** Propagating parents of each term, ascending, each once. */
  readonly parents: Readonly<Adjacency>;
  readonly children: Readonly<Adjacency>;
  /** All terms, every parent before its children. */
  readonly topologicalOrder: Int32Array;
  /** Every edge, from the child; `edge` indexes `edgeRelation`. */
  readonly #edges: Adjacency;
  readonly #edgesDown: Adjacency;
  readonly #edgeRelation: Uint16Array;
  readonly #indexOfId: Map<string, number>;
  readonly #indexOfAltId: Map<string, number>;
  readonly #seen: Int32Array;
  #generation = 0;
  #closure: TermRows | null = null;

  /** @throws RangeError inconsistent columns; OntologyCycleError is_a and part_of go round */
  constructor(arrays: OntologyArrays) {
    checkOntologyArrays(arrays);
    const n = arrays.termIds.length;
    this.termIds = arrays.termIds;
    this.aspects = arrays.aspects;
    this.obsolete = Uint8Array.from({ length: n }, (_, i) => Number(Boolean(arrays.obsolete[i])));
    this.relationNames = arrays.relationNames;
    this.#edges = adjacencyOf(n, arrays.edgeChild, arrays.edgeParent);
    this.#edgesDown = adjacencyOf(n, arrays.edgeParent, arrays.edgeChild);
    this.#edgeRelation = Uint16Array.from(arrays.edgeRelation);
    this.parents = this.#propagatingParents(n);
    this.children = reversed(n, this.parents);
    const { order, cycle } = orderParentsFirst(this.parents, this.children);
    if (order === null) throw new OntologyCycleError(cycle.map((term) => this.termIds[term]));
    this.topologicalOrder = order;
    this.#indexOfId = new Map(arrays.termIds.map((id, i) => [id, i]));
    if (this.#indexOfId.size !== n) throw new RangeError('a term id occurs twice');
    this.#indexOfAltId = new Map();
    for (const [altId, term] of arrays.altIds)
      if (!this.#indexOfAltId.has(altId)) this.#indexOfAltId.set(altId, term);
    this.#seen = new Int32Array(n);
  }

  static fromDocument(document: OboDocument): OntologyGraph {
    return new OntologyGraph(ontologyArrays(document));
  }

  get size(): number {
    return this.termIds.length;
  }

  /**
   * Number of a term id; an alternative id gives the term that it stands for, also where an obsolete term of the same
   * id exists. -1 for an unknown id. An obsolete term has a number too: see `obsolete`.
   */
  indexOf(id: string): number {
    const term = this.#indexOfId.get(id);
    if (term !== undefined && this.obsolete[term] === 0) return term;
    return this.#indexOfAltId.get(id) ?? term ?? -1;
  }

  /** Number of a live term, its alternative ids included; -1 for unknown and obsolete ones. */
  liveIndexOf(id: string): number {
    const term = this.indexOf(id);
    return term >= 0 && this.obsolete[term] === 0 ? term : -1;
  }

  parentsOf(term: number): Int32Array {
    return this.parents.targets.subarray(this.parents.start[term], this.parents.start[term + 1]);
  }

  childrenOf(term: number): Int32Array {
    return this.children.targets.subarray(this.children.start[term], this.children.start[term + 1]);
  }

  /** Live terms of an aspect without a propagating parent; in GO one. Cost: O(terms). */
  roots(aspect: OntologyAspect | null): Int32Array {
    const found: number[] = [];
    for (let i = 0; i < this.size; i++) {
      const top = this.parents.start[i] === this.parents.start[i + 1];
      if (top && this.obsolete[i] === 0 && this.aspects[i] === aspect) found.push(i);
    }
    return Int32Array.from(found);
  }

  /** The terms and everything above them. Cost: O(result and its edges). */
  ancestorsOf(terms: Iterable<number>): Int32Array {
    return this.#reach(terms, this.parents);
  }

  /** The terms and everything below them. Cost: O(result and its edges). */
  descendantsOf(terms: Iterable<number>): Int32Array {
    return this.#reach(terms, this.children);
  }

  /** The terms that are above no other term of the set. Cost: O(ancestors and their edges). */
  leavesOnly(terms: Iterable<number>): Int32Array {
    const members = Int32Array.from(new Set(terms)).sort();
    const above: number[] = [];
    for (const term of members) above.push(...this.parentsOf(term));
    this.#reach(above, this.parents);
    return members.filter((term) => this.#seen[term] !== this.#generation);
  }

  /**
   * Each row closed upwards, roots included. The first call builds the closure of all terms (GO: about 0.1 s and 4 MB),
   * later ones cost O(sum of the ancestors of the given terms).
   */
  propagateTerms(rows: TermRows): TermRows {
    const closure = this.ancestorClosure();
    const count = rows.start.length - 1;
    const start = new Int32Array(count + 1);
    let out = new Int32Array(Math.max(1024, rows.terms.length * 8));
    let length = 0;
    for (let r = 0; r < count; r++) {
      const generation = ++this.#generation;
      for (let t = rows.start[r]; t < rows.start[r + 1]; t++) {
        const term = this.#checked(rows.terms[t]);
        const end = closure.start[term + 1];
        if (length + end - closure.start[term] > out.length)
          out = grown(out, length + end - closure.start[term]);
        for (let a = closure.start[term]; a < end; a++) {
          const ancestor = closure.terms[a];
          if (this.#seen[ancestor] === generation) continue;
          this.#seen[ancestor] = generation;
          out[length++] = ancestor;
        }
      }
      out.subarray(start[r], length).sort();
      start[r + 1] = length;
    }
    return { start, terms: out.slice(0, length) };
  }

  /** For every term itself and all its ancestors, ascending. Built once; do not change it. */
  ancestorClosure(): Readonly<TermRows> {
    this.#closure ??= this.#buildClosure();
    return this.#closure;
  }

  /** Terms within `maxDepth` steps and the edges among them, cross-aspect ones included. */
  subgraph(terms: Iterable<number>, options: SubgraphOptions = {}): Subgraph {
    const seeds = [...new Set(terms)].map((term) => this.#checked(term)).sort((a, b) => a - b);
    const { relationNames } = this;
    return subgraphOf(
      { up: this.#edges, down: this.#edgesDown, relation: this.#edgeRelation, relationNames },
      seeds,
      options,
    );
  }

  #propagatingParents(n: number): Adjacency {
    const propagates = this.relationNames.map((name) => propagatingRelations.includes(name));
    const { start, targets, edge } = this.#edges;
    const children: number[] = [];
    const parents: number[] = [];
    for (let child = 0; child < n; child++) {
      let previous = -1;
      for (let e = start[child]; e < start[child + 1]; e++) {
        const parent = targets[e];
        if (!propagates[this.#edgeRelation[edge[e]]] || parent === previous) continue;
        if (this.obsolete[child] + this.obsolete[parent] > 0 || this.aspects[child] !== this.aspects[parent])
          continue;
        previous = parent;
        children.push(child);
        parents.push(parent);
      }
    }
    return adjacencyOf(n, children, parents);
  }

  /** Leaves the result marked with the present generation in `#seen`. */
  #reach(terms: Iterable<number>, { start, targets }: Readonly<Adjacency>): Int32Array {
    const generation = ++this.#generation;
    const found: number[] = [];
    for (const term of terms) {
      if (this.#seen[this.#checked(term)] === generation) continue;
      this.#seen[term] = generation;
      found.push(term);
    }
    for (let head = 0; head < found.length; head++) {
      for (let e = start[found[head]]; e < start[found[head] + 1]; e++) {
        if (this.#seen[targets[e]] === generation) continue;
        this.#seen[targets[e]] = generation;
        found.push(targets[e]);
      }
    }
    return Int32Array.from(found).sort();
  }

  #buildClosure(): TermRows {
    const start = new Int32Array(this.size + 1);
    const parts: Int32Array[] = [];
    for (let term = 0; term < this.size; term++) {
      parts.push(this.ancestorsOf([term]));
      start[term + 1] = start[term] + parts[term].length;
    }
    const terms = new Int32Array(start[this.size]);
    parts.forEach((part, term) => terms.set(part, start[term]));
    return { start, terms };
  }

  #checked(term: number): number {
    if (term >= 0 && term < this.size && Number.isInteger(term)) return term;
    throw new RangeError(`term ${term} is not one of the ${this.size} terms of this ontology`);
  }
}

function grown(array: Int32Array, needed: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(needed, array.length * 2));
  larger.set(array);
  return larger;
}
