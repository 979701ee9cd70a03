import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadRuntime } from '../runtime/load.js';
import { openEncoder } from '../inference/encoder.js';
import { goldenSequences, modelsFolder, readExpected } from '../testing/golden.js';
import { readTokenizer } from '../tokens/tokenizer.js';
import type { E1Config } from '../weights/config.js';
import { readConfig, readEncoderWeights } from '../weights/read-config.js';
import { readTensor } from '../weights/read-tensor.js';
import type { TensorSpan } from '../weights/safetensors.js';

const models = modelsFolder('e1');
afterAll(() => rmSync(models, { recursive: true }));

const folder = join(models, 'e1');
const files = readdirSync(folder);
const published = (await readConfig(folder, files)) as E1Config;
const weights = await readEncoderWeights(folder, files, published);
const ids = (await readTokenizer(folder, files, published)).encode(goldenSequences[0]);
const tensors = new Map<string, Float32Array>();
for (const [name, span] of weights)
  tensors.set(name.replace(/^model\./, ''), await readTensor(folder, span as TensorSpan));

/** A vector for each token. */
type Rows = number[][];

/** Computes all states of E1 as it is defined, one number after another in float64, which is slow. */
function plainStates(config: E1Config): Rows[] {
  const { hidden, layers, heads, intermediate, epsilon, clip, globalEvery, rotaryBases } = config;
  const weight = (name: string) => tensors.get(`${name}.weight`) as Float32Array;
  const norm = (x: Rows, name: string) =>
    x.map((row) => {
      const rms = Math.sqrt(row.reduce((sum, value) => sum + value ** 2, 0) / hidden + epsilon);
      return row.map((value, i) => (value / rms) * weight(name)[i]);
    });
  const linear = (x: Rows, name: string, outputs: number) =>
    x.map((row) =>
      Array.from({ length: outputs }, (_, output) =>
        row.reduce((sum, value, i) => sum + value * weight(name)[output * row.length + i], 0),
      ),
    );
  const plus = (x: Rows, y: Rows) => x.map((row, t) => row.map((value, i) => value + y[t][i]));
  const size = hidden / heads;
  const turn = (head: number[], position: number, base: number) =>
    head.map((value, i) => {
      const half = size / 2;
      const angle = position * base ** ((-2 * (i % half)) / size);
      const partner = i < half ? -head[i + half] : head[i - half];
      return value * Math.cos(angle) + partner * Math.sin(angle);
    });
  const attention = (x: Rows, name: string, base: number) => {
    const limit = (value: number) => (clip === null ? value : Math.min(clip, Math.max(-clip, value)));
    const [queries, keys, values] = ['q', 'k', 'v'].map((part) =>
      linear(x, `${name}.${part}_proj`, hidden).map((row) => row.map(limit)),
    );
    const mixed = x.map((_, t) =>
      Array.from({ length: heads }, (_unused, head) => {
        const part = (row: number[]) => row.slice(head * size, (head + 1) * size);
        const query = turn(part(queries[t]), t, base);
        const shares = keys.map((row, s) => {
          const key = turn(part(row), s, base);
          return Math.exp(query.reduce((sum, value, i) => sum + value * key[i], 0) / Math.sqrt(size));
        });
        const total = shares.reduce((sum, share) => sum + share, 0);
        return Array.from({ length: size }, (_value, i) =>
          values.reduce((sum, row, s) => sum + (shares[s] / total) * part(row)[i], 0),
        );
      }).flat(),
    );
    return linear(mixed, `${name}.o_proj`, hidden);
  };
  const feedForward = (x: Rows, name: string) => {
    const gate = linear(x, `${name}.w1`, intermediate);
    const up = linear(x, `${name}.w3`, intermediate);
    const between = gate.map((row, t) => row.map((value, i) => (value / (1 + Math.exp(-value))) * up[t][i]));
    return linear(between, `${name}.w2`, hidden);
  };
  const rowOf = (name: string, row: number) => [...weight(name).slice(row * hidden, (row + 1) * hidden)];
  let x = ids.map((id) => plus([rowOf('embed_tokens', id)], [rowOf('embed_seq_id', 0)])[0]);
  const states = [x];
  for (let layer = 1; layer <= layers; layer++) {
    const name = `layers.${layer - 1}`;
    const before = `${name}.norm_attn_norm`;
    const base = globalEvery !== null && layer % globalEvery === 0 ? rotaryBases.global : rotaryBases.within;
    x = plus(x, attention(norm(x, `${before}.input_layernorm`), `${before}.self_attn`, base));
    x = plus(x, feedForward(norm(x, `${before}.post_attention_layernorm`), `${name}.ffn.mlp`));
    states.push(layer === layers ? norm(x, 'norm') : x);
  }
  return states;
}

async function graphStates(config: E1Config): Promise<Float32Array[]> {
  const states = Array.from({ length: config.layers + 1 }, (_, state) => state);
  const encoder = await openEncoder({
    runtime: loadRuntime(''),
    folder,
    config,
    weights,
    states,
    quantised: null,
    device: 'cpu',
    shared: false,
    maxTokens: 64,
  });
  const outputs = await encoder.run(BigInt64Array.from(ids, BigInt), 1, ids.length);
  await encoder.close();
  return outputs;
}

/** Returns the largest difference in each state. */
const differences = (plain: Rows[], others: readonly Float32Array[]) =>
  plain.map((rows, state) =>
    rows.flat().reduce((most, value, i) => Math.max(most, Math.abs(value - others[state][i])), 0),
  );

describe('E1 as it is defined', () => {
  const usual = plainStates(published);

  it('is what e1jax computes, within 1e-5', async () => {
    const expected = (await readExpected(folder)).get(0) as Float32Array[];
    expect(expected).toHaveLength(usual.length);
    expect(Math.max(...differences(usual, expected))).toBeLessThan(1e-5);
  });

  it.each<Partial<E1Config>>([
    { globalEvery: null },
    { globalEvery: 1 },
    { globalEvery: 2 },
    { rotaryBases: { within: 500, global: 500_000 } },
    { rotaryBases: { within: 10_000, global: 20 } },
    { clip: null },
    { clip: 0.2 },
    { epsilon: 0.01 },
  ])('shows %j, and the graph does the same within 1e-5', async (changes) => {
    const config = { ...published, ...changes };
    const plain = plainStates(config);
    const changed = plain.map((rows) => Float32Array.from(rows.flat()));
    expect(Math.max(...differences(usual, changed))).toBeGreaterThan(1e-3);
    expect(Math.max(...differences(plain, await graphStates(config)))).toBeLessThan(1e-5);
  });
});
