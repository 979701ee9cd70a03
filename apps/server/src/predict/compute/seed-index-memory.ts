import type { SeedIndexOptions } from '@kindred/kernels/homology';
import type { TaskControl } from '../../ground/pool/pool.js';
import { nativeKernels } from './native-kernels.js';

/** Allocates memory that all threads see, in large pages where the addon can ask for them. */
export const allocateShared = (bytes: number): SharedArrayBuffer =>
  nativeKernels()?.allocateShared(bytes) ?? new SharedArrayBuffer(bytes);

/** All threads see an index with these options, and a task can end its making. */
export function inSharedMemory(control: TaskControl): SeedIndexOptions {
  return { allocate: allocateShared, isAborted: () => control.aborted() };
}
