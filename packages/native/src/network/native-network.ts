import type { NetworkKernel, NetworkProgram } from '@kindred/kernels/network';
import type { Instructions, NativeAddon } from '../addon.js';
import { layOutNetwork, logLengthOf } from './layout.js';

/** The sequence network in the addon; use one per thread. Its memory is 25 MB of weights, which all
 * threads of the process share, and up to 12 MB of work. */
export function createNativeNetwork(
  addon: NativeAddon,
  instructions: Instructions,
  program: NetworkProgram,
): NetworkKernel {
  const { words, floats, weights } = layOutNetwork(program);
  const network = addon.openNetwork({ instructions, words, floats, weights });
  const dimension = program.pool.vectorNorm.bias.length;
  const terms = program.head.bias.length;
  // Only the needed value is kept, so that the program can be freed: its weights are in the addon.
  const { usualLogLength } = program;
  return {
    name: instructions,
    vectorOf(codes) {
      const vector = new Float32Array(dimension);
      addon.networkVector({ network, codes, logLength: logLengthOf(codes.length, usualLogLength), vector });
      return vector;
    },
    probabilitiesOf(vector) {
      const probabilities = new Float32Array(terms);
      addon.networkProbabilities({ network, vector, probabilities });
      return probabilities;
    },
  };
}
