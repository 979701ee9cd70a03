import { ProblemError } from '@kindred/contracts';
import type { InferenceSession } from 'onnxruntime-node';

export type Device = 'cpu' | 'cuda';

/**
 * Opens an ONNX model, with constant folding (basic), or also with operator fusion (all). Uses one thread, because each
 * compute thread has its own session, and threads of one session wait for each other on a busy machine. Loads the runtime's
 * library on first use.
 *
 * @throws ProblemError backend_unavailable (no CUDA), out_of_resources, internal_error
 */
export async function openRuntime(
  path: string,
  device: Device,
  optimisation: 'basic' | 'all',
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
    });
  } catch (error) {
    throw refusalOf(error, device);
  }
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
