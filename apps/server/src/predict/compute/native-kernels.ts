import { workerData } from 'node:worker_threads';
import { loadNative } from '@kindred/native';
import type { ThreadData } from '../../ground/pool/thread-messages.js';

/** The native kernels that this thread was started with; null where there are none or they are switched off. */
export const nativeKernels = loadNative({ use: (workerData as ThreadData | null)?.native ?? 'on' });
