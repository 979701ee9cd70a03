import { PassAccumulator } from './accumulate.js';
import type { PassContributions } from './contributions.js';
import type { EvaluationFrame, NamespaceFrame } from './frame.js';
import { type MetricColumns, metricColumns } from './metrics.js';
import { EvaluationInputError, type EvaluationSettings, normalisations, propagations } from './options.js';
import type { MethodPredictions, PredictionCells } from './predictions.js';
import { Propagator } from './propagate.js';
import { levelOf, thresholdGrid } from './thresholds.js';

/** All thresholds of one method in one namespace, also those without a prediction. */
export interface NamespaceEvaluation {
  namespace: string;
  /** N of the unweighted and of the weighted pass. */
  proteins: number;
  proteinsWeighted: number | null;
  tau: Float64Array;
  unweighted: MetricColumns;
  weighted: MetricColumns | null;
  /** Present when asked for: what a bootstrap needs. */
  contributions: { unweighted: PassContributions; weighted: PassContributions | null } | null;
}

/**
 * Scores one method against a frame: for each namespace with truth the figures at every threshold. Predictions are
 * propagated protein by protein over one set of arrays; a cell enters at the highest threshold that it reaches and the
 * sums run down the grid once. Cost: cells after propagation plus thresholds, not their product; memory: the cells
 * before propagation.
 *
 * @param options.contributions also return per-protein contributions (for `bootstrapEvaluation`)
 * @throws EvaluationInputError for an impossible setting
 * @cite Jiang2016CAFA2
 */
export function evaluateMethod(
  frame: EvaluationFrame,
  predictions: MethodPredictions,
  settings: EvaluationSettings,
  options: { contributions?: boolean } = {},
): NamespaceEvaluation[] {
  if (!propagations.includes(settings.propagation))
    throw new EvaluationInputError(`propagation "${settings.propagation}": expected max or fill`);
  if (!normalisations.includes(settings.normalisation)) {
    throw new EvaluationInputError(`normalisation "${settings.normalisation}": expected cafa, pred or gt`);
  }
  const taus = thresholdGrid(settings.thresholdStep);
  const evaluations: NamespaceEvaluation[] = [];
  frame.namespaces.forEach((namespace, number) => {
    if (namespace.rowCount === 0) return;
    const record = options.contributions === true;
    const passes = accumulateNamespace(namespace, predictions.cells[number], { settings, taus, record });
    const columns = (pass: PassAccumulator): MetricColumns =>
      metricColumns(pass.totals(), settings.normalisation);
    const [unweighted, weighted] = passes;
    evaluations.push({
      namespace: namespace.namespace.name,
      proteins: namespace.unweighted.divisor,
      proteinsWeighted: namespace.weighted?.divisor ?? null,
      tau: taus,
      unweighted: columns(unweighted),
      weighted: weighted ? columns(weighted) : null,
      contributions: record
        ? { unweighted: unweighted.contributions()!, weighted: weighted?.contributions() ?? null }
        : null,
    });
  });
  return evaluations;
}

function accumulateNamespace(
  frame: NamespaceFrame,
  cells: PredictionCells,
  run: { settings: EvaluationSettings; taus: Float64Array; record: boolean },
): PassAccumulator[] {
  const { taus, settings } = run;
  const passes = [frame.unweighted, frame.weighted]
    .filter((pass) => pass !== null)
    .map((pass) => new PassAccumulator(pass, taus.length, run.record));
  const levels = Int32Array.from(cells.scores, (score) => levelOf(score, taus, settings.thresholdStep));
  const propagator = new Propagator(frame.namespace, settings.propagation);
  const { reached, level } = propagator;
  const size = frame.namespace.termIds.length;
  const marks = { truth: new Int32Array(size), known: new Int32Array(size) };
  for (let row = 0; row < frame.rowCount; row++) {
    propagator.run(cells.terms, levels, cells.start[row], cells.start[row + 1]);
    if (propagator.count > 0) markRow(frame, row, marks);
    for (let i = 0; i < propagator.count; i++) {
      const term = reached[i];
      // Level 1 reaches no threshold.
      const at = level[term] - 2;
      if (at < 0 || marks.known[term] === row + 1) continue;
      const isTrue = marks.truth[term] === row + 1;
      for (const pass of passes) {
        const weight = pass.weights[term];
        if (weight > 0) pass.add(at, weight, isTrue);
      }
    }
    for (const pass of passes) pass.closeRow(row);
  }
  return passes;
}

function markRow(frame: NamespaceFrame, row: number, marks: { truth: Int32Array; known: Int32Array }): void {
  const { truth, known } = frame;
  for (let i = truth.start[row]; i < truth.start[row + 1]; i++) marks.truth[truth.terms[i]] = row + 1;
  if (known)
    for (let i = known.start[row]; i < known.start[row + 1]; i++) marks.known[known.terms[i]] = row + 1;
}
