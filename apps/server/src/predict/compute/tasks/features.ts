import {
  type PairFeatureInput,
  type PairFeatures,
  pairFeatures,
  principalAxes,
  type Projection,
} from '@kindred/kernels/features';
import type { ProjectionInput } from '../feature-tasks.js';
import type { TaskControl } from '../../../ground/pool/pool.js';

/** The features of (query, term) pairs that need more than the pair's nearest donor. */
export function computePairFeatures(input: PairFeatureInput, control: TaskControl): PairFeatures {
  return pairFeatures({ ...input, isAborted: () => control.aborted() });
}

/** The principal axes of a sample of vectors. */
export function fitProjection(input: ProjectionInput, control: TaskControl): Projection {
  return principalAxes({ ...input, isAborted: () => control.aborted() });
}
