import type { PairFeatureInput, PairFeatures, Projection } from '@kindred/kernels/features';
import type { ComputeTask } from '../../ground/pool/pool.js';

export const pairFeaturesTask: ComputeTask<PairFeatureInput, PairFeatures> = {
  file: new URL('./tasks/features.js', import.meta.url),
  export: 'computePairFeatures',
};

export interface ProjectionInput {
  /** Float32 [rows x dimension] */
  vectors: Float32Array;
  dimension: number;
  axes: number;
}
export const projectionTask: ComputeTask<ProjectionInput, Projection> = {
  file: new URL('./tasks/features.js', import.meta.url),
  export: 'fitProjection',
};
