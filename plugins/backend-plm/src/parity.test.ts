import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rmSync } from 'node:fs';
import { loadRuntime } from './runtime/load.js';
import { openEncoder } from './inference/encoder.js';
import {
  filesOf,
  goldenFamilies,
  goldenSequences,
  modelsFolder,
  readCuts,
  readExpected,
  readTokens,
} from './testing/golden.js';
import { readTokenizer, type Task } from './tokens/tokenizer.js';
import { unigramCutter } from './tokens/unigram.js';
import { readConfig, readEncoderWeights } from './weights/read-config.js';

/** The published models of supported families, each with a trait of its own. */
const relatives = ['esm1v', 'distilprotbert', 'ankh3'];
const halves = [
  'esm2-float16',
  'esm2-bfloat16',
  'esm2-pickle',
  'esmc-float16',
  'esmc-bfloat16',
  'esmc-2024',
  'e1-float16',
  'e1-bfloat16',
];
const models = modelsFolder(...goldenFamilies, ...relatives, ...halves);
afterAll(() => rmSync(models, { recursive: true }));

async function load(name: string, task: Task | null = null) {
  const folder = join(models, name);
  const config = await readConfig(folder, filesOf(folder));
  const weights = await readEncoderWeights(folder, filesOf(folder), config);
  const tokenizer = await readTokenizer(folder, filesOf(folder), config, task);
  return { folder, config, weights, tokenizer };
}

async function maxDifference(
  name: string,
  { task = null, asStoredFrom }: { task?: Task | null; asStoredFrom?: number } = {},
): Promise<number[]> {
  const { folder, config, weights, tokenizer } = await load(name, task);
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
    asStoredFrom,
  });
  const largest = states.map(() => 0);
  const expected = await readExpected(folder, task === 'S2S' ? 'expected-s2s.safetensors' : undefined);
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
  it.each([...goldenFamilies, ...relatives])(
    'of %s are those of the reference program within 1e-5',
    async (name) => {
      const largest = await maxDifference(name);
      for (const difference of largest) expect(difference).toBeLessThan(1e-5);
    },
  );

  it.each([...goldenFamilies, ...relatives, ...halves])(
    'of %s are within 1e-5 too with weights as stored, as in large models',
    async (name) => {
      const largest = await maxDifference(name, { asStoredFrom: 0 });
      for (const difference of largest) expect(difference).toBeLessThan(1e-5);
    },
  );

  it('of Ankh3 are those of transformers also for its other task', async () => {
    const largest = await maxDifference('ankh3', { task: 'S2S' });
    for (const difference of largest) expect(difference).toBeLessThan(1e-5);
    await expect(load('ankh', 'S2S')).rejects.toThrow(/no token \[S2S\], which Ankh3 has/);
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
  it.each([...goldenFamilies, ...relatives, 'esmc-2024'])('of %s are those of the authors', async (name) => {
    const { folder, tokenizer } = await load(name);
    const rows = Object.entries(readTokens(folder));
    expect(rows.length).toBeGreaterThan(60);
    for (const [text, ids] of rows) expect([text, tokenizer.encode(text)]).toEqual([text, ids]);
  });

  it.each(['unmarked', 'joined', 'pairs'])('are cut as the pieces of the tokenizer say: %s', (kind) => {
    const { vocab, ids } = readCuts(join(models, 'ankh3'))[kind];
    const cut = unigramCutter(vocab, 2);
    for (const [text, expected] of Object.entries(ids))
      expect([text, cut(`\u2581${text}`)]).toEqual([text, expected.slice(1, -1)]);
  });
});
