import type { EncoderConfig } from '../weights/config.js';
import type { Weights } from '../weights/safetensors.js';
import { buildBert } from './bert.js';
import { GraphBuilder, type QuantisedWeights } from './builder.js';
import { buildE1 } from './e1.js';
import type { Wanted } from './encoder-parts.js';
import { buildEsm } from './esm.js';
import { buildEsmc } from './esmc.js';
import { buildT5 } from './t5.js';

export interface EncoderGraph {
  model: Uint8Array;
  /** The output of each wanted state, in the requested order: float32 [batch x length, hidden]. */
  outputs: readonly string[];
  /** The memory of the weights when the graph is open. */
  weightBytes: number;
  /** The file names within the folder of the model. */
  weightFiles: readonly string[];
  /** Whether the files have all weights as float32, so that they can be used as they are. */
  isFloat32: boolean;
}

/**
 * Builds the graph that turns `tokens` (int64 [batch, length], equal lengths, no padding) into hidden states. State 0 is the input of the
 * first layer, state n the output of layer n; the last one is normalised if the family does so. Only the layers up to the deepest wanted
 * state are in the graph, and only their weights are read.
 *
 * Other inputs depend on the family: rotary positions need `cos` and `sin` (float32 [length, head size / 2]), E1 also needs `global_cos`
 * and `global_sin`, T5 needs `buckets` (int64 [2 length - 1], the bucket of each relative position from 1 - length on).
 *
 * @throws ProblemError bad_file if the weights do not match config.json
 */
export function buildEncoder(
  config: EncoderConfig,
  weights: Weights,
  states: readonly number[],
  quantised: QuantisedWeights | null = null,
): EncoderGraph {
  const builder = new GraphBuilder(weights, prefixOf(config, weights), quantised);
  const depth = Math.max(...states);
  const wanted: Wanted = { states, depth, isLast: depth === config.layers };
  const named = buildFamily(builder, config, wanted);
  const outputs = states.map((state) => named[state]);
  for (const value of new Set(outputs)) builder.output(value, ['rows', config.hidden]);
  return {
    model: builder.finish(),
    outputs,
    weightBytes: builder.weightBytes(),
    weightFiles: builder.weightFiles(),
    isFloat32: builder.hasFloat32Files(),
  };
}

function buildFamily(builder: GraphBuilder, config: EncoderConfig, wanted: Wanted): Record<number, string> {
  switch (config.family) {
    case 'esm':
      return buildEsm(builder, config, wanted);
    case 'esmc':
      return buildEsmc(builder, config, wanted);
    case 'e1':
      return buildE1(builder, config, wanted);
    case 'bert':
      return buildBert(builder, config, wanted);
    case 't5':
      return buildT5(builder, config, wanted);
  }
}

/** Returns the prefix of the encoder's weights in a model that was saved with a head. */
function prefixOf({ family }: EncoderConfig, weights: Weights): string {
  const head = family === 'e1' ? 'model.' : `${family}.`;
  const inside = family === 'esmc' || family === 'e1' ? 'layers.' : 'encoder.';
  return family !== 't5' && [...weights.keys()].some((name) => name.startsWith(head + inside)) ? head : '';
}
