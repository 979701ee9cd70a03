import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { badModel } from '../bad-model.js';
import { PickleCall, PickleName, PickleReference, type PickleValue, readPickle } from './pickle.js';
import type { FloatType, TensorSpan } from './safetensors.js';
import { type StoredEntry, storedEntries } from './zip-entries.js';

const maxListBytes = 100_000_000;
const bytesOf: Record<FloatType, number> = { F32: 4, F16: 2, BF16: 2 };
const storageTypes: Readonly<Record<string, FloatType>> = {
  'torch.FloatStorage': 'F32',
  'torch.HalfStorage': 'F16',
  'torch.BFloat16Storage': 'BF16',
};

/**
 * Reads the weights of a file that `torch.save` wrote (PyTorch 1.6 or later). It is a zip file with uncompressed numbers and a pickle
 * that lists them. The pickle is read as data, so no code runs. Tensors of other types, and other objects, are left out.
 *
 * @throws ProblemError bad_file
 */
export async function readPytorch(path: string): Promise<Map<string, TensorSpan>> {
  const file = basename(path);
  const handle = await open(path).catch(() => {
    throw badModel(`there is no file ${file}`);
  });
  try {
    const { size } = await handle.stat();
    const entries = await storedEntries(handle, file, size);
    const list = [...entries].find(([name]) => /^[^/]+\/data\.pkl$/.test(name));
    if (list === undefined || list[1].sizeBytes > maxListBytes)
      throw badModel(`${file} has no usable list of weights (data.pkl)`);
    const bytes = Buffer.alloc(list[1].sizeBytes);
    await handle.read(bytes, 0, bytes.length, list[1].offsetBytes);
    return spansOf(file, readPickle(bytes), (key) => entries.get(list[0].replace('data.pkl', `data/${key}`)));
  } finally {
    await handle.close();
  }
}

type Find = (key: string) => StoredEntry | undefined;

function spansOf(file: string, root: PickleValue, find: Find): Map<string, TensorSpan> {
  if (!(root instanceof Map)) throw badModel(`${file} holds no dictionary of weights`);
  const spans = new Map<string, TensorSpan>();
  for (const [name, value] of root) {
    const span =
      typeof name === 'string' ? spanOf(`tensor ${name.slice(0, 120)} of ${file}`, value, find) : null;
    if (span) spans.set(name as string, { file, ...span });
  }
  return spans;
}

function spanOf(what: string, value: PickleValue, find: Find): Omit<TensorSpan, 'file'> | null {
  if (!(value instanceof PickleCall) || !(value.callee instanceof PickleName)) return null;
  const { parameters } = value;
  if (value.callee.name === 'torch._utils._rebuild_parameter') return spanOf(what, parameters[0], find);
  if (value.callee.name !== 'torch._utils._rebuild_tensor_v2') return null;
  const [storage, offset, shape, strides] = parameters;
  const id = storage instanceof PickleReference ? storage.id : null;
  if (!Array.isArray(id) || !(id[1] instanceof PickleName)) throw badModel(`${what} has no storage`);
  const type = storageTypes[id[1].name];
  if (type === undefined) return null;
  if (!isSizes(shape) || !isSizes(strides) || !isSizes([offset]))
    throw badModel(`${what} has no usable shape`);
  if (!isRowMajor(shape, strides)) throw badModel(`${what} is not row-major; save the model as safetensors`);
  const entry = find(String(id[2]));
  const start = (offset as number) * bytesOf[type];
  const sizeBytes = shape.reduce((product, size) => product * size, bytesOf[type]);
  if (entry === undefined || start + sizeBytes > entry.sizeBytes)
    throw badModel(`${what} should be where the file has no numbers`);
  return { type, shape, offsetBytes: entry.offsetBytes + start, sizeBytes };
}

function isSizes(value: PickleValue): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);
}

function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  let expected = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== expected) return false;
    expected *= shape[axis];
  }
  return shape.length === strides.length;
}
