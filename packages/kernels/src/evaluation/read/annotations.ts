import type { EvaluationOntology } from './evaluation-ontology.js';
import { ByteIndex, GrowingInt32 } from '../../arrays/index.js';
import { LineScanner } from '../../formats/index.js';
import { splitColumns, textOf } from './fields.js';
import { EvaluationInputError } from '../options.js';
import { buildTermLookup, type TermLookup } from './term-lookup.js';

/** The annotations of one namespace. Proteins are rows in order of first appearance; terms are as given, not propagated. */
export interface NamespaceAnnotations {
  /** The number in `proteins` of each row's protein. int32 */
  proteinOf: Int32Array;
  /** The row of each protein number; -1 if it has none. int32 */
  rowOf: Int32Array;
  /** The rows of the pairs: pair i says that row rows[i] has term terms[i]. Pairs may repeat. int32 */
  rows: Int32Array;
  terms: Int32Array;
}

export interface AnnotationTable {
  proteins: ByteIndex;
  namespaces: NamespaceAnnotations[];
  /** The counts of what was read and what was left out. */
  counts: { lines: number; annotations: number; unknownTerms: number };
}

/** Pairs in columns: pair i says that proteins[protein[i]] has terms[term[i]]. int32 */
export interface AnnotationPairs {
  proteins: readonly string[];
  terms: readonly string[];
  protein: Int32Array;
  term: Int32Array;
}

/**
 * Collects (protein, term) pairs. `add` takes single pairs; `push` and `end` take a stream, separated by white space, with the pairs in
 * its first two columns. An alternative id stands for its terms. Pairs with an unknown term are counted and left out; a header line
 * (second column `term`) is ignored.
 */
export class AnnotationCollector {
  readonly #ids: ByteIndex;
  readonly #lookup: TermLookup;
  readonly #proteins = new ByteIndex();
  readonly #namespaces: {
    rowOf: GrowingInt32;
    proteinOf: GrowingInt32;
    rows: GrowingInt32;
    terms: GrowingInt32;
  }[];
  readonly #counts = { lines: 0, annotations: 0, unknownTerms: 0 };
  readonly #bounds = new Int32Array(4);
  readonly #scanner = new LineScanner((bytes, start, end, line) => this.#onLine(bytes, start, end, line));

  constructor(ontology: EvaluationOntology) {
    this.#ids = ontology.ids;
    this.#lookup = buildTermLookup(ontology, 'truth');
    this.#namespaces = ontology.namespaces.map(() => ({
      rowOf: new GrowingInt32(),
      proteinOf: new GrowingInt32(),
      rows: new GrowingInt32(),
      terms: new GrowingInt32(),
    }));
  }

  /** @throws EvaluationInputError for a line of one column */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** @returns false if the term is unknown, which the table also counts */
  add(protein: string, term: string): boolean {
    const known = this.#isKnown(this.#ids.findText(term));
    if (known) this.#store(this.#ids.findText(term), this.#proteins.addText(protein));
    return known;
  }

  /** Adds pairs in columns by the same rules as `add`. Each text is looked up once. */
  addColumns({ proteins, terms, protein, term }: AnnotationPairs): void {
    const ids = terms.map((text) => this.#ids.findText(text));
    const numbers = new Int32Array(proteins.length).fill(-1);
    for (let i = 0; i < protein.length; i++) {
      if (!this.#isKnown(ids[term[i]])) continue;
      if (numbers[protein[i]] < 0) numbers[protein[i]] = this.#proteins.addText(proteins[protein[i]]);
      this.#store(ids[term[i]], numbers[protein[i]]);
    }
  }

  end(): AnnotationTable {
    this.#scanner.end();
    const total = this.#proteins.size;
    const namespaces = this.#namespaces.map(({ rowOf, proteinOf, rows, terms }) => {
      const padded = new Int32Array(total).fill(-1);
      rowOf.view().forEach((row, protein) => {
        padded[protein] = row - 1;
      });
      return { rowOf: padded, proteinOf: proteinOf.view(), rows: rows.view(), terms: terms.view() };
    });
    return { proteins: this.#proteins, namespaces, counts: this.#counts };
  }

  #onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    const columns = splitColumns(bytes, start, end, this.#bounds);
    if (columns === 0) return;
    if (columns < 2) {
      throw new EvaluationInputError(
        `"${textOf(bytes, start, end).trim()}": expected protein and term, separated by a tab`,
        line,
      );
    }
    if (line === 1 && /^term/i.test(textOf(bytes, this.#bounds[2], this.#bounds[3]))) return;
    this.#counts.lines++;
    const id = this.#ids.find(bytes, this.#bounds[2], this.#bounds[3]);
    if (this.#isKnown(id)) this.#store(id, this.#proteins.add(bytes, this.#bounds[0], this.#bounds[1]));
  }

  #isKnown(id: number): boolean {
    const known = id >= 0 && this.#lookup.namespaces[id] >= 0;
    if (!known) this.#counts.unknownTerms++;
    return known;
  }

  #store(id: number, protein: number): void {
    const lookup = this.#lookup;
    const namespace = this.#namespaces[lookup.namespaces[id]];
    // The table rowOf holds row + 1, so that padding (0) means "no row".
    while (namespace.rowOf.length <= protein) namespace.rowOf.push(0);
    let row = namespace.rowOf.at(protein) - 1;
    if (row < 0) {
      row = namespace.proteinOf.length;
      namespace.proteinOf.push(protein);
      namespace.rowOf.set(protein, row + 1);
    }
    for (let t = lookup.targetStart[id]; t < lookup.targetStart[id + 1]; t++) {
      namespace.rows.push(row);
      namespace.terms.push(lookup.targets[t]);
    }
    this.#counts.annotations++;
  }
}
