import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
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

const recipe = completeRecipe({ model_name: 'esm2', model_backend: 'plm', max_length: 60 });
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

it.each([
  ['never answers', 'embed: () => new Promise(() => {})', '() => session'],
  ['blocks its thread', 'embed: () => { for (;;); }', '() => session'],
  ['does not open a model', '', '() => new Promise(() => {})'],
])('ends a backend that %s, names it and its limit, and goes on with others', async (_, method, open) => {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-backends-'));
  const place = join(folder, 'node_modules', 'kindred-backend-mute');
  mkdirSync(join(folder, 'node_modules', '@kindred'), { recursive: true });
  mkdirSync(place);
  symlinkSync(join(root, 'packages/contracts'), join(folder, 'node_modules/@kindred/contracts'));
  const kindred = { contract: 1, kind: 'backend', entry: './index.js' };
  const manifest = { name: 'kindred-backend-mute', version: '2.0.0', type: 'module', kindred };
  writeFileSync(join(place, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(place, 'index.js'),
    `import { z } from '@kindred/contracts';
     const session = { dimension: 2, close: async () => {}, ${method} };
     export const plugin = { kind: 'backend', name: 'mute', version: '2.0.0', description: 'For a test', citations: [],
       parameters: z.strictObject({}), limitSeconds: 0.1, load: async () => ({ models: async () => [], open: ${open} }) };`,
  );
  const own = createComputePool({
    size: 1,
    pluginFolders: [join(folder, 'node_modules'), join(root, 'node_modules')],
    plugins: { dataDir: models, variables: { SVC_MODELS_DIR: models }, fileValues: {}, filePath: '' },
    abandonMs: 20,
  });
  try {
    const by = (model_backend: string, model_name: string) =>
      own.run(embedTask, {
        recipe: { ...recipe, layer_indices: [0], model_backend, model_name },
        sequences: ['MKTAYIAKQR', 'MA'],
      });
    await expect(by('mute', 'm')).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringMatching(
        /^The embedding backend mute 2\.0\.0 did not return within 0\.1 s for 12 residues in 2 sequences .*limitSeconds/,
      ),
    });
    expect(await by('plm', 'esm2')).toMatchObject({ dimension: 32 });
  } finally {
    await own.close();
    rmSync(folder, { recursive: true });
  }
});
