import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadNative, type NativeKernels } from './native.js';

/**
 * The native kernels of every instruction set that runs here, built when a C++ compiler is there; an empty list
 * where there is none, so that the tests that need them are reported as skipped. In CI that is an error.
 */
export function nativeKernelsForTests(): NativeKernels[] {
  // A sanitized or otherwise prepared module is tested as it is.
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
