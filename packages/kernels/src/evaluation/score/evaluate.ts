import type { PassAccumulator } from './accumulate.js';
import type { PassContributions } from './contributions.js';
import type { EvaluationFrame } from '../frame/frame.js';
import { type MetricColumns, metricColumns } from './metrics.js';
import { NamespaceScorer } from './namespace-scorer.js';
import { EvaluationInputError, type EvaluationSettings, normalisations, propagations } from '../options.js';
import {
  noCounts,
  type PredictionCounts,
  PredictionReader,
  type PredictionTriples,
  type UsableLine,
} from './predictions.js';
import type { Reliability } from './reliability.js';
import { thresholdGrid } from './thresholds.js';

/** All thresholds of one method in one namespace, with those that have no prediction. */
export interface NamespaceEvaluation {
  namespace: string;
  /** The N of the unweighted and of the weighted pass. */
  proteins: number;
  proteinsWeighted: number | null;
  tau: Float64Array;
  unweighted: MetricColumns;
  weighted: MetricColumns | null;
  /** The input of a bootstrap; null unless the option `contributions` is set. */
  contributions: { unweighted: PassContributions; weighted: PassContributions | null } | null;
}

/** The evaluation of a method. */
export interface MethodResult {
  /** The namespaces with ground truth. */
  namespaces: NamespaceEvaluation[];
  /** The reliability in each of `namespaces`; null where a score is above 1. Empty unless the option `reliability` is set. */
  reliability: (Reliability | null)[];
  counts: PredictionCounts;
  /** How often the predictions were read: once if the lines of each protein are together. */
  readings: number;
}

export interface EvaluatorOptions {
  /** The maximum number of different terms for a protein and namespace. The first ones in file order are taken; see `TermLimit`. */
  maxTerms?: number;
  /** Whether to return the contributions of each protein, too (for `bootstrapSeries`). */
  contributions?: boolean;
  /** Whether to return the reliability of the scores, too. */
  reliability?: boolean;
  /** The number of predicted cells after which those of whole proteins are scored and forgotten; default 2 million. */
  batchCells?: number;
  /** The number of predicted cells of a repeated reading, where the lines of a protein are scattered; default 16 million. */
  partCells?: number;
}

/**
 * Scores one method against a frame by all metrics at every threshold, for each namespace with ground truth. Predictions are read in
 * batches of whole proteins and propagated protein by protein with reused arrays; a cell counts from the highest threshold that it
 * reaches, and one pass down the grid accumulates the sums. The cost is the cells after propagation plus the thresholds, not their
 * product.
 *
 * The memory is that of the frame, the thresholds and one batch, whatever the number of predictions. Where lines of a protein come after
 * its batch was scored, the rest is only counted, and the predictions must be read again, once for each part of the proteins with
 * `partCells` cells. The figures are the same. With `contributions`, the steps of each protein are kept as well: at most one for each
 * threshold.
 *
 * Call `push`, `add` or `addColumns` for all predictions, then `end`; while that says false, give the same predictions again.
 * `evaluateMethod` does so for predictions in memory.
 *
 * @cite Jiang2016CAFA2
 */
export class MethodEvaluator {
  readonly #frame: EvaluationFrame;
  readonly #settings: EvaluationSettings;
  readonly #options: EvaluatorOptions;
  readonly #taus: Float64Array;
  readonly #reader: PredictionReader;
  /** The number of cells of each protein, from the first reading. */
  readonly #cellsOf: Int32Array;
  #scorers: (NamespaceScorer | null)[] = [];
  #counts = noCounts();
  #cells = 0;
  #mostCells: number;
  #lastProtein = -1;
  #isScattered = false;
  /** The first proteins of the parts of a repeated reading, and the number of proteins at the end. */
  #parts: number[] = [];
  #readings = 0;
  #linesOfReading = 0;

  /** @throws EvaluationInputError for an invalid setting */
  constructor(frame: EvaluationFrame, settings: EvaluationSettings, options: EvaluatorOptions = {}) {
    const { maxTerms, batchCells = 2e6 } = options;
    if (!propagations.includes(settings.propagation))
      throw new EvaluationInputError(`propagation "${settings.propagation}": expected max or fill`);
    if (!normalisations.includes(settings.normalisation))
      throw new EvaluationInputError(`normalisation "${settings.normalisation}": expected cafa, pred or gt`);
    if (maxTerms !== undefined && !(Number.isInteger(maxTerms) && maxTerms >= 0))
      throw new EvaluationInputError(`limit of terms ${maxTerms}: expected a whole number from 0`);
    this.#frame = frame;
    this.#settings = settings;
    this.#options = options;
    this.#taus = thresholdGrid(settings.thresholdStep);
    this.#mostCells = batchCells;
    this.#cellsOf = new Int32Array(frame.truth.proteins.size);
    this.#reader = new PredictionReader(frame, (line) => this.#put(line));
    this.#restart();
    this.#reader.start({ from: 0, to: this.#cellsOf.length }, this.#counts, { countsOthers: true });
  }

  /** @throws EvaluationInputError for a score that is not a number, on a line that would be used */
  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /** Adds a single prediction by the same rules as a line. */
  add(protein: string, term: string, score: number): void {
    this.#reader.add(protein, term, score);
  }

  /** Adds predictions in columns by the same rules and in the same order as lines. Each text is looked up once. */
  addColumns(predictions: PredictionTriples): void {
    this.#reader.addColumns(predictions);
  }

  /**
   * Ends a reading.
   * @returns whether the result is complete; if not, all predictions must be given again
   * @throws EvaluationInputError if a repeated reading had another number of lines
   */
  end(): boolean {
    this.#reader.end();
    const { lines } = this.#reader;
    if (this.#readings > 0 && lines !== this.#linesOfReading) {
      throw new EvaluationInputError(
        `the predictions changed while they were read: ${this.#linesOfReading} lines, then ${lines}. Run it again when nothing writes to them`,
      );
    }
    this.#linesOfReading = lines;
    this.#readings++;
    if (this.#isScattered) this.#planParts();
    else {
      const isComplete = this.#readings >= this.#parts.length;
      this.#flush(isComplete);
      if (isComplete) return true;
    }
    const [from, to] = this.#parts.slice(this.#readings - 1);
    this.#reader.start({ from, to }, this.#counts, { countsOthers: from === 0 });
    return false;
  }

  /** Returns the figures, once `end` has said true. */
  result(): MethodResult {
    const { compatibility, namespaces } = this.#frame;
    const noCoverage = compatibility === 'partial-knowledge' ? Number.NaN : 0;
    const columns = (pass: PassAccumulator): MetricColumns =>
      metricColumns(pass.totals(), this.#settings.normalisation, noCoverage);
    const result: MethodResult = {
      namespaces: [],
      reliability: [],
      counts: this.#counts,
      readings: this.#readings,
    };
    this.#scorers.forEach((scorer, number) => {
      if (scorer === null) return;
      const { unweighted, weighted } = scorer;
      const namespace = namespaces[number];
      result.namespaces.push({
        namespace: namespace.namespace.name,
        proteins: namespace.unweighted.divisor,
        proteinsWeighted: namespace.weighted?.divisor ?? null,
        tau: this.#taus,
        unweighted: columns(unweighted),
        weighted: weighted && columns(weighted),
        contributions: this.#options.contributions
          ? { unweighted: unweighted.contributions()!, weighted: weighted?.contributions() ?? null }
          : null,
      });
      if (this.#options.reliability) result.reliability.push(scorer.reliability());
    });
    return result;
  }

  #put(line: UsableLine): void {
    if (this.#parts.length === 0) this.#cellsOf[line.protein] += line.to - line.from;
    if (this.#isScattered) return;
    if (this.#cells >= this.#mostCells && line.protein !== this.#lastProtein) this.#flush(false);
    this.#lastProtein = line.protein;
    const scorer = this.#scorers[line.namespace]!;
    if (scorer.isScored(line.row)) {
      // The sums include a part of this protein, so they are of no use. The rest of this reading counts the cells of each protein.
      this.#isScattered = true;
      this.#scorers = [];
      return;
    }
    scorer.put(line);
    this.#cells += line.to - line.from;
  }

  #flush(isLast: boolean): void {
    for (const scorer of this.#scorers) scorer?.flush(isLast);
    this.#cells = 0;
  }

  /** Divides the proteins into parts with few enough cells, and starts again. */
  #planParts(): void {
    const { partCells = 16e6 } = this.#options;
    let cells = 0;
    this.#parts = [0];
    this.#cellsOf.forEach((own, protein) => {
      if (cells > 0 && cells + own > partCells) {
        this.#parts.push(protein);
        cells = 0;
      }
      cells += own;
    });
    this.#parts.push(this.#cellsOf.length);
    this.#mostCells = Number.POSITIVE_INFINITY;
    this.#isScattered = false;
    this.#restart();
  }

  #restart(): void {
    const { maxTerms, contributions = false, reliability = false } = this.#options;
    const published = this.#frame.compatibility !== 'corrected';
    this.#counts = noCounts();
    this.#cells = 0;
    const run = {
      settings: this.#settings,
      taus: this.#taus,
      contributions,
      reliability,
      limit: maxTerms === undefined ? null : { maxTerms, published },
      counts: this.#counts,
    };
    this.#scorers = this.#frame.namespaces.map((namespace) =>
      namespace.rowCount === 0 ? null : new NamespaceScorer(namespace, run),
    );
  }
}

/**
 * Evaluates predictions that can be given as often as needed, for instance from memory; see `MethodEvaluator`.
 * @param give gives all predictions; it is called once, or several times where the lines of a protein are scattered
 * @throws EvaluationInputError for an invalid setting, or for a score that is not a number
 */
export function evaluateMethod(
  frame: EvaluationFrame,
  give: (evaluator: MethodEvaluator) => void,
  settings: EvaluationSettings,
  options: EvaluatorOptions = {},
): MethodResult {
  const evaluator = new MethodEvaluator(frame, settings, options);
  do give(evaluator);
  while (!evaluator.end());
  return evaluator.result();
}
