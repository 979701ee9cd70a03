import type { PairFeatureInput, PairFeatures, Projection } from '@kindred/kernels/features';
import type { ComputeTask } from './pool.js';

export const pairFeaturesTask: ComputeTask<PairFeatureInput, PairFeatures> = {
  module: 'features',
  export: 'computePairFeatures',
};

export interface ProjectionInput {
  /** Float32 [rows x dimension] */
  vectors: Float32Array;
  dimension: number;
  axes: number;
}
export const projectionTask: ComputeTask<ProjectionInput, Projection> = {
  module: 'features',
  export: 'fitProjection',
};
