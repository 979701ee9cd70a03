import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadNative, type NativeKernels } from './native.js';

/**
 * Returns the native kernels for every instruction set of this processor, and builds them if there is a C++ compiler. Without a compiler
 * the list is empty, so that tests that need them are reported as skipped; in CI this is an error.
 */
export function nativeKernelsForTests(): NativeKernels[] {
  // The variable names a module to test (for example a sanitizer build), which is then not built here.
  const file = process.env.KINDRED_NATIVE_FILE;
  if (!file) {
    const tool = fileURLToPath(new URL('../tools/build-native.mjs', import.meta.url));
    const { status, stderr } = spawnSync(process.execPath, [tool], { encoding: 'utf8' });
    if (status === 3 && !process.env.CI) {
      process.stderr.write('no C++ compiler: the tests of the native addon are left out\n');
      return [];
    }
    if (status !== 0) throw new Error(`the native addon was not built: ${stderr}`);
  }
  const best = loadNative({ use: 'on', file });
  if (best === null) throw new Error('the native addon was built, but is not there');
  return best.available.map((use) => loadNative({ use, file }) as NativeKernels);
}
