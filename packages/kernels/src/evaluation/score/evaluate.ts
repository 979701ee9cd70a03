import { PassAccumulator } from './accumulate.js';
import { byFallingLevel, type PredictionCells } from './cell-list.js';
import type { PassContributions } from './contributions.js';
import type { EvaluationFrame, NamespaceFrame } from '../frame/frame.js';
import { type MetricColumns, metricColumns } from './metrics.js';
import { EvaluationInputError, type EvaluationSettings, normalisations, propagations } from '../options.js';
import type { MethodPredictions } from './predictions.js';
import { type CellSink, Propagator } from './propagate.js';
import { firstPredictedLevel, levelOf, thresholdGrid } from './thresholds.js';

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

/**
 * Scores one method against a frame by all metrics at every threshold, for each namespace with ground truth. Predictions are propagated
 * protein by protein with reused arrays; a cell counts from the highest threshold that it reaches, and one pass down the grid accumulates
 * the sums. The cost is the cells after propagation plus the thresholds, not their product; the memory is that of the cells before
 * propagation.
 *
 * @param options.contributions whether to return the contributions of each protein, too (for `bootstrapSeries`)
 * @throws EvaluationInputError for an invalid setting
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
    const noCoverage = frame.compatibility === 'partial-knowledge' ? Number.NaN : 0;
    const columns = (pass: PassAccumulator): MetricColumns =>
      metricColumns(pass.totals(), settings.normalisation, noCoverage);
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
  const { taus, settings, record } = run;
  const unweighted = new PassAccumulator(frame.unweighted, taus.length, record);
  const weighted = frame.weighted && new PassAccumulator(frame.weighted, taus.length, record);
  const size = { rows: frame.rowCount, levels: taus.length + firstPredictedLevel };
  const levelled = byFallingLevel(cells, size, (score) => levelOf(score, taus, settings.thresholdStep));
  const propagator = new Propagator(frame.namespace, settings.propagation);
  let row = 0;
  const sink: CellSink = {
    cell(term, isTrue) {
      unweighted.add(term, isTrue);
      weighted?.add(term, isTrue);
    },
    closeLevel(level) {
      unweighted.closeLevel(row, level - firstPredictedLevel);
      weighted?.closeLevel(row, level - firstPredictedLevel);
    },
  };
  for (; row < frame.rowCount; row++) {
    propagator.run({ frame, row, cells: levelled, lowestLevel: firstPredictedLevel }, sink);
    unweighted.closeRow(row);
    weighted?.closeRow(row);
  }
  return weighted ? [unweighted, weighted] : [unweighted];
}
