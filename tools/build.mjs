// Compiles the workspaces, and the native kernels if a compiler is available. Returns false on type errors.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
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

/** Bundles the web client when its sources are newer than the bundle. Without it the API works, and `/` says so. */
export function buildWeb(root) {
  const web = join(root, 'apps', 'web');
  const bundle = join(web, 'dist', 'index.html');
  if (existsSync(bundle) && statSync(bundle).mtimeMs > newestFile(web)) return true;
  const vite = join(root, 'node_modules', '.bin', 'vite');
  return spawnSync(vite, ['build', '--logLevel', 'warn'], { cwd: web, stdio: ['ignore', 2, 2] }).status === 0;
}

function newestFile(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /[\\/](dist|node_modules)[\\/]/.test(path)) continue;
    newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}
