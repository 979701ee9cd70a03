import { GrowingInt32 } from '../arrays/index.js';
import { type Adjacency, adjacencyOf, reversed } from './adjacency.js';
import { orderParentsFirst } from './cycle.js';
import { aspectOf, type OboDocument, type OntologyAspect } from './obo-document.js';
import {
  checkOntologyColumns,
  type OntologyColumns,
  ontologyColumns,
  propagatingParents,
} from './ontology-columns.js';
import { type Subgraph, type SubgraphOptions, subgraphOf } from './subgraph.js';

/** Rows of terms: those of row r are `terms[start[r] .. start[r + 1])`. */
export interface TermRows {
  start: Int32Array;
  terms: Int32Array;
}

export class OntologyCycleError extends Error {
  /** The term ids from child to parent, with the first repeated at the end. */
  readonly cycle: readonly string[];
  constructor(cycle: readonly string[]) {
    super(`is_a and part_of form a cycle: ${cycle.join(' -> ')}`);
    this.name = 'OntologyCycleError';
    this.cycle = cycle;
  }
}

/**
 * An ontology snapshot for computations: terms are numbers (positions in the input); returned sets of terms are ascending without
 * repeats. Annotations propagate over is_a and part_of between live terms of one aspect; every other edge is kept for `subgraph` only. No
 * method recurses, so the depth is not limited. The methods share a scratch array, so use one graph for each thread. No method calls
 * back.
 *
 * @cite Ashburner2000
 */
export class OntologyGraph {
  readonly termIds: readonly string[];
  readonly aspects: readonly (OntologyAspect | null)[];
  /** The value is 1 where a term is obsolete. */
  readonly obsolete: Uint8Array;
  readonly relationNames: readonly string[];
  /** The parents of each term over which annotations propagate, ascending, each once. */
  readonly parents: Readonly<Adjacency>;
  readonly children: Readonly<Adjacency>;
  /** All terms, with every parent before its children. */
  readonly topologicalOrder: Int32Array;
  /** Every edge, from the child; its `edge` is an index into `edgeRelation`. */
  readonly #edges: Adjacency;
  readonly #edgesDown: Adjacency;
  readonly #edgeRelation: Uint8Array;
  readonly #indexOfId: Map<string, number>;
  readonly #indexOfAltId: Map<string, number>;
  readonly #seen: Int32Array;
  #generation = 0;
  #closure: TermRows | null = null;

  /** @throws RangeError for inconsistent columns; OntologyCycleError if is_a and part_of form a cycle */
  constructor(columns: OntologyColumns) {
    checkOntologyColumns(columns);
    const { termIds, namespaces, edgeChild, edgeParent } = columns;
    const n = termIds.length;
    const aspectOfNumber = namespaces.map(aspectOf);
    this.termIds = termIds;
    this.aspects = Array.from(columns.namespace, (number) => aspectOfNumber[number] ?? null);
    this.obsolete = columns.obsolete;
    this.relationNames = columns.relationNames;
    this.#edges = adjacencyOf(n, edgeChild, edgeParent);
    this.#edgesDown = adjacencyOf(n, edgeParent, edgeChild);
    this.#edgeRelation = columns.edgeRelation;
    this.parents = propagatingParents(columns);
    this.children = reversed(n, this.parents);
    const { order, cycle } = orderParentsFirst(this.parents, this.children);
    if (order === null) throw new OntologyCycleError(cycle.map((term) => termIds[term]));
    this.topologicalOrder = order;
    this.#indexOfId = new Map(termIds.map((id, i) => [id, i]));
    if (this.#indexOfId.size !== n) throw new RangeError('a term id occurs twice');
    this.#indexOfAltId = new Map();
    columns.altIds.forEach((altId, i) => {
      if (!this.#indexOfAltId.has(altId)) this.#indexOfAltId.set(altId, columns.altTerms[i]);
    });
    this.#seen = new Int32Array(n);
  }

  static fromDocument(document: OboDocument): OntologyGraph {
    return new OntologyGraph(ontologyColumns(document));
  }

  get size(): number {
    return this.termIds.length;
  }

  /**
   * Returns the number of a term id. An alternative id gives its main term, even if there is an obsolete term with the same id; an
   * unknown id gives -1. Obsolete terms have a number, too: see `obsolete`.
   */
  indexOf(id: string): number {
    const term = this.#indexOfId.get(id);
    if (term !== undefined && this.obsolete[term] === 0) return term;
    return this.#indexOfAltId.get(id) ?? term ?? -1;
  }

  /** Returns the number of a live term by its id or an alternative id; -1 for unknown and obsolete terms. */
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

  /** Returns the live terms of an aspect that have no parent over is_a or part_of; GO has one for each aspect. Cost: O(terms). */
  roots(aspect: OntologyAspect | null): Int32Array {
    const found: number[] = [];
    for (let i = 0; i < this.size; i++) {
      const top = this.parents.start[i] === this.parents.start[i + 1];
      if (top && this.obsolete[i] === 0 && this.aspects[i] === aspect) found.push(i);
    }
    return Int32Array.from(found);
  }

  /** Returns the terms and everything above them. Cost: O(result and its edges). */
  ancestorsOf(terms: Iterable<number>): Int32Array {
    return this.#reach(terms, this.parents);
  }

  /** Returns the terms and everything below them. Cost: O(result and its edges). */
  descendantsOf(terms: Iterable<number>): Int32Array {
    return this.#reach(terms, this.children);
  }

  /** Returns the terms that are not ancestors of another term of the set. Cost: O(ancestors and their edges). */
  leavesOnly(terms: Iterable<number>): Int32Array {
    const members = Int32Array.from(new Set(terms)).sort();
    const above: number[] = [];
    for (const term of members) above.push(...this.parentsOf(term));
    this.#reach(above, this.parents);
    return members.filter((term) => this.#seen[term] !== this.#generation);
  }

  /**
   * Adds all ancestors to each row, with the roots. The first call builds the closure of all terms (GO: about 0.1 s and 4 MB); later
   * calls cost O(sum of the ancestors of the given terms).
   */
  propagateTerms(rows: TermRows): TermRows {
    const closure = this.ancestorClosure();
    const count = rows.start.length - 1;
    const start = new Int32Array(count + 1);
    const out = new GrowingInt32(Math.max(1024, rows.terms.length * 8));
    for (let r = 0; r < count; r++) {
      const generation = ++this.#generation;
      for (let t = rows.start[r]; t < rows.start[r + 1]; t++) {
        const term = this.#checked(rows.terms[t]);
        const end = closure.start[term + 1];
        for (let a = closure.start[term]; a < end; a++) {
          const ancestor = closure.terms[a];
          if (this.#seen[ancestor] === generation) continue;
          this.#seen[ancestor] = generation;
          out.push(ancestor);
        }
      }
      out.view().subarray(start[r]).sort();
      start[r + 1] = out.length;
    }
    return { start, terms: out.finish() };
  }

  /** Returns rows with each term and all its ancestors, ascending. They are built once and must not be modified. */
  ancestorClosure(): Readonly<TermRows> {
    this.#closure ??= this.#buildClosure();
    return this.#closure;
  }

  /** Returns the terms within `maxDepth` steps and the edges between them, with edges between aspects. */
  subgraph(terms: Iterable<number>, options: SubgraphOptions = {}): Subgraph {
    const seeds = [...new Set(terms)].map((term) => this.#checked(term)).sort((a, b) => a - b);
    const { relationNames } = this;
    return subgraphOf(
      { up: this.#edges, down: this.#edgesDown, relation: this.#edgeRelation, relationNames },
      seeds,
      options,
    );
  }

  /** Marks the result with the current generation in `#seen`. */
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
