import type { SeedIndexOptions } from '@kindred/kernels/homology';
import type { TaskControl } from '../../ground/pool/pool.js';
import { nativeKernels } from './native-kernels.js';

/** Options of an index that all threads see, and whose making a task can end. */
export function inSharedMemory(control: TaskControl): SeedIndexOptions {
  return {
    allocate: (bytes) => nativeKernels()?.allocateShared(bytes) ?? new SharedArrayBuffer(bytes),
    isAborted: () => control.aborted(),
  };
}
