import type { AnnotationPairs } from '../read/annotations.js';
import { CellList, type PredictionCells } from './cell-list.js';
import type { EvaluationFrame } from '../frame/frame.js';
import { LineScanner } from '../../formats/index.js';
import { splitColumns, textOf } from '../read/fields.js';
import { EvaluationInputError } from '../options.js';
import { parseScore } from '../read/score-text.js';
import { buildTermLookup, type TermLookup } from '../read/term-lookup.js';

/**
 * The number of lines of a method, by outcome. `lines` is the total, and every line is in exactly one of the other counts; `aboveOne` is a
 * part of `used`.
 */
export interface PredictionCounts {
  lines: number;
  used: number;
  /** The number of used lines with a score above 1, which pass every threshold as a score of 1 does. */
  aboveOne: number;
  /** Lines with a score of 0, below 0 or NaN, which are ignored. */
  withoutScore: number;
  unknownTerms: number;
  /** Lines of proteins without ground truth in the term's namespace. */
  withoutTruth: number;
  /** Lines with fewer than three columns. */
  shortLines: number;
  /** Rows that the limit of terms for a protein leaves out. */
  beyondLimit: number;
}

export interface MethodPredictions {
  /** The cells of each namespace of the frame. */
  cells: PredictionCells[];
  counts: PredictionCounts;
}

/** Predictions in columns: prediction i says that proteins[protein[i]] has terms[term[i]] with score[i]. int32, float64 */
export interface PredictionTriples extends AnnotationPairs {
  score: Float64Array;
}

type NamespaceCells = { list: CellList; limit: TermLimit | null };

export interface PredictionOptions {
  /** The maximum number of different terms for a protein and namespace. The first ones in file order are taken. */
  maxTerms?: number;
}

/**
 * Reads lines of protein, term and score against a frame, in one pass and without a string for each field. Lines about proteins without
 * truth or about unknown terms are counted and left out.
 *
 * A limit M accepts M terms and repeats of them. The compatibility modes accept M + 1 and then leave out repeats, as the
 * published programs do.
 */
export class PredictionCollector {
  readonly #frame: EvaluationFrame;
  readonly #lookup: TermLookup;
  readonly #cells: NamespaceCells[];
  readonly #bounds = new Int32Array(6);
  #lastProtein = new Uint8Array(0);
  #lastNumber = -1;
  #id = -1;
  #row = -1;
  readonly #counts: PredictionCounts = {
    lines: 0,
    used: 0,
    aboveOne: 0,
    withoutScore: 0,
    unknownTerms: 0,
    withoutTruth: 0,
    shortLines: 0,
    beyondLimit: 0,
  };
  readonly #scanner = new LineScanner((bytes, start, end, line) => this.#onLine(bytes, start, end, line));

  constructor(frame: EvaluationFrame, options: PredictionOptions = {}) {
    const { maxTerms } = options;
    if (maxTerms !== undefined && !(Number.isInteger(maxTerms) && maxTerms >= 0)) {
      throw new EvaluationInputError(`limit of terms ${maxTerms}: expected a whole number from 0`);
    }
    this.#frame = frame;
    this.#lookup = predictionLookup(frame);
    this.#cells = frame.namespaces.map(() => ({
      list: new CellList(),
      limit: maxTerms === undefined ? null : new TermLimit(maxTerms, frame.compatibility !== 'corrected'),
    }));
  }

  /** @throws EvaluationInputError for a score that is not a number, on a line that would be used */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** Adds a single prediction by the same rules as a line. */
  add(protein: string, term: string, score: number): void {
    const number = this.#frame.truth.proteins.findText(protein);
    this.#counts.lines++;
    if (this.#locate(this.#frame.ontology.ids.findText(term), number)) this.#store(score);
  }

  /** Adds predictions in columns by the same rules and in the same order as lines. Each text is looked up once. */
  addColumns({ proteins, terms, protein, term, score }: PredictionTriples): void {
    const { truth, ontology } = this.#frame;
    const ids = terms.map((text) => ontology.ids.findText(text));
    const numbers = proteins.map((text) => truth.proteins.findText(text));
    for (let i = 0; i < protein.length; i++) {
      this.#counts.lines++;
      if (this.#locate(ids[term[i]], numbers[protein[i]])) this.#store(score[i]);
    }
  }

  end(): MethodPredictions {
    this.#scanner.end();
    return { cells: this.#cells.map(({ list }) => list.cells()), counts: this.#counts };
  }

  #onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    const bounds = this.#bounds;
    const columns = splitColumns(bytes, start, end, bounds);
    if (columns === 0) return;
    this.#counts.lines++;
    if (columns < 3) {
      this.#counts.shortLines++;
      return;
    }
    const id = this.#frame.ontology.ids.find(bytes, bounds[2], bounds[3]);
    const protein = this.#proteinNumber(bytes, bounds[0], bounds[1]);
    if (!this.#locate(id, protein)) return;
    const score = parseScore(bytes, bounds[4], bounds[5]);
    if (score === undefined) {
      throw new EvaluationInputError(
        `"${textOf(bytes, start, end).trim()}": expected protein, term and score, a number`,
        line,
      );
    }
    this.#store(score);
  }

  /** Sets row and identifier of the current line. Returns false, and counts the line, if the line is not used. */
  #locate(id: number, protein: number): boolean {
    if (id < 0 || this.#lookup.namespaces[id] < 0) {
      this.#counts.unknownTerms++;
      return false;
    }
    const namespace = this.#frame.namespaces[this.#lookup.namespaces[id]];
    this.#id = id;
    this.#row = protein < 0 ? -1 : namespace.rowOf[protein];
    if (this.#row < 0) this.#counts.withoutTruth++;
    return this.#row >= 0;
  }

  #store(score: number): void {
    const counts = this.#counts;
    const lookup = this.#lookup;
    const id = this.#id;
    const row = this.#row;
    if (!(score > 0)) {
      counts.withoutScore++;
      return;
    }
    const cells = this.#cells[lookup.namespaces[id]];
    let stored = false;
    for (let t = lookup.targetStart[id]; t < lookup.targetStart[id + 1]; t++) {
      const term = lookup.targets[t];
      if (cells.limit && !cells.limit.admits(row, term)) continue;
      cells.list.push(row, term, score);
      stored = true;
    }
    if (stored) {
      counts.used++;
      if (score > 1) counts.aboveOne++;
    } else counts.beyondLimit++;
  }

  /** Lines of one protein are mostly adjacent, so the protein of the previous line is tried first. */
  #proteinNumber(bytes: Uint8Array, start: number, end: number): number {
    const last = this.#lastProtein;
    if (last.length === end - start) {
      let i = 0;
      while (i < last.length && last[i] === bytes[start + i]) i++;
      if (i === last.length) return this.#lastNumber;
    }
    this.#lastProtein = bytes.slice(start, end);
    this.#lastNumber = this.#frame.truth.proteins.find(bytes, start, end);
    return this.#lastNumber;
  }
}

/** Terms of namespaces without ground truth do not take part. */
function predictionLookup(frame: EvaluationFrame): TermLookup {
  return buildTermLookup(frame.ontology, 'predictions', (number) => frame.namespaces[number].rowCount > 0);
}

/** The different terms accepted so far, for each row. */
class TermLimit {
  readonly #limit: number;
  readonly #published: boolean;
  readonly #terms = new Map<number, Set<number>>();

  constructor(maxTerms: number, published: boolean) {
    this.#limit = maxTerms;
    this.#published = published;
  }

  admits(row: number, term: number): boolean {
    let seen = this.#terms.get(row);
    if (!seen) this.#terms.set(row, (seen = new Set()));
    if (this.#published ? seen.size > this.#limit : seen.size >= this.#limit && !seen.has(term)) return false;
    seen.add(term);
    return true;
  }
}
