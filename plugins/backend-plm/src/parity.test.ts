import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rmSync } from 'node:fs';
import { openEncoder } from './inference/encoder.js';
import {
  filesOf,
  goldenFamilies,
  goldenSequences,
  modelsFolder,
  readExpected,
  readTokens,
} from './testing/golden.js';
import { readTokenizer } from './tokens/tokenizer.js';
import { readConfig, readEncoderWeights } from './weights/read-config.js';

const halves = ['esm2-float16', 'esm2-bfloat16', 'esm2-pickle', 'esmc-float16', 'esmc-bfloat16', 'esmc-2024'];
const models = modelsFolder(...goldenFamilies, ...halves);
afterAll(() => rmSync(models, { recursive: true }));

async function load(name: string) {
  const folder = join(models, name);
  const config = await readConfig(folder, filesOf(folder));
  const weights = await readEncoderWeights(folder, filesOf(folder), config);
  const tokenizer = await readTokenizer(folder, filesOf(folder), config);
  return { folder, config, weights, tokenizer };
}

async function maxDifference(name: string): Promise<number[]> {
  const { folder, config, weights, tokenizer } = await load(name);
  const states = Array.from({ length: config.layers + 1 }, (_, state) => state);
  const encoder = await openEncoder({ folder, config, weights, states, quantised: null, device: 'cpu' });
  const largest = states.map(() => 0);
  const expected = await readExpected(folder);
  expect(expected.size).toBeGreaterThan(0);
  for (const [sequence, layers] of expected) {
    const ids = tokenizer.encode(goldenSequences[sequence]);
    const outputs = await encoder.run(BigInt64Array.from(ids, BigInt), 1, ids.length);
    expect(layers).toHaveLength(states.length);
    layers.forEach((values, layer) => {
      expect(outputs[layer]).toHaveLength(values.length);
      values.forEach((value, i) => {
        largest[layer] = Math.max(largest[layer], Math.abs(value - outputs[layer][i]));
      });
    });
  }
  await encoder.close();
  return largest;
}

describe('hidden states of every layer', () => {
  it.each(goldenFamilies)('of %s are those of transformers within 1e-5', async (name) => {
    const largest = await maxDifference(name);
    for (const difference of largest) expect(difference).toBeLessThan(1e-5);
  });

  it.each(halves)(
    'of %s are those of the rounded weights in float32 arithmetic, within 1e-5',
    async (name) => {
      const largest = await maxDifference(name);
      for (const difference of largest) expect(difference).toBeLessThan(1e-5);
    },
  );
});

describe('tokens', () => {
  it.each([...goldenFamilies, 'esmc-2024'])('of %s are those of the authors', async (name) => {
    const { folder, tokenizer } = await load(name);
    const rows = Object.entries(readTokens(folder));
    expect(rows.length).toBeGreaterThan(60);
    for (const [text, ids] of rows) expect([text, tokenizer.encode(text)]).toEqual([text, ids]);
  });
});
