import { principalAxes, type Projection } from '@kindred/kernels/features';
import { task, type TaskControl } from '../../../ground/pool/pool.js';

export interface ProjectionInput {
  /** The vectors are Float32 [rows x dimension]. */
  vectors: Float32Array;
  dimension: number;
  axes: number;
}

/** Fits the principal axes of a sample of vectors. */
function fitProjection(input: ProjectionInput, control: TaskControl): Projection {
  return principalAxes({ ...input, isAborted: () => control.aborted() });
}

export const projectionTask = task(import.meta.url, fitProjection);
