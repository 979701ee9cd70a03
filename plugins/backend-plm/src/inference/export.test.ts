import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackend } from '../backend.js';
import { encodeModel, type OnnxNode } from '../graph/onnx.js';
import { modelsFolder } from '../testing/golden.js';
import { readTensor } from '../weights/read-tensor.js';
import { readSafetensors } from '../weights/safetensors.js';

let models: string;
let table: Float32Array;
/** The export is a prebuilt one that returns rows of the embedding table, instead of the golden model's weights. */
beforeEach(async () => {
  models = modelsFolder('esm2');
  const folder = join(models, 'esm2');
  const spans = await readSafetensors(join(folder, 'model.safetensors'));
  const span = spans.get('esm.embeddings.word_embeddings.weight');
  if (!span) throw new Error('the golden model has no embeddings');
  table = await readTensor(folder, span);
  rmSync(join(folder, 'model.safetensors'));
});
afterEach(() => rmSync(models, { recursive: true }));

function writeExport(changes: { mask?: string; output?: string } = {}): void {
  const { mask = 'attention_mask', output = 'last_hidden_state' } = changes;
  const node = (
    operator: string,
    inputs: string[],
    name: string,
    attributes: OnnxNode['attributes'] = {},
  ) => ({
    operator,
    domain: '',
    inputs,
    outputs: [name],
    attributes,
  });
  const grid = ['batch', 'length'];
  const model = encodeModel({
    nodes: [
      node('Gather', ['table', 'input_ids'], 'rows', { axis: { integer: 0 } }),
      node('Cast', [mask], 'real', { to: { integer: 1 } }),
      node('Unsqueeze', ['real', 'last'], 'wide'),
      node('Mul', ['rows', 'wide'], output),
    ],
    tensors: [
      { name: 'table', type: 'float', shape: [33, 32], data: new Uint8Array(table.buffer) },
      { name: 'last', type: 'int64', shape: [1], data: new Uint8Array(new BigInt64Array([-1n]).buffer) },
    ],
    inputs: [
      { name: 'input_ids', type: 'int64', shape: grid },
      { name: mask, type: 'int64', shape: grid },
    ],
    outputs: [{ name: output, type: 'float', shape: [...grid, 32] }],
  });
  writeFileSync(join(models, 'esm2', 'model.onnx'), model);
}

const open = (layer: number, model_name = 'esm2') =>
  createBackend({ modelsDir: models, modelDevice: 'cpu', sharedWeights: false }).open(
    completeRecipe({
      model_name,
      model_backend: 'plm',
      layer_indices: [layer],
      normalize: false,
      max_length: 60,
    }),
  );

describe('a ready-made ONNX model', () => {
  it('is run with all tokens unmasked and pooled like any other', async () => {
    writeExport();
    const session = await open(0);
    const { vectors } = await session.embed(['LA', 'A']);
    await session.close();
    const row = (id: number) => table.subarray(id * 32, id * 32 + 32);
    row(5).forEach((value, i) => {
      expect(vectors[32 + i]).toBeCloseTo(value, 6);
      expect(vectors[i]).toBeCloseTo((value + row(4)[i]) / 2, 6);
    });
  });

  it('is refused in words where it lacks a layer, an output or int8, or has other inputs', async () => {
    writeExport();
    await expect(open(1)).rejects.toThrow(/no output hidden_states\.1; it has last_hidden_state/);
    await expect(open(0, 'esm2@int8')).rejects.toThrow(/int8 weights are made from published weights/);
    writeExport({ mask: 'pixels' });
    await expect(open(0)).rejects.toThrow(/has the inputs input_ids, pixels; expected input_ids/);
  });
});
