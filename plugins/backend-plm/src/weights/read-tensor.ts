import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fromFloat16 } from '@kindred/kernels/arrays';
import { badModel } from '../bad-model.js';
import type { TensorSpan } from './safetensors.js';

/** Reads the numbers of one tensor, as float32. */
export async function readTensor(folder: string, span: TensorSpan): Promise<Float32Array> {
  const bytes = new Uint8Array(span.sizeBytes);
  const handle = await open(join(folder, span.file));
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, done, bytes.length - done, span.offsetBytes + done);
      if (bytesRead === 0) throw badModel(`${span.file} ends within a tensor`);
      done += bytesRead;
    }
  } finally {
    await handle.close();
  }
  if (span.type === 'F32') return new Float32Array(bytes.buffer);
  const halves = new Uint16Array(bytes.buffer);
  return span.type === 'F16' ? fromFloat16(halves) : fromBfloat16(halves);
}

/** Widens bfloat16 numbers: each is the upper half of a float32. */
function fromBfloat16(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (bits) => bits << 16).buffer);
}
