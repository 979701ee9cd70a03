import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createBackend } from '../backend.js';
import { modelsFolder } from '../testing/golden.js';
import { goldenRecipe } from '../testing/recipe.js';
import * as vectors from './compare-vectors.js';
import { readModelFolder } from './folder.js';
import { selfCheck } from './self-check.js';
import { exactIntegerProducts } from '../testing/processor.js';

// Random models lose little by rounding, so these values simulate the loss of a real model.
vi.mock('./compare-vectors.js', async (original) => {
  const real = await original<typeof vectors>();
  return { ...real, neighbourOverlap: vi.fn(real.neighbourOverlap) };
});
const overlap = vi.mocked(vectors.neighbourOverlap);
const models = modelsFolder('esm2');
afterEach(() => overlap.mockClear());

const recipe = goldenRecipe({ model_name: 'esm2@int8', max_length: 60 });

it('refuses int8 weights that lose too much in both kinds, with the figures of both', async () => {
  overlap.mockReturnValueOnce(0.9).mockReturnValueOnce(0.94);
  const folder = await readModelFolder(join(models, 'esm2'));
  await expect(selfCheck(folder, { int8: true, device: 'cpu' })).rejects.toThrow(
    /each output, .*overlap of the 5 nearest 0\.900; with a scale for each block, .* 0\.940 .*use it without @int8/,
  );
});

it('takes scales of blocks where scales of outputs lose too much, tells the job, and remembers', async () => {
  overlap.mockReturnValueOnce(0.9);
  const backend = createBackend({ modelsDir: models, modelDevice: 'cpu', sharedWeights: false });
  const embed = async () => {
    const session = await backend.open({ ...recipe, layer_indices: [0] });
    const result = await session.embed(['MKTAYIAKQR', 'MKTAYIAKQL']);
    await session.close();
    return result;
  };
  const first = await embed();
  expect(first.measured).toMatchObject({ int8_scale_per_output: 0 });
  expect(overlap).toHaveBeenCalledTimes(2);
  expect(await embed()).toEqual(first);
  expect(overlap).toHaveBeenCalledTimes(2);
  rmSync(join(models, 'esm2', 'kindred-check-cpu-int8.json'));
  const faster = await embed();
  if (exactIntegerProducts) {
    expect(faster.measured).toMatchObject({ int8_scale_per_output: 1 });
    expect(faster.vectors).not.toEqual(first.vectors);
  } else {
    expect(faster.measured).toMatchObject({ int8_scale_per_output: 0 });
  }
  rmSync(models, { recursive: true });
});
