import { quantileOfSorted } from '@kindred/kernels/arrays';
import {
  type BootstrapSeries,
  bootstrapSeries,
  defaultSettings,
  evaluateMethod,
} from '@kindred/kernels/evaluation';
import { search } from '@kindred/kernels/knn';
import { transferNeighbours } from '@kindred/kernels/scoring';
import type { LayerReference } from './reference.js';

/** The vectors of all proteins: for each layer float32 [proteins x hidden]. */
export type LayerVectors = ReadonlyMap<number, Float32Array>;

export interface CompareOptions {
  /** The number of neighbours of each protein. */
  k: number;
  resamples: number;
  seed: number;
}
export interface Bounds {
  estimate: number;
  low: number;
  high: number;
}
/** The figures of one layer, or of several whose vectors are joined. */
export interface LayerFigures {
  /** The layers as in `layer_indices`, where 0 is the last one. */
  layers: readonly number[];
  /** Fmax in each namespace with ground truth. */
  namespaces: { name: string; fmax: Bounds }[];
  /** The mean of Fmax over the namespaces. */
  mean: Bounds;
  /** The `mean` minus that of the first candidate, on the same resampled proteins; null for the first one itself. */
  difference: Bounds | null;
}

/**
 * Lists the candidates: each layer alone, the last one first, and the joined vectors of two and three layers evenly spread over the
 * depth.
 */
export function layerCandidates(layers: number): number[][] {
  const alone = Array.from({ length: layers + 1 }, (_, index) => [index]);
  const joined = [
    [0, Math.round(layers / 2)],
    [0, Math.round(layers / 3), Math.round((2 * layers) / 3)],
  ].filter((indices) => new Set(indices).size === indices.length);
  return [...alone, ...joined];
}

/**
 * Predicts the terms of each protein from its nearest others (cosine; the score of a term falls with the distance of its
 * nearest source) and compares the candidates on the product's evaluation, with 95 % intervals by bootstrap over proteins.
 * The cost of each candidate is the exact search, 2 x proteins^2 x width, and the evaluation.
 */
export function compareLayers(
  reference: LayerReference,
  vectors: LayerVectors,
  candidates: readonly (readonly number[])[],
  options: CompareOptions,
): LayerFigures[] {
  const all = candidates.map((layers) => ({
    layers,
    series: seriesOf(reference, joinedVectors(vectors, layers, reference.accessions.length), options),
  }));
  return all.map(({ layers, series }) => ({
    layers,
    namespaces: series.map(({ namespace, found }) => ({
      name: namespace,
      fmax: bounds(found.estimates.fmax, found.samples.fmax),
    })),
    mean: meanOf(series),
    difference: layers === all[0].layers ? null : meanOf(series, all[0].series),
  }));
}

/** Returns the candidate with the largest mean Fmax; the first candidate if no other one is clearly better. */
export function recommended(figures: readonly LayerFigures[]): LayerFigures {
  const best = figures.reduce((one, other) => (other.mean.estimate > one.mean.estimate ? other : one));
  return best.difference !== null && best.difference.low > 0 ? best : figures[0];
}

/** Joins vectors: row r of the result is row r of each layer, one after the other, as `concat` does. */
function joinedVectors(vectors: LayerVectors, layers: readonly number[], rows: number): Float32Array {
  const parts = layers.map((layer) => vectors.get(layer) as Float32Array);
  if (parts.length === 1) return parts[0];
  const hidden = parts[0].length / rows;
  const joined = new Float32Array(rows * hidden * parts.length);
  for (let row = 0; row < rows; row++)
    for (const [p, part] of parts.entries())
      joined.set(part.subarray(row * hidden, (row + 1) * hidden), (row * parts.length + p) * hidden);
  return joined;
}

interface NamespaceSeries {
  namespace: string;
  found: BootstrapSeries;
}

function seriesOf(
  { accessions, sequences, terms, start, term, frame }: LayerReference,
  vectors: Float32Array,
  { k, resamples, seed }: CompareOptions,
): NamespaceSeries[] {
  const count = accessions.length;
  const own = Int32Array.from(accessions, (_, protein) => protein);
  const numberOf = new Map(sequences.map((sequence, protein) => [sequence, protein]));
  // Equal sequences get one number, so that a protein is not predicted from its copy.
  const sequence = Int32Array.from(sequences, (text) => numberOf.get(text) as number);
  const bank = { vectors, dimension: vectors.length / count, reference: own, sequence, rank: own };
  const [{ neighbours, distances }] = search(bank, { vectors, sequence }, { metric: 'cosine', k });
  const found = transferNeighbours({
    nQuery: count,
    k,
    metric: 'cosine',
    neighbours,
    distances,
    termStart: start,
    terms: term,
  });
  const predictions = {
    proteins: accessions,
    terms,
    protein: found.query,
    term: found.term,
    score: found.score,
  };
  const evaluated = evaluateMethod(frame, (evaluator) => evaluator.addColumns(predictions), defaultSettings, {
    contributions: true,
  });
  return evaluated.namespaces.map((evaluation) => ({
    namespace: evaluation.namespace,
    found: bootstrapSeries(evaluation, { resamples, seed }),
  }));
}

/** Returns the mean Fmax over the namespaces, of one candidate or of its difference to another one. */
function meanOf(series: readonly NamespaceSeries[], minus: readonly NamespaceSeries[] = []): Bounds {
  const meanBy = (figure: (one: BootstrapSeries) => number) =>
    series.reduce(
      (sum, { found }, i) =>
        sum + orNothing(figure(found)) - (minus.length > 0 ? orNothing(figure(minus[i].found)) : 0),
      0,
    ) / series.length;
  const samples = series[0].found.samples.fmax.map((_, resample) =>
    meanBy((one) => one.samples.fmax[resample]),
  );
  return bounds(
    meanBy((one) => one.estimates.fmax),
    samples,
  );
}

/** Returns an interval. An absent Fmax (nothing was predicted) counts as 0. */
function bounds(estimate: number, samples: Float64Array): Bounds {
  const sorted = samples.map(orNothing).sort();
  return {
    estimate: orNothing(estimate),
    low: quantileOfSorted(sorted, 0.025),
    high: quantileOfSorted(sorted, 0.975),
  };
}

const orNothing = (value: number) => (Number.isFinite(value) ? value : 0);
