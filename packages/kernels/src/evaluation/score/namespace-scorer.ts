import { GrowingUint8 } from '../../arrays/index.js';
import { PassAccumulator } from './accumulate.js';
import { byFallingLevel, CellList } from './cell-list.js';
import type { NamespaceFrame } from '../frame/frame.js';
import type { EvaluationSettings } from '../options.js';
import type { PredictionCounts, UsableLine } from './predictions.js';
import { type CellSink, Propagator } from './propagate.js';
import { ReliabilityCounter } from './reliability.js';
import { TermLimit } from './term-limit.js';
import { firstPredictedLevel, levelOf } from './thresholds.js';

export interface ScorerRun {
  settings: EvaluationSettings;
  taus: Float64Array;
  /** Whether to record the contributions of each protein. */
  contributions: boolean;
  reliability: boolean;
  /** The limit of different terms for a protein; `published` as the published programs apply it. */
  limit: { maxTerms: number; published: boolean } | null;
  /** Receives the counts of the lines that are scored. */
  counts: PredictionCounts;
}

// A row is in one of three states: nothing came, its cells came, or its sums are complete as well.
const untouched = 0;
const received = 1;
const complete = 2;

/**
 * Scores the predictions of one namespace in batches of whole rows, so that it never holds more cells than those of a batch. The cost is
 * the cells after propagation plus, for each batch, rows and thresholds.
 */
export class NamespaceScorer {
  readonly #frame: NamespaceFrame;
  readonly #run: ScorerRun;
  readonly #cells = new CellList();
  /** 1 where a cell is of the same line as the one before it; only kept for a limit. */
  readonly #continues = new GrowingUint8();
  readonly #limit: TermLimit | null;
  readonly #propagator: Propagator;
  readonly #states: Uint8Array;
  readonly #reliability: ReliabilityCounter | null;
  readonly #sink: CellSink;
  #row = 0;
  readonly unweighted: PassAccumulator;
  readonly weighted: PassAccumulator | null;

  constructor(frame: NamespaceFrame, run: ScorerRun) {
    const { settings, taus, limit, contributions } = run;
    this.#frame = frame;
    this.#run = run;
    this.#limit = limit && new TermLimit(limit.maxTerms, limit.published, frame.namespace.size);
    this.#propagator = new Propagator(frame.namespace, settings.propagation);
    this.#states = new Uint8Array(frame.rowCount);
    this.#reliability = run.reliability ? new ReliabilityCounter(frame) : null;
    const unweighted = new PassAccumulator(frame.unweighted, taus.length, contributions);
    const weighted = frame.weighted && new PassAccumulator(frame.weighted, taus.length, contributions);
    this.#sink = {
      cell(term, isTrue) {
        unweighted.add(term, isTrue);
        weighted?.add(term, isTrue);
      },
      closeLevel: (level) => {
        unweighted.closeLevel(this.#row, level - firstPredictedLevel);
        weighted?.closeLevel(this.#row, level - firstPredictedLevel);
      },
    };
    this.unweighted = unweighted;
    this.weighted = weighted;
  }

  /** Says whether the row was in a batch that is scored, so that no more cells of it can be added. */
  isScored(row: number): boolean {
    return this.#states[row] !== untouched;
  }

  put({ row, targets, from, to, score }: UsableLine): void {
    for (let t = from; t < to; t++) {
      this.#cells.push(row, targets[t], score);
      if (this.#limit) this.#continues.push(Number(t > from));
    }
    if (this.#limit) return;
    this.#run.counts.used++;
    if (score > 1) this.#run.counts.aboveOne++;
  }

  /**
   * Scores the cells of the batch.
   * @param isLast whether to complete the rows without cells, too
   */
  flush(isLast: boolean): void {
    const { taus, settings, counts } = this.#run;
    const { rowCount } = this.#frame;
    const given = this.#cells.cells();
    for (const row of given.rows) this.#states[row] = Math.max(received, this.#states[row]);
    const cells = this.#limit
      ? this.#limit.accepted(given, this.#continues.view(), { rowCount, counts })
      : given;
    this.#reliability?.add(cells);
    const size = { rows: rowCount, levels: taus.length + firstPredictedLevel };
    const levelled = byFallingLevel(cells, size, (score) => levelOf(score, taus, settings.thresholdStep));
    for (let row = 0; row < rowCount; row++) {
      const hasCells = levelled.start[row] < levelled.start[row + 1];
      if (!hasCells && !(isLast && this.#states[row] !== complete)) continue;
      this.#row = row;
      const run = { frame: this.#frame, row, cells: levelled, lowestLevel: firstPredictedLevel };
      this.#propagator.run(run, this.#sink);
      this.unweighted.closeRow(row);
      this.weighted?.closeRow(row);
      this.#states[row] = complete;
    }
    this.#cells.clear();
    this.#continues.truncate(0);
  }

  /** @returns null for scores above 1, or where reliability was not asked for */
  reliability(): ReturnType<ReliabilityCounter['value']> {
    return this.#reliability?.value() ?? null;
  }
}
