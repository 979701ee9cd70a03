import { fromFloat16 } from '@kindred/kernels/arrays';
import h5wasm, { type Dataset, type File, Module } from 'h5wasm/node';
import { badVectorFile, checkOneVector, type KeyedVector } from './keyed-vector.js';
import { yieldToEventLoop } from '../../ground/event-loop.js';

/** The library hides these members: raw bytes, for float16, which it cannot decode. */
interface RawHdf5 {
  _malloc(sizeBytes: number): number;
  _free(pointer: number): void;
  get_dataset_data(
    file: bigint,
    path: string,
    count: null,
    offset: null,
    strides: null,
    pointer: bigint,
  ): void;
  HEAPU8: Uint8Array;
}

/**
 * Reads vectors of an HDF5 file with one dataset per protein in its root, as UniProt's per-protein.h5. The
 * key is an accession or the MD5 of the residues (with the name in attribute `original_id`). Numbers are
 * float16, float32 or float64.
 * @throws ProblemError bad_file
 */
export async function* readHdf5(path: string, batchSize: number): AsyncGenerator<KeyedVector[]> {
  await h5wasm.ready;
  const file = openFile(path);
  try {
    const keys = keysOf(file);
    for (let start = 0; start < keys.length; start += batchSize) {
      yield keys.slice(start, start + batchSize).map((key) => vectorOf(file, key));
      // The library is synchronous, so the loop yields to the process's other work.
      await yieldToEventLoop();
    }
  } finally {
    file.close();
  }
}

function openFile(path: string): File {
  try {
    return new h5wasm.File(path, 'r');
  } catch (error) {
    throw badVectorFile(`The HDF5 file can't be read: ${(error as Error).message}`, error);
  }
}

/** The library opens a file that is not HDF5 without an error; listing its names fails. */
function keysOf(file: File): string[] {
  try {
    return file.keys();
  } catch (error) {
    throw badVectorFile(`The HDF5 file can't be read: ${(error as Error).message}`, error);
  }
}

function vectorOf(file: File, key: string): KeyedVector {
  const dataset = file.get(key) as Dataset | null;
  if (dataset === null || !('shape' in dataset) || dataset.shape === null)
    throw badVectorFile(`${key} is not a dataset; expected one dataset per protein in the root of the file`);
  checkOneVector(key, dataset.shape);
  const original = dataset.attrs.original_id?.value;
  return { key, name: typeof original === 'string' ? original : null, vector: numbersOf(dataset, key) };
}

function numbersOf(dataset: Dataset, key: string): Float32Array {
  if (dataset.dtype === '<e') return fromFloat16(new Uint16Array(rawBytes(dataset).buffer));
  if (dataset.dtype !== '<f' && dataset.dtype !== '<d')
    throw badVectorFile(`${key} has values of type ${String(dataset.dtype)}; expected little-endian floats`);
  return Float32Array.from(dataset.value as Float32Array | Float64Array);
}

function rawBytes(dataset: Dataset): Uint8Array {
  const raw = Module as unknown as RawHdf5;
  const { size, total_size } = dataset.metadata;
  const sizeBytes = size * total_size;
  const pointer = raw._malloc(sizeBytes);
  try {
    raw.get_dataset_data(dataset.file_id, dataset.path, null, null, null, BigInt(pointer));
    return raw.HEAPU8.slice(pointer, pointer + sizeBytes);
  } finally {
    raw._free(pointer);
  }
}

/** Writes one float32 dataset per protein. */
export async function writeHdf5(path: string, batches: AsyncIterable<readonly KeyedVector[]>): Promise<void> {
  await h5wasm.ready;
  const file = new h5wasm.File(path, 'w');
  try {
    for await (const batch of batches) {
      for (const { key, name, vector } of batch) {
        const dataset = file.create_dataset({
          name: key,
          data: vector,
          shape: [vector.length],
          dtype: '<f',
        });
        if (name !== null) dataset.create_attribute('original_id', name);
      }
    }
  } finally {
    file.close();
  }
}
