import { createHash } from 'node:crypto';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuantisedWeight, QuantisedWeights } from '../graph/builder.js';
import type { EncoderConfig } from './config.js';
import { readTensor } from './read-tensor.js';
import type { TensorSpan, Weights } from './safetensors.js';

/**
 * The possible numbers of weights with a common scale, of which the largest that divides the row length is used. Larger blocks are
 * faster.
 */
const blockSizes = [128, 64, 32] as const;
const blockSizeOf = (input: number) => blockSizes.find((size) => input % size === 0);
const alignment = 64;
const zeroPoint = 128;
const formatVersion = 3;

/**
 * The set of weights with a common float32 scale: all weights of an `output`, or a `block` of them. With one scale for an output,
 * products are integer products, which are fastest. But the inputs of a matrix are then also rounded with one scale, so a few large
 * values reduce the precision of the others. With blocks, inputs are rounded in blocks.
 */
export type SharedScale = 'output' | 'block';

/**
 * Returns the matrices of the layers with 8 bits for each weight; the largest weight of a scale becomes 127. They are written once, next
 * to the weights, and used by all workers of the machine. Embeddings, biases, gains and position tables are unchanged.
 */
export async function quantisedWeights(
  folder: string,
  config: EncoderConfig,
  weights: Weights,
  shared: SharedScale,
): Promise<QuantisedWeights> {
  const matrices = [...weights]
    .filter(([name, { shape }]) => isMatrix(name, shape))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const file = `kindred-int8-${shared}-${await fingerprint(folder, config, matrices)}.bin`;
  const { places, totalBytes } = layout(file, matrices, shared);
  const there = await stat(join(folder, file)).catch(() => null);
  if (there?.size !== totalBytes) await write(folder, file, { matrices, places, totalBytes });
  return places;
}

function isMatrix(name: string, shape: readonly number[]): boolean {
  return (
    /(^|\.)(encoder\.(layer|block)|layers)\.\d+\./.test(name) &&
    !name.includes('relative_attention_bias') &&
    shape.length === 2 &&
    blockSizeOf(shape[1]) !== undefined
  );
}

type Matrices = readonly (readonly [name: string, span: TensorSpan])[];

async function fingerprint(folder: string, config: EncoderConfig, matrices: Matrices): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([formatVersion, config, matrices]));
  for (const file of new Set(matrices.map(([, span]) => span.file)))
    hash.update(`${file} ${(await stat(join(folder, file))).mtimeMs}`);
  return hash.digest('hex').slice(0, 16);
}

function layout(
  file: string,
  matrices: Matrices,
  shared: SharedScale,
): { places: Map<string, QuantisedWeight>; totalBytes: number } {
  const places = new Map<string, QuantisedWeight>();
  let next = 0;
  const take = (sizeBytes: number) => {
    const place = { offsetBytes: next, sizeBytes };
    next += Math.ceil(sizeBytes / alignment) * alignment;
    return place;
  };
  for (const [name, { shape }] of matrices) {
    const count = shape[0] * shape[1];
    const blockSize = shared === 'block' ? (blockSizeOf(shape[1]) as number) : null;
    places.set(name, {
      file,
      blockSize,
      values: take(count),
      scales: take((count / (blockSize ?? shape[1])) * 4),
    });
  }
  return { places, totalBytes: next };
}

async function write(
  folder: string,
  file: string,
  plan: { matrices: Matrices; places: QuantisedWeights; totalBytes: number },
): Promise<void> {
  const draft = join(folder, `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.draft`);
  const handle = await open(draft, 'w');
  try {
    await handle.truncate(plan.totalBytes);
    for (const [name, span] of plan.matrices) {
      const place = plan.places.get(name) as QuantisedWeight;
      const [, input] = span.shape;
      const { values, scales } = quantiseBlocks(await readTensor(folder, span), place.blockSize ?? input);
      const stored = place.blockSize === null ? transposed(values, input) : values;
      await handle.write(stored, 0, stored.length, place.values.offsetBytes);
      const bytes = new Uint8Array(scales.buffer);
      await handle.write(bytes, 0, bytes.length, place.scales.offsetBytes);
    }
    await handle.close();
    await rename(draft, join(folder, file));
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

/**
 * @param weights float32, in blocks of `size` in each row
 * @returns `values` as uint8, where 128 is zero, and `scales` as float32 for each block: weight = (value - 128) x scale, with an error of
 * at most half a scale
 */
export function quantiseBlocks(
  weights: Float32Array,
  size: number,
): { values: Uint8Array; scales: Float32Array } {
  const values = new Uint8Array(weights.length);
  const scales = new Float32Array(weights.length / size);
  for (let block = 0; block < scales.length; block++) {
    const start = block * size;
    let largest = 0;
    for (let i = start; i < start + size; i++) largest = Math.max(largest, Math.abs(weights[i]));
    scales[block] = largest / 127;
    const inverse = largest === 0 ? 0 : 127 / largest;
    for (let i = start; i < start + size; i++) values[i] = Math.round(weights[i] * inverse) + zeroPoint;
  }
  return { values, scales };
}

/** Turns [out, in] around 128 into int8 [in, out] around 0. */
function transposed(values: Uint8Array, input: number): Int8Array {
  const output = values.length / input;
  const result = new Int8Array(values.length);
  for (let row = 0; row < output; row++)
    for (let column = 0; column < input; column++)
      result[column * output + row] = values[row * input + column] - zeroPoint;
  return result;
}
