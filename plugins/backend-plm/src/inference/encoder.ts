import { createHash } from 'node:crypto';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import { buildEncoder } from '../graph/encoder.js';
import type { QuantisedWeights } from '../graph/builder.js';
import type { Runtime } from '../runtime/load.js';
import type { EncoderConfig } from '../weights/config.js';
import type { Weights } from '../weights/safetensors.js';
import { ensureFits } from './memory.js';
import { preparedGraph } from './prepared-graph.js';
import { relativeBuckets, rotaryAngles } from './positions.js';
import { type Device, openGraph } from './runtime.js';

/** A loaded model that returns some of its hidden states. */
export interface Encoder {
  /** Whether a row of a batch is identical to the same row alone. If not, sequences run one by one. */
  readonly isBatchable: boolean;
  /**
   * @param ids token ids [batch x length], row-major
   * @returns one float32 [batch x length, hidden] for each state, in the requested order
   */
  run(ids: BigInt64Array, batch: number, length: number): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export interface EncoderSource {
  runtime: Runtime;
  folder: string;
  config: EncoderConfig;
  weights: Weights;
  /** The states: 0 is the embeddings, n the state after layer n. */
  states: readonly number[];
  quantised: QuantisedWeights | null;
  device: Device;
  /** Whether the weights are mapped, in one copy for all sessions of the machine (CPU only). */
  shared: boolean;
  /** The maximum number of tokens in a run. */
  maxTokens: number;
  /** The size as float32 from which on models are multiplied with their weights as stored. @default largeBytes */
  asStoredFrom?: number;
}

/**
 * The size from which on weights keep their stored order. Ordering the weights for the matrix kernels takes about a second for each GB
 * whenever a model is opened, even if the ordered weights are on disk. It saves a share of a short run and nothing of a long one, so a
 * large model does without. Sums then have another order. Only the size of the whole model decides, so that the model gives the same bits
 * in every worker, and a layer alone the same as among others.
 */
const largeBytes = 1e9;

/** The ids exist in every vocabulary. */
const probeTokens = BigInt64Array.of(0n, 5n, 9n, 12n, 7n, 2n);

/**
 * Builds the graph, writes it next to the weights that it refers to, and opens it.
 * @throws ProblemError bad_file, backend_unavailable; out_of_resources if it does not fit into memory
 */
export async function openEncoder(source: EncoderSource): Promise<Encoder> {
  const { runtime, folder, config, weights, states, quantised, device, shared, maxTokens } = source;
  const { asStoredFrom = largeBytes } = source;
  const graph = buildEncoder(config, weights, states, quantised);
  const isBatchable = [...(quantised?.values() ?? [])].every(({ blockSize }) => blockSize !== null);
  const encoderOf = (session: InferenceSession) =>
    new GraphEncoder(runtime, session, graph.outputs, { config, isBatchable });
  const probe = (session: InferenceSession) => encoderOf(session).run(probeTokens, 1, probeTokens.length);
  // Quantised blocks are not prepared, because ONNX Runtime 1.30 stores the blocks of MatMulNBits so that it cannot use them.
  const hasBlocks = quantised !== null && isBatchable;
  const asStored = device === 'cpu' && quantised === null && float32Bytes(weights) >= asStoredFrom;
  // These weights are mapped by the runtime from their own files.
  const isMapped = asStored && graph.isFloat32;
  const canPrepare = device === 'cpu' && shared && !hasBlocks && !isMapped;
  if (device === 'cpu') {
    const needs = { weightBytes: graph.weightBytes, tokens: maxTokens, shared: canPrepare || isMapped };
    ensureFits(config, needs);
  }
  const path = await keepGraph(folder, graph.model);
  const prepared = canPrepare
    ? await preparedGraph({ ...graph, runtime, graph: path, folder, asStored, probe })
    : null;
  // The graph already uses fused operators, and some are faster when not fused. A prepared graph is optimised already.
  const optimisation = prepared === null ? 'basic' : 'disabled';
  return encoderOf(await openGraph(runtime, prepared ?? path, device, { optimisation, asStored }));
}

const float32Bytes = (weights: Weights): number =>
  [...weights.values()].reduce((sum, { type, sizeBytes }) => sum + (type === 'F32' ? 1 : 2) * sizeBytes, 0);

/** Writes the graph into the folder of the weights, because the runtime resolves their locations relative to the graph's file. */
async function keepGraph(folder: string, model: Uint8Array): Promise<string> {
  const digest = createHash('sha256').update(model).digest('hex').slice(0, 16);
  const path = join(folder, `kindred-graph-${digest}.onnx`);
  const there = await stat(path).catch(() => null);
  if (there?.size === model.length) return path;
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2)}.draft`;
  try {
    await writeFile(draft, model);
    await rename(draft, path);
  } catch (cause) {
    throw new ProblemError(
      'out_of_resources',
      `the graph could not be written into ${folder} (${(cause as Error).message}): let the service write there`,
      { cause },
    );
  }
  return path;
}

class GraphEncoder implements Encoder {
  readonly #names: readonly string[];

  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #outputs: readonly string[];
  readonly #config: EncoderConfig;
  readonly isBatchable: boolean;

  constructor(
    runtime: Runtime,
    session: InferenceSession,
    outputs: readonly string[],
    { config, isBatchable }: { config: EncoderConfig; isBatchable: boolean },
  ) {
    this.#runtime = runtime;
    this.#session = session;
    this.#outputs = outputs;
    this.#config = config;
    this.isBatchable = isBatchable;
    this.#names = [...new Set(outputs)];
  }

  async run(ids: BigInt64Array, batch: number, length: number): Promise<Float32Array[]> {
    const { Tensor } = this.#runtime;
    const feeds: Record<string, Tensor> = {
      tokens: new Tensor('int64', ids, [batch, length]),
      ...this.#positions(Tensor, length),
    };
    const results = await this.#session.run(feeds, this.#names);
    return this.#outputs.map((name) => results[name].data as Float32Array);
  }

  #positions(TensorClass: typeof Tensor, length: number): Record<string, Tensor> {
    const config = this.#config;
    if (config.family === 't5') {
      const buckets = relativeBuckets(length, config.buckets, config.maxDistance);
      return { buckets: new TensorClass('int64', buckets, [buckets.length]) };
    }
    if (config.family === 'bert') return {};
    const headSize = config.hidden / config.heads;
    const shape = [length, headSize / 2];
    const angles = (base: number, prefix = '') => {
      const { cos, sin } = rotaryAngles(length, headSize, base);
      return {
        [`${prefix}cos`]: new TensorClass('float32', cos, shape),
        [`${prefix}sin`]: new TensorClass('float32', sin, shape),
      };
    };
    if (config.family === 'e1') {
      const { within, global } = config.rotaryBases;
      return { ...angles(within), ...angles(global, 'global_') };
    }
    return config.positions === 'absolute' ? {} : angles(config.rotaryBase);
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}
