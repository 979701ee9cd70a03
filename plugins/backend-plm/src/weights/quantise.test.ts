import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createBackend } from '../backend.js';
import { readModelFolder } from '../models/folder.js';
import { selfCheck } from '../models/self-check.js';
import { filesOf, goldenFamilies, modelsFolder } from '../testing/golden.js';
import { exactIntegerProducts } from '../testing/processor.js';
import { quantiseBlocks, quantisedWeights } from './quantise.js';
import { readTensor } from './read-tensor.js';
import type { TensorSpan } from './safetensors.js';
import { readWeights } from './weight-files.js';

const models = modelsFolder(...goldenFamilies);
afterAll(() => rmSync(models, { recursive: true }));

describe('quantiseBlocks', () => {
  it('is off by half a scale at most, and keeps the largest weight of a block', () => {
    const weights = fc
      .array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: 64, maxLength: 64 })
      .map((list) => Float32Array.from(list));
    fc.assert(
      fc.property(weights, (original) => {
        const { values, scales } = quantiseBlocks(original, 32);
        original.forEach((weight, i) => {
          const scale = scales[Math.floor(i / 32)];
          const restored = (values[i] - 128) * scale;
          expect(Math.abs(restored - weight)).toBeLessThanOrEqual(scale * 0.5 + 1e-6);
        });
      }),
    );
  });
});

describe('int8 weights', () => {
  it.each(goldenFamilies)('of %s keep direction and neighbours of real proteins', async (name) => {
    const folder = await readModelFolder(join(models, name));
    const { int8 } = await selfCheck(folder, { int8: true, device: 'cpu' });
    if (exactIntegerProducts) expect(int8?.shared).toBe('output');
    expect(int8?.cosine).toBeGreaterThan(0.995);
    expect(int8?.cosine).toBeLessThan(0.99999);
    expect(int8?.overlap).toBeGreaterThanOrEqual(0.95);
  });

  it('with a scale for each output are transposed, and those of blocks are not', async () => {
    const path = join(models, 'esm2');
    const weights = await readWeights(path, filesOf(path));
    const { config } = await readModelFolder(path);
    const [name, span] =
      [...weights].find(([key]) => key.endsWith('layer.0.intermediate.dense.weight')) ?? [];
    const original = await readTensor(path, span as TensorSpan);
    const [output, input] = span?.shape as number[];
    for (const shared of ['output', 'block'] as const) {
      const place = (await quantisedWeights(path, config, weights, shared)).get(name as string);
      const bytes = readFileSync(join(path, place?.file as string));
      const at = (offset: number) => (place?.values.offsetBytes as number) + offset;
      const [row, column] = [output - 1, 1];
      const scales = original.subarray(row * input, (row + 1) * input).map(Math.abs);
      const scale = Math.max(...scales) / 127;
      const value =
        shared === 'output'
          ? bytes.readInt8(at(column * output + row))
          : bytes.readUInt8(at(row * input + column)) - 128;
      expect(value).toBe(Math.round(original[row * input + column] / scale));
    }
  });

  it('are written once, and the job reports their loss', async () => {
    const backend = createBackend({ modelsDir: models, modelDevice: 'cpu', sharedWeights: false });
    const recipe = completeRecipe({ model_name: 'esm2@int8', model_backend: 'plm', max_length: 60 });
    const session = await backend.open({ ...recipe, layer_indices: [0] });
    const { measured } = await session.embed(['MKTAYIAKQR']);
    await session.close();
    expect(measured?.int8_cosine).toBeGreaterThan(0.99);
    expect(measured?.int8_cosine).toBeLessThan(1);
    if (exactIntegerProducts) expect(measured?.int8_scale_per_output).toBe(1);
    const shared = measured?.int8_scale_per_output === 1 ? 'output' : 'block';
    const files = filesOf(join(models, 'esm2')).filter((file) => file.startsWith(`kindred-int8-${shared}`));
    expect(files).toHaveLength(1);
    expect(readFileSync(join(models, 'esm2', files[0])).length).toBeGreaterThan(2 * 8192);
  });
});
