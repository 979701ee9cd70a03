import type { EvaluationNamespace, EvaluationOntology } from './evaluation-ontology.js';
import { LineScanner } from '../../formats/index.js';
import { splitColumns, textOf } from './fields.js';
import { EvaluationInputError } from '../options.js';
import { parseScore } from './score-text.js';

/** The information accretion in bits, by number of the canonical id; 0 if the file has none. */
export interface TermWeights {
  ofId: Float64Array;
  /** The number of lines that were read, and of those with a term that the ontology does not have. */
  counts: { lines: number; unknownTerms: number };
}

/**
 * Reads information accretion: each line has a term and its value. Further columns, empty lines and one header line (a first line whose
 * value is not a number) are ignored. NaN and infinities become 0. `add` takes single values.
 */
export class TermWeightCollector {
  readonly #ontology: EvaluationOntology;
  readonly #ofId: Float64Array;
  readonly #bounds = new Int32Array(4);
  readonly #counts = { lines: 0, unknownTerms: 0 };
  readonly #scanner = new LineScanner((bytes, start, end, line) => this.#onLine(bytes, start, end, line));

  constructor(ontology: EvaluationOntology) {
    this.#ontology = ontology;
    this.#ofId = new Float64Array(ontology.ids.size);
  }

  /** @throws EvaluationInputError for a line without a number */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  add(term: string, value: number): void {
    this.#store(this.#ontology.ids.findText(term), value);
  }

  end(): TermWeights {
    this.#scanner.end();
    return { ofId: this.#ofId, counts: this.#counts };
  }

  #onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    const bounds = this.#bounds;
    const columns = splitColumns(bytes, start, end, bounds);
    if (columns === 0) return;
    const value = columns < 2 ? undefined : parseScore(bytes, bounds[2], bounds[3]);
    if (value === undefined) {
      if (line === 1 && columns >= 2) return;
      const text = textOf(bytes, start, end).trim();
      throw new EvaluationInputError(
        `"${text}": expected a term and its information accretion, a number`,
        line,
      );
    }
    this.#store(this.#ontology.ids.find(bytes, bounds[0], bounds[1]), value);
  }

  #store(id: number, value: number): void {
    this.#counts.lines++;
    if (id < 0) this.#counts.unknownTerms++;
    else this.#ofId[id] = Number.isFinite(value) ? value : 0;
  }
}

/** The terms of interest, as numbers of identifiers. */
export interface TermList {
  ids: Set<number>;
  counts: { lines: number; unknownTerms: number };
}

/** Reads term ids, canonical or alternative, from the first column of each line. `add` takes single ids. */
export class TermListCollector {
  readonly #ontology: EvaluationOntology;
  readonly #ids = new Set<number>();
  readonly #counts = { lines: 0, unknownTerms: 0 };
  readonly #bounds = new Int32Array(2);
  readonly #scanner = new LineScanner((bytes, start, end) => {
    if (splitColumns(bytes, start, end, this.#bounds) === 0) return;
    this.#store(this.#ontology.ids.find(bytes, this.#bounds[0], this.#bounds[1]));
  });

  constructor(ontology: EvaluationOntology) {
    this.#ontology = ontology;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  add(term: string): void {
    this.#store(this.#ontology.ids.findText(term));
  }

  end(): TermList {
    this.#scanner.end();
    return { ids: this.#ids, counts: this.#counts };
  }

  #store(id: number): void {
    this.#counts.lines++;
    if (id < 0) this.#counts.unknownTerms++;
    else this.#ids.add(id);
  }
}

/** Returns 1 for each term of a namespace that a list names, by canonical or alternative id, and 0 for the others. */
export function listedTerms(namespace: EvaluationNamespace, { ids }: TermList): Uint8Array {
  const listed = new Uint8Array(namespace.size);
  for (const id of ids) if (namespace.termOf[id] >= 0) listed[namespace.termOf[id]] = 1;
  namespace.alternativeIds.forEach((id, i) => {
    if (ids.has(id)) listed[namespace.alternativeTerms[i]] = 1;
  });
  return listed;
}
