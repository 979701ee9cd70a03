import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type * as Common from 'onnxruntime-common';
import { packageName, runtimeFolder, runtimeVersion } from './place.js';

/** The parts of ONNX Runtime that are used. */
export type Runtime = Pick<typeof Common, 'InferenceSession' | 'Tensor' | 'env'>;

/**
 * Finds the path of the library's module: that of a checkout with the packages for development, else the one in the folder of models;
 * null if there is none.
 *
 * @param own the module whose packages are searched first
 */
export function findRuntime(modelsDir: string, own: string = import.meta.url): string | null {
  for (const from of [own, join(runtimeFolder(modelsDir), 'package.json')]) {
    try {
      return createRequire(from).resolve(packageName);
    } catch {
      // The error is ignored, because the next place is tried.
    }
  }
  return null;
}

/** @throws ProblemError backend_unavailable if it is not installed, or does not run on this machine */
export function loadRuntime(modelsDir: string, own?: string): Runtime {
  const path = findRuntime(modelsDir, own);
  if (path === null)
    throw new ProblemError(
      'backend_unavailable',
      `language models need ONNX Runtime ${runtimeVersion()}, which is not installed on this machine: run "kindred models check <name>" where npm can download it, or copy ${runtimeFolder(modelsDir)} from a machine of this kind that has it`,
    );
  try {
    return createRequire(import.meta.url)(path) as Runtime;
  } catch (cause) {
    throw new ProblemError(
      'backend_unavailable',
      `ONNX Runtime does not run on this machine (${(cause as Error).message})`,
      { cause },
    );
  }
}
