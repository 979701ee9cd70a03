import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lock file of ONNX Runtime and what it needs, with versions and digests; `npm run gen` takes it from that of the repository. */
export const lockFile = new URL('../../runtime/package-lock.json', import.meta.url);

interface Lock {
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
}
export const readLock = (): Lock => JSON.parse(readFileSync(lockFile, 'utf8')) as Lock;

export const packageName = 'onnxruntime-node';
export const runtimeVersion = (): string => readLock().packages[`node_modules/${packageName}`].version ?? '';

/**
 * Folder of ONNX Runtime beside the models, which all workers of a machine read. Machines of several kinds may share it, so
 * its name says for which kind it is.
 */
export const runtimeFolder = (modelsDir: string): string =>
  join(modelsDir, `.onnxruntime-${runtimeVersion()}-${process.platform}-${process.arch}`);
