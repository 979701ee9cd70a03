import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromFloat16 } from '@kindred/kernels/arrays';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, expect, it } from 'vitest';
import { embedTask } from './tasks/embed.js';
import { createComputePool } from '../../ground/pool/thread-pool.js';

const models = mkdtempSync(join(tmpdir(), 'kindred-models-'));
const root = repositoryRoot(dirname(fileURLToPath(import.meta.url)));
cpSync(join(root, 'plugins/backend-plm/golden/esm2'), join(models, 'esm2'), { recursive: true });
const pool = createComputePool({
  size: 2,
  plugins: { dataDir: models, variables: { SVC_MODELS_DIR: models }, fileValues: {}, filePath: '' },
});
afterAll(async () => {
  await pool.close();
  rmSync(models, { recursive: true });
});

const recipe = {
  model_name: 'esm2',
  model_backend: 'plm',
  layer_indices: [0],
  layer_agg: 'mean',
  pooling: 'mean',
  normalize_residues: false,
  normalize: true,
  max_length: 60,
  use_chunking: false,
  chunk_size: 10,
  chunk_overlap: 0,
} as const;
const embed = (model_name: string, sequences: string[]) =>
  pool.run(embedTask, { recipe: { ...recipe, layer_indices: [0], model_name }, sequences });

it('embeds by a language model of the models folder, the same in every thread', async () => {
  const sequences = ['MKTAYIAKQR', 'MA'];
  const [one, other] = await Promise.all([embed('esm2', sequences), embed('esm2', sequences)]);
  expect(one.dimension).toBe(32);
  expect(other.vectors).toEqual(one.vectors);
  const [first] = [fromFloat16(one.vectors.slice(0, 32))];
  expect(Math.hypot(...first)).toBeCloseTo(1, 2);
  expect(one.measured).toEqual({});
  expect([one.modelKept, other.modelKept]).toEqual([false, false]);
  expect(await embed('esm2', sequences)).toMatchObject({ modelKept: true });
});

it('tells what int8 weights lose, and which models there are', async () => {
  const { measured } = await embed('esm2@int8', ['MKTAYIAKQR']);
  expect(measured.int8_cosine).toBeGreaterThan(0.99);
  expect(measured.int8_neighbour_overlap).toBeGreaterThanOrEqual(0.95);
  await expect(embed('esm9', ['MA'])).rejects.toMatchObject({
    code: 'unknown_model',
    message: expect.stringContaining('Installed: esm2'),
  });
});
