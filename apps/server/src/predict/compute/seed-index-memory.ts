import type { SeedIndexOptions } from '@kindred/kernels/homology';
import type { TaskControl } from '../../ground/pool/pool.js';
import { nativeKernels } from './native-kernels.js';

/** All threads see an index with these options, and a task can end its making. */
export function inSharedMemory(control: TaskControl): SeedIndexOptions {
  return {
    allocate: (bytes) => nativeKernels()?.allocateShared(bytes) ?? new SharedArrayBuffer(bytes),
    isAborted: () => control.aborted(),
  };
}
