import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The lock file of ONNX Runtime and of what it needs, with versions and digests. `npm run gen` takes it from the lock file of the
 * repository.
 */
export const lockFile = new URL('../../runtime/package-lock.json', import.meta.url);

interface Lock {
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
}
export const readLock = (): Lock => JSON.parse(readFileSync(lockFile, 'utf8')) as Lock;

export const packageName = 'onnxruntime-node';
export const runtimeVersion = (): string => readLock().packages[`node_modules/${packageName}`].version ?? '';

/**
 * The folder of ONNX Runtime beside the models, which all workers of a machine read. Machines of several kinds may share it, so its name
 * has the kind.
 */
export const runtimeFolder = (modelsDir: string): string =>
  join(modelsDir, `.onnxruntime-${runtimeVersion()}-${process.platform}-${process.arch}`);
