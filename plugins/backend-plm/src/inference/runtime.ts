import { ProblemError } from '@kindred/contracts';
import type { InferenceSession } from 'onnxruntime-node';

export type Device = 'cpu' | 'cuda';

/** Where the optimised graph is written when it is opened; the weights' file is named relative to the graph. */
export interface PreparedFiles {
  graph: string;
  weights: string;
}

export async function runtimeVersion(): Promise<string> {
  const { env } = await import('onnxruntime-node');
  return env.versions.node ?? env.versions.common;
}

/**
 * Opens an ONNX model as it is (disabled), with constant folding (basic), or also with operator fusion (all). Uses one thread, because each
 * compute thread has its own session, and threads of one session wait for each other on a busy machine. Loads the runtime's
 * library on first use.
 *
 * @throws ProblemError backend_unavailable (no CUDA), out_of_resources, internal_error
 */
export async function openRuntime(
  path: string,
  device: Device,
  optimisation: 'disabled' | 'basic' | 'all',
  prepared: PreparedFiles | null = null,
): Promise<InferenceSession> {
  const { InferenceSession } = await import('onnxruntime-node');
  try {
    return await InferenceSession.create(path, {
      executionProviders: [device],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: optimisation,
      logSeverityLevel: 3,
      ...(prepared && writing(prepared)),
    });
  } catch (error) {
    throw refusalOf(error, device);
  }
}

/** Weights smaller than this stay in the graph's own file. */
const minExternalBytes = 1024;

function writing({ graph, weights }: PreparedFiles): InferenceSession.SessionOptions {
  const session = {
    save_external_prepacked_constant_initializers: '1',
    optimized_model_external_initializers_file_name: weights,
    optimized_model_external_initializers_min_size_in_bytes: String(minExternalBytes),
  };
  return { optimizedModelFilePath: graph, extra: { session } };
}

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
