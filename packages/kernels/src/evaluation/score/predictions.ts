import type { AnnotationPairs } from '../read/annotations.js';
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

export function noCounts(): PredictionCounts {
  return {
    lines: 0,
    used: 0,
    aboveOne: 0,
    withoutScore: 0,
    unknownTerms: 0,
    withoutTruth: 0,
    shortLines: 0,
    beyondLimit: 0,
  };
}

/** Predictions in columns: prediction i says that proteins[protein[i]] has terms[term[i]] with score[i]. int32, float64 */
export interface PredictionTriples extends AnnotationPairs {
  score: Float64Array;
}

/** A prediction that can be scored. The object is the same for every line. */
export interface UsableLine {
  /** The number of the protein in the truth, and its row in the namespace. */
  protein: number;
  namespace: number;
  row: number;
  /** The terms that the identifier stands for: targets[from] .. targets[to - 1]. */
  targets: Int32Array;
  from: number;
  to: number;
  /** The score is above 0. */
  score: number;
}

/**
 * Reads lines of protein, term and score against a frame, in one pass and without a string for each field, and hands on those that can be
 * scored. Lines about proteins without truth or about unknown terms are counted and left out.
 */
export class PredictionReader {
  readonly #frame: EvaluationFrame;
  readonly #lookup: TermLookup;
  readonly #onUsable: (line: UsableLine) => void;
  readonly #line: UsableLine;
  readonly #bounds = new Int32Array(6);
  #lastProtein = new Uint8Array(0);
  #lastNumber = -1;
  #counts = noCounts();
  /** A reading of some of the proteins counts only the lines of these. */
  #isCounting = true;
  #proteinFrom = 0;
  #proteinTo = Number.POSITIVE_INFINITY;
  #scanner = this.#newScanner();
  /** The number of lines of this reading, whether they count or not. */
  lines = 0;

  constructor(frame: EvaluationFrame, onUsable: (line: UsableLine) => void) {
    this.#frame = frame;
    this.#lookup = predictionLookup(frame);
    this.#onUsable = onUsable;
    this.#line = {
      protein: -1,
      namespace: -1,
      row: -1,
      targets: this.#lookup.targets,
      from: 0,
      to: 0,
      score: 0,
    };
  }

  /**
   * Starts a reading from the first line that hands on the proteins `from` .. `to - 1` only.
   * @param counts receives the counts of the lines
   * @param countsOthers whether to count the lines that no protein of the truth can use, too
   */
  start(
    { from, to }: { from: number; to: number },
    counts: PredictionCounts,
    { countsOthers }: { countsOthers: boolean },
  ): void {
    this.#proteinFrom = from;
    this.#proteinTo = to;
    this.#counts = counts;
    this.#isCounting = countsOthers;
    this.#scanner = this.#newScanner();
    this.lines = 0;
  }

  /** @throws EvaluationInputError for a score that is not a number, on a line that would be used */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** Adds a single prediction by the same rules as a line. */
  add(protein: string, term: string, score: number): void {
    const number = this.#frame.truth.proteins.findText(protein);
    this.#countLine();
    if (this.#locate(this.#frame.ontology.ids.findText(term), number)) this.#handOn(score);
  }

  /** Adds predictions in columns by the same rules and in the same order as lines. Each text is looked up once. */
  addColumns({ proteins, terms, protein, term, score }: PredictionTriples): void {
    const { truth, ontology } = this.#frame;
    const ids = terms.map((text) => ontology.ids.findText(text));
    const numbers = proteins.map((text) => truth.proteins.findText(text));
    for (let i = 0; i < protein.length; i++) {
      this.#countLine();
      if (this.#locate(ids[term[i]], numbers[protein[i]])) this.#handOn(score[i]);
    }
  }

  end(): void {
    this.#scanner.end();
  }

  #newScanner(): LineScanner {
    return new LineScanner((bytes, start, end, line) => this.#onLine(bytes, start, end, line));
  }

  #onLine(bytes: Uint8Array, start: number, end: number, line: number): void {
    const bounds = this.#bounds;
    const columns = splitColumns(bytes, start, end, bounds);
    if (columns === 0) return;
    this.#countLine();
    if (columns < 3) {
      if (this.#isCounting) this.#counts.shortLines++;
      return;
    }
    const protein = this.#proteinNumber(bytes, bounds[0], bounds[1]);
    // A reading of some of the proteins passes over the lines of others, which an earlier one has checked.
    if (!this.#isCounting && (protein < this.#proteinFrom || protein >= this.#proteinTo)) return;
    const id = this.#frame.ontology.ids.find(bytes, bounds[2], bounds[3]);
    if (!this.#locate(id, protein)) return;
    const score = parseScore(bytes, bounds[4], bounds[5]);
    if (score === undefined) {
      throw new EvaluationInputError(
        `"${textOf(bytes, start, end).trim()}": expected protein, term and score, a number`,
        line,
      );
    }
    this.#handOn(score);
  }

  #countLine(): void {
    this.lines++;
    if (this.#isCounting) this.#counts.lines++;
  }

  /** Sets the place of the current line. Returns false, and counts the line, if the line is not used. */
  #locate(id: number, protein: number): boolean {
    const line = this.#line;
    const number = id < 0 ? -1 : this.#lookup.namespaces[id];
    if (number < 0) {
      if (this.#isCounting) this.#counts.unknownTerms++;
      return false;
    }
    line.row = protein < 0 ? -1 : this.#frame.namespaces[number].rowOf[protein];
    if (line.row < 0) {
      if (this.#isCounting) this.#counts.withoutTruth++;
      return false;
    }
    line.protein = protein;
    line.namespace = number;
    line.from = this.#lookup.targetStart[id];
    line.to = this.#lookup.targetStart[id + 1];
    return protein >= this.#proteinFrom && protein < this.#proteinTo;
  }

  #handOn(score: number): void {
    if (!(score > 0)) {
      this.#counts.withoutScore++;
      return;
    }
    this.#line.score = score;
    this.#onUsable(this.#line);
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
