/** How scores climb to ancestors: `max` = largest score below, `fill` = a predicted term keeps its own score. */
export type Propagation = 'max' | 'fill';
/** What protein sums are divided by: see `normalise`. */
export type Normalisation = 'cafa' | 'pred' | 'gt';
/**
 * Which protein population is counted. `corrected` is Kindred's definition: proteins without truth in the evaluated
 * terms are left out, and coverage counts only proteins with something left to find. The other two reproduce the
 * published programs, defects included: `upstream` keeps every protein of the ground truth in the divisor;
 * `partial-knowledge` counts predictions of proteins that have nothing left to find, so coverage may exceed 1.
 *
 * Both also read OBO line by line as those programs do (see PublishedOboReader), let M + 1 terms through a limit of M, and
 * have no best row of s_w. Not repeated: stopping on inputs that have an answer (only zeros, no known term in a
 * namespace, a header in the weights), and the wrong order of terms where a parent is stated twice, which the programs
 * themselves have mended since.
 */
export type Compatibility = 'corrected' | 'upstream' | 'partial-knowledge';

export const propagations = ['max', 'fill'] as const satisfies readonly Propagation[];
export const normalisations = ['cafa', 'pred', 'gt'] as const satisfies readonly Normalisation[];
export const compatibilities = [
  'corrected',
  'upstream',
  'partial-knowledge',
] as const satisfies readonly Compatibility[];

/** What a run needs beyond the frame (ontology, truth, weights), see `evaluateMethod`. */
export interface EvaluationSettings {
  /** Distance of the thresholds, 0 < step < 1. */
  thresholdStep: number;
  propagation: Propagation;
  normalisation: Normalisation;
}

export const defaultSettings: EvaluationSettings = {
  thresholdStep: 0.01,
  propagation: 'max',
  normalisation: 'cafa',
};

/** A fault of an input; `line` is 1-based, or null where the fault is not on one line. */
export class EvaluationInputError extends Error {
  readonly line: number | null;
  constructor(message: string, line: number | null = null) {
    super(message);
    this.name = 'EvaluationInputError';
    this.line = line;
  }
}
