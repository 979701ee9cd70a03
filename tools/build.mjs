// Compiles the workspaces, and the native kernels where a compiler is there. Returns false when the types don't fit.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function build(root) {
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  if (spawnSync(tsc, ['-b'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status !== 0)
    return false;
  const native = join(root, 'packages', 'native', 'tools', 'build-native.mjs');
  if (existsSync(native)) {
    spawnSync(process.execPath, [native, '--if-possible'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return true;
}
