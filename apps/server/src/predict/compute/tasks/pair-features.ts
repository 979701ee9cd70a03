import { type PairFeatureInput, type PairFeatures, pairFeatures } from '@kindred/kernels/features';
import { task, type TaskControl } from '../../../ground/pool/pool.js';

/** Computes the features of (query, term) pairs that need more than the pair's nearest source. */
function computePairFeatures(input: PairFeatureInput, control: TaskControl): PairFeatures {
  return pairFeatures({ ...input, isAborted: () => control.aborted() });
}

export const pairFeaturesTask = task(import.meta.url, computePairFeatures);
