import { type Aspect, aspects, namespaceOf, ProblemError } from '@kindred/contracts';
import {
  type AnnotationPairs,
  type BootstrapFigure,
  type BootstrapSeries,
  bootstrapFigures,
  bootstrapSeries,
  buildFrame,
  evaluateMethod,
  type EvaluationSummary,
  type EvaluationFrame,
  EvaluationInputError,
  type EvaluationOntology,
  type Interval,
  intervalOf,
  linkOntology,
  type NamespaceEvaluation,
  type NamespaceFrame,
  type Normalisation,
  type PredictionCounts,
  type PredictionTriples,
  type Propagation,
  type Reliability,
  summarise,
  type TermList,
  TermListCollector,
  type TermWeights,
  TermWeightCollector,
} from '@kindred/kernels/evaluation';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import { task, type TaskControl } from '../../../ground/pool/pool.js';
import { annotationTable } from '../annotation-table.js';

/** Information accretion comes as bits by term, or as the bytes of a file. */
export type AccretionValues = { goIds: string[]; bits: Float64Array } | { file: Uint8Array };

export interface EvaluationOptions {
  prop: Propagation;
  norm: Normalisation;
  no_orphans: boolean;
  th_step: number;
  max_terms: number | null;
  resamples: number;
  seed: number;
}

export interface EvaluateInput {
  ontology: OntologyColumns;
  truth: AnnotationPairs;
  known: AnnotationPairs | null;
  /** The best prediction of a protein comes first, because `max_terms` cuts from the end. */
  predictions: PredictionTriples;
  accretion: AccretionValues | null;
  toi: string[] | null;
  options: EvaluationOptions;
}

export interface AspectEvaluation {
  aspect: Aspect;
  figures: EvaluationSummary;
  /** The evaluation has the figures at every threshold, without contributions. */
  evaluation: NamespaceEvaluation;
  intervals: Partial<Record<BootstrapFigure, Interval>> | null;
  frame: {
    terms: number;
    evaluated_terms: number;
    weighted_terms: number | null;
    proteins_with_truth: number;
    proteins: number;
    proteins_weighted: number | null;
  };
  /** The scores, read as probabilities, have this reliability. */
  reliability: Reliability | null;
  resamples: {
    populationKey: number;
    proteins: number;
    figures: BootstrapFigure[];
    estimates: Float64Array;
    /** Each figure has a value in each resample: float64 [figures x resamples] */
    samples: Float64Array;
  } | null;
}

export interface EvaluateOutput {
  aspects: AspectEvaluation[];
  truth: { annotations: number; unknown_terms: number };
  predictions: PredictionCounts;
  accretion: { terms: number; unknown_terms: number } | null;
  toi: { terms: number; unknown_terms: number } | null;
}

/** Scores one method against the truth of one category. */
function evaluate(input: EvaluateInput, control: TaskControl): EvaluateOutput {
  const { options } = input;
  const ontology = linkOntology(input.ontology);
  const weights = input.accretion === null ? null : weightsOf(ontology, input.accretion);
  const listed = input.toi === null ? null : listOf(ontology, input.toi);
  const frame = buildFrame({
    ontology,
    truth: annotationTable(ontology, input.truth),
    ...(input.known === null ? {} : { known: annotationTable(ontology, input.known) }),
    ...(weights === null ? {} : { weights }),
    ...(listed === null ? {} : { termsOfInterest: listed }),
    noOrphans: options.no_orphans,
  });
  const settings = {
    propagation: options.prop,
    normalisation: options.norm,
    thresholdStep: options.th_step,
  };
  const { namespaces, reliability, counts } = evaluateMethod(
    frame,
    (evaluator) => evaluator.addColumns(input.predictions),
    settings,
    {
      contributions: options.resamples > 0,
      reliability: true,
      ...(options.max_terms === null ? {} : { maxTerms: options.max_terms }),
    },
  );
  const series = resampled(namespaces, options, control);
  return {
    aspects: namespaces.map((evaluation, i) =>
      aspectOf(evaluation, { frame, reliability: reliability[i], series: series[i] ?? null }),
    ),
    truth: { annotations: frame.truth.counts.annotations, unknown_terms: frame.truth.counts.unknownTerms },
    predictions: counts,
    accretion: weights && countsOf(weights),
    toi: listed && countsOf(listed),
  };
}

function weightsOf(ontology: EvaluationOntology, values: AccretionValues): TermWeights {
  const collector = new TermWeightCollector(ontology);
  if (!('file' in values)) {
    values.goIds.forEach((id, i) => collector.add(id, values.bits[i]));
    return collector.end();
  }
  try {
    collector.push(values.file);
    return collector.end();
  } catch (error) {
    if (!(error instanceof EvaluationInputError)) throw error;
    const place = error.line === null ? '' : `, line ${error.line}`;
    throw new ProblemError('bad_file', `Information accretion file${place}: ${error.message}.`);
  }
}

function listOf(ontology: EvaluationOntology, ids: readonly string[]): TermList {
  const collector = new TermListCollector(ontology);
  for (const id of ids) collector.add(id);
  const list = collector.end();
  if (list.ids.size === 0) {
    throw new ProblemError(
      'validation_failed',
      `None of the ${ids.length} terms of interest is a term of the evaluation set's ontology.`,
    );
  }
  return list;
}

function countsOf({ counts }: TermList | TermWeights): { terms: number; unknown_terms: number } {
  return { terms: counts.lines, unknown_terms: counts.unknownTerms };
}

function resampled(
  evaluations: readonly NamespaceEvaluation[],
  options: EvaluateInput['options'],
  control: TaskControl,
): BootstrapSeries[] {
  if (options.resamples === 0) return [];
  const total = evaluations.length * options.resamples;
  const abort = new AbortController();
  return evaluations.map((evaluation, i) =>
    bootstrapSeries(evaluation, {
      resamples: options.resamples,
      seed: options.seed,
      normalisation: options.norm,
      signal: abort.signal,
      onProgress: (done) => {
        if (control.aborted()) abort.abort();
        control.progress(i * options.resamples + done, total);
      },
    }),
  );
}

function aspectOf(
  evaluation: NamespaceEvaluation,
  {
    frame,
    reliability,
    series,
  }: { frame: EvaluationFrame; reliability: Reliability | null; series: BootstrapSeries | null },
): AspectEvaluation {
  const aspect = aspects.find((candidate) => namespaceOf[candidate] === evaluation.namespace) as Aspect;
  const number = frame.namespaces.findIndex(({ namespace }) => namespace.name === evaluation.namespace);
  const own = frame.namespaces[number];
  return {
    aspect,
    figures: summarise(evaluation),
    evaluation: { ...evaluation, contributions: null },
    frame: describe(own),
    reliability,
    intervals: series && intervalsOf(series),
    resamples: series && {
      populationKey: series.populationKey,
      proteins: series.proteins,
      figures: [...bootstrapFigures],
      estimates: Float64Array.from(bootstrapFigures, (figure) => series.estimates[figure]),
      samples: sideBySide(series),
    },
  };
}

function describe({ namespace, rowCount, unweighted, weighted }: NamespaceFrame): AspectEvaluation['frame'] {
  const above = (weights: Float64Array): number =>
    weights.reduce((sum, weight) => sum + Number(weight > 0), 0);
  return {
    terms: namespace.size,
    evaluated_terms: above(unweighted.weights),
    weighted_terms: weighted && above(weighted.weights),
    proteins_with_truth: rowCount,
    proteins: unweighted.divisor,
    proteins_weighted: weighted?.divisor ?? null,
  };
}

function intervalsOf(series: BootstrapSeries): NonNullable<AspectEvaluation['intervals']> {
  const found = bootstrapFigures
    .map((figure) => [figure, intervalOf(series, figure)] as const)
    .filter((pair): pair is [(typeof bootstrapFigures)[number], Interval] => pair[1] !== null);
  return Object.fromEntries(found);
}

function sideBySide(series: BootstrapSeries): Float64Array {
  const samples = new Float64Array(bootstrapFigures.length * series.resamples);
  bootstrapFigures.forEach((figure, i) => samples.set(series.samples[figure], i * series.resamples));
  return samples;
}

export const evaluateTask = task(import.meta.url, evaluate);
