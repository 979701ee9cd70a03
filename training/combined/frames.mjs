// Functions for frames of evaluation over one window or several pooled ones, figures of methods in them, and paired intervals.
import { quantileOfSorted } from '@kindred/kernels/arrays';
import {
  AnnotationCollector,
  bootstrapSeries,
  buildFrame,
  differenceOf,
  evaluateMethod,
  intervalOf,
} from '@kindred/kernels/evaluation';
import { categories } from './windows.mjs';

const settings = { propagation: 'fill', normalisation: 'cafa', thresholdStep: 0.01 };
export const aspectNames = ['process', 'function', 'component'];
const namespaces = ['biological_process', 'molecular_function', 'cellular_component'];

/** Returns names by which a protein that is in two windows counts as two. */
export const namesOf = ({ proteins }, { window }) =>
  proteins.map(({ accession }) => `${window.name}:${accession}`);

function table(data, ontology, parts) {
  const collector = new AnnotationCollector(ontology);
  for (const { opened, pairs } of parts)
    collector.addColumns({
      proteins: namesOf(data, opened),
      terms: data.graph.termIds,
      protein: pairs.protein,
      term: pairs.term,
    });
  return collector.end();
}

/**
 * Makes frames of NK, LK and PK over the windows together, with the weights of the first window (windows of one date share their
 * references).
 */
export function framesOf(data, ontology, opened, weights) {
  return categories.map((category) =>
    buildFrame({
      ontology,
      truth: table(
        data,
        ontology,
        opened.map((one) => ({ opened: one, pairs: one.holdout.truth[category] })),
      ),
      known:
        category === 'PK'
          ? table(
              data,
              ontology,
              opened.map((one) => ({ opened: one, pairs: one.holdout.known })),
            )
          : undefined,
      weights,
      noOrphans: true,
    }),
  );
}

/**
 * Computes the nine cells of a method.
 * @param predictions an array with the rows of each window
 */
export function evaluate(data, { frames, opened }, predictions, { resamples = 0, seed = 1 } = {}) {
  return frames.flatMap((frame, number) => {
    const columns = opened.map((one, i) => {
      const { protein, term, score } = predictions[i];
      return {
        proteins: namesOf(data, one),
        terms: data.graph.termIds,
        protein: Int32Array.from(protein),
        term: Int32Array.from(term),
        score: Float64Array.from(score),
      };
    });
    const give = (evaluator) => columns.forEach((some) => evaluator.addColumns(some));
    const evaluated = evaluateMethod(frame, give, settings, { contributions: true }).namespaces;
    return namespaces.map((namespace, a) => {
      const evaluation = evaluated.find((one) => one.namespace === namespace);
      const series = evaluation && bootstrapSeries(evaluation, { resamples: Math.max(1, resamples), seed });
      return {
        category: categories[number],
        aspect: aspectNames[a],
        proteins: series?.proteins ?? 0,
        series,
        evaluation,
      };
    });
  });
}

export const figureOf = ({ series }, figure) => series?.estimates[figure] ?? Number.NaN;
export const intervalIn = ({ series }, figure) => (series ? intervalOf(series, figure) : null);
export const difference = (a, b, figure) =>
  a.series && b.series ? differenceOf(a.series, b.series, figure) : null;

/** Returns the mean of a figure over the cells. */
export const meanOf = (cells, key) =>
  cells.reduce((sum, cell) => sum + figureOf(cell, key), 0) / cells.length;

/** The interval of the difference of two means of nine cells, of which each resamples its own proteins. */
export function intervalOfMeans(a, b, key) {
  const { length } = a[0].series.samples[key];
  const samples = Float64Array.from(
    { length },
    (_, i) =>
      a.reduce((sum, cell, c) => sum + cell.series.samples[key][i] - b[c].series.samples[key][i], 0) /
      a.length,
  ).sort();
  return { low: quantileOfSorted(samples, 0.025), high: quantileOfSorted(samples, 0.975) };
}
