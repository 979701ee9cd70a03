import { ProblemError } from '@kindred/contracts';
import type { InferenceSession } from 'onnxruntime-common';
import type { Runtime } from '../runtime/load.js';

export type Device = 'cpu' | 'cuda';

/** The paths of the optimised graph, which is written when a graph is opened. The path of the weights is relative to the graph. */
export interface PreparedFiles {
  graph: string;
  weights: string;
}
export interface GraphOptions {
  /** The optimisation: leave the graph as it is (disabled), fold constants (basic), or also fuse operators (all). */
  optimisation: 'disabled' | 'basic' | 'all';
  /** Whether to multiply with the weights as they are in their file, which is mapped, instead of an ordered copy. @default false */
  asStored?: boolean;
  prepared?: PreparedFiles;
}

export const versionOf = ({ env }: Runtime): string => env.versions.node ?? env.versions.common;

/**
 * Opens an ONNX model. Uses one thread, because each compute thread has its own session, and threads of one session wait for
 * each other on a busy machine.
 *
 * @throws ProblemError backend_unavailable (no CUDA), out_of_resources, internal_error
 */
export async function openGraph(
  { InferenceSession }: Runtime,
  path: string,
  device: Device,
  { optimisation, asStored = false, prepared }: GraphOptions,
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(path, {
      executionProviders: [device],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: optimisation,
      logSeverityLevel: 3,
      ...(prepared && { optimizedModelFilePath: prepared.graph }),
      extra: {
        session: {
          ...(asStored && { disable_prepacking: '1' }),
          ...(prepared && writing(prepared, asStored)),
        },
      },
    });
  } catch (error) {
    throw refusalOf(error, device);
  }
}

/** The size below which weights stay in the graph's own file. */
const minExternalBytes = 1024;

/** Returns the session options that write the weights, in the order in which they are multiplied. */
const writing = ({ weights }: PreparedFiles, asStored: boolean) => ({
  save_external_prepacked_constant_initializers: asStored ? '0' : '1',
  optimized_model_external_initializers_file_name: weights,
  optimized_model_external_initializers_min_size_in_bytes: String(minExternalBytes),
});

function refusalOf(cause: unknown, device: Device): ProblemError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/bad_alloc|out of memory|failed to allocate/i.test(message))
    return new ProblemError('out_of_resources', `there is not enough memory for the model (${message})`, {
      cause,
    });
  if (device === 'cuda')
    return new ProblemError(
      'backend_unavailable',
      `SVC_MODEL_DEVICE is cuda, but the CUDA provider of ONNX Runtime could not be used: ${message}. Install its CUDA libraries on this machine, or set SVC_MODEL_DEVICE=cpu`,
      { cause },
    );
  return new ProblemError('internal_error', `ONNX Runtime could not open the model: ${message}`, { cause });
}
