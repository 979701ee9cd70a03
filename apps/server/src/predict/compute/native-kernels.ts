import { workerData } from 'node:worker_threads';
import { loadNative, type NativeKernels } from '@kindred/native';
import type { ThreadData } from '../../ground/pool/thread-messages.js';

let kernels: NativeKernels | null | undefined;

/**
 * Gives the native kernels that this thread was started with, loaded at the first call; null if they are
 * missing or switched off. The process that starts the threads imports their tasks, too, but calls no kernel.
 */
export function nativeKernels(): NativeKernels | null {
  if (kernels === undefined) kernels = loadNative({ use: (workerData as ThreadData | null)?.native ?? 'on' });
  return kernels;
}
