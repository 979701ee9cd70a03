/**
 * How scores propagate to ancestors: with `max`, a term gets the maximum score of its descendants; with `fill`, a predicted term keeps
 * its own score.
 */
export type Propagation = 'max' | 'fill';
/** The divisor of the sums over proteins; see `metricColumns`. */
export type Normalisation = 'cafa' | 'pred' | 'gt';
/**
 * The proteins that are counted. `corrected` is Kindred's definition: proteins without truth in the evaluated terms are left out, and
 * coverage counts only proteins with something left to find. The other two reproduce the published programs with their defects:
 * `upstream` keeps every protein of the ground truth in the divisor; `partial-knowledge` counts predictions of proteins that have nothing
 * left to find, so coverage may exceed 1.
 *
 * Both also read OBO line by line as those programs do (see PublishedOboReader), accept M + 1 terms for a limit of M, and
 * have no best row of s_w. Two defects are not reproduced: stopping on valid inputs (only zeros, no known term in a
 * namespace, a header in the weights), and a wrong order of terms when a parent is listed twice, which the programs have
 * since fixed.
 */
export type Compatibility = 'corrected' | 'upstream' | 'partial-knowledge';

export const propagations = ['max', 'fill'] as const satisfies readonly Propagation[];
export const normalisations = ['cafa', 'pred', 'gt'] as const satisfies readonly Normalisation[];
export const compatibilities = [
  'corrected',
  'upstream',
  'partial-knowledge',
] as const satisfies readonly Compatibility[];

/** The settings of a run besides the frame (ontology, truth, weights); see `evaluateMethod`. */
export interface EvaluationSettings {
  /** The step between thresholds, 0 < step < 1. */
  thresholdStep: number;
  propagation: Propagation;
  normalisation: Normalisation;
}

export const defaultSettings: EvaluationSettings = {
  thresholdStep: 0.01,
  propagation: 'max',
  normalisation: 'cafa',
};

/** An error in an input. `line` counts from 1; it is null if the error is not on one line. */
export class EvaluationInputError extends Error {
  readonly line: number | null;
  constructor(message: string, line: number | null = null) {
    super(message);
    this.name = 'EvaluationInputError';
    this.line = line;
  }
}
