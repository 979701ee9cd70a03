import type { Aspect } from '@kindred/contracts';
import type {
  AnnotationPairs,
  BootstrapFigure,
  EvaluationSummary,
  Interval,
  NamespaceEvaluation,
  Normalisation,
  PredictionCounts,
  PredictionTriples,
  Propagation,
  Reliability,
} from '@kindred/kernels/evaluation';
import type { DatedAnnotations } from '@kindred/kernels/holdout';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { ComputeTask } from '../../ground/pool/pool.js';

/** Information accretion as bits by term, or as the bytes of a file. */
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
  /** Best of a protein first: `max_terms` cuts from the end. */
  predictions: PredictionTriples;
  accretion: AccretionValues | null;
  toi: string[] | null;
  options: EvaluationOptions;
}

/** Evaluation of one aspect with truth. */
export interface AspectEvaluation {
  aspect: Aspect;
  figures: EvaluationSummary;
  /** The figures at every threshold, without contributions. */
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
  /** The scores read as probabilities. */
  reliability: Reliability | null;
  resamples: {
    populationKey: number;
    proteins: number;
    figures: BootstrapFigure[];
    estimates: Float64Array;
    /** float64 [figures x resamples] */
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
export const evaluateTask: ComputeTask<EvaluateInput, EvaluateOutput> = {
  file: new URL('./tasks/evaluate.js', import.meta.url),
  export: 'evaluate',
};

export interface AccretionInput {
  ontology: OntologyColumns;
  proteinCount: number;
  /** NOT rows are treated as in the ground truth. */
  annotations: DatedAnnotations;
}
export interface AccretionOutput {
  /** Live terms by GO id. */
  goIds: string[];
  bits: Float64Array;
  /** Proteins with an annotation that counts. */
  proteins: number;
}
export const accretionTask: ComputeTask<AccretionInput, AccretionOutput> = {
  file: new URL('./tasks/evaluate.js', import.meta.url),
  export: 'accretion',
};
