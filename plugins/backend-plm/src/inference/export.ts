import type { InferenceSession } from 'onnxruntime-common';
import { badModel } from '../bad-model.js';
import type { Runtime } from '../runtime/load.js';
import type { EncoderConfig } from '../weights/config.js';
import type { Encoder } from './encoder.js';
import { type Device, openGraph } from './runtime.js';

export interface ExportSource {
  runtime: Runtime;
  path: string;
  config: EncoderConfig;
  states: readonly number[];
  device: Device;
}

/** The inputs of exported encoders. All tokens are real (no padding) and in the first segment. */
const fillings: Readonly<Record<string, (index: number, length: number) => bigint>> = {
  attention_mask: () => 1n,
  token_type_ids: () => 0n,
  position_ids: (index, length) => BigInt(index % length),
};

/**
 * Opens a prebuilt ONNX model with the input `input_ids` (int64 [batch, length]) and those of `fillings`, and the output
 * `last_hidden_state` (float32 [batch, length, hidden]) for the last state, `hidden_states.<n>` for state n.
 *
 * @throws ProblemError bad_file if it has other inputs, or a state is missing
 */
export async function openExport({ runtime, path, config, states, device }: ExportSource): Promise<Encoder> {
  const session = await openGraph(runtime, path, device, { optimisation: 'all' });
  try {
    const foreign = session.inputNames.find((name) => name !== 'input_ids' && !Object.hasOwn(fillings, name));
    if (foreign !== undefined || !session.inputNames.includes('input_ids'))
      throw badModel(
        `model.onnx has the inputs ${session.inputNames.join(', ')}; expected input_ids and perhaps ${Object.keys(fillings).join(', ')}`,
      );
    const outputs = states.map((state) => outputOf(session, state, config.layers));
    return new ExportEncoder(runtime, session, outputs, config.hidden);
  } catch (error) {
    await session.release();
    throw error;
  }
}

function outputOf({ outputNames }: InferenceSession, state: number, layers: number): string {
  const wanted = [`hidden_states.${state}`, ...(state === layers ? ['last_hidden_state'] : [])];
  const found = wanted.findLast((name) => outputNames.includes(name));
  if (found === undefined)
    throw badModel(`model.onnx has no output ${wanted.join(' or ')}; it has ${outputNames.join(', ')}`);
  return found;
}

class ExportEncoder implements Encoder {
  readonly isBatchable = true;

  readonly #runtime: Runtime;
  readonly #session: InferenceSession;
  readonly #outputs: readonly string[];
  readonly #hidden: number;

  constructor(runtime: Runtime, session: InferenceSession, outputs: readonly string[], hidden: number) {
    this.#runtime = runtime;
    this.#session = session;
    this.#outputs = outputs;
    this.#hidden = hidden;
  }

  async run(ids: BigInt64Array, batch: number, length: number): Promise<Float32Array[]> {
    const { Tensor } = this.#runtime;
    const tensor = (values: BigInt64Array) => new Tensor('int64', values, [batch, length]);
    const feeds = Object.fromEntries(
      this.#session.inputNames.map((name) => [
        name,
        name === 'input_ids' ? tensor(ids) : tensor(ids.map((_, index) => fillings[name](index, length))),
      ]),
    );
    const results = await this.#session.run(feeds, [...new Set(this.#outputs)]);
    return this.#outputs.map((name) => {
      const { data } = results[name];
      if (!(data instanceof Float32Array) || data.length !== batch * length * this.#hidden)
        throw badModel(`the output ${name} of model.onnx is not float32 [batch, length, ${this.#hidden}]`);
      return data;
    });
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}
