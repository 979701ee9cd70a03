// Compiles the workspaces, and the native kernels if a compiler is available. The result is false if that fails.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runTree } from './ending.mjs';

/** What each build compiles. */
const compiled = {
  everything: [],
  /** Without what only tests use, whose packages may be missing. */
  service: ['apps/server'],
  /** Without the check of types, too, which takes four fifths of the time and a gigabyte more; the next other build makes up for it. */
  start: ['apps/server', '--noCheck'],
};

/** @param {keyof typeof compiled} wanted */
export async function build(root, wanted = 'everything') {
  // The program itself is started, because an archive of a checkout may lack the links in .bin.
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  if (!(await node(tsc, ['-b', ...compiled[wanted]], { cwd: root, output: 'inherit' }))) return false;
  const native = join(root, 'packages', 'native', 'tools', 'build-native.mjs');
  if (existsSync(native)) await node(native, ['--if-possible'], { cwd: root, output: 'ignore' });
  return true;
}

/** Bundles the web client if its sources are newer than the bundle. Without a bundle the API works, and `/` says so. */
export async function buildWeb(root) {
  const web = join(root, 'apps', 'web');
  const bundle = join(web, 'dist');
  const index = join(bundle, 'index.html');
  if (existsSync(index) && statSync(index).mtimeMs > newestFile(web)) return true;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  // The bundle is built as a draft, so that an interrupted build leaves the old one as it was.
  const draft = join(root, '.kindred', 'web');
  const args = ['build', '--logLevel', 'warn', '--outDir', draft, '--emptyOutDir'];
  if (!(await node(vite, args, { cwd: web, output: 2 }))) return false;
  rmSync(bundle, { recursive: true, force: true });
  renameSync(draft, bundle);
  return true;
}

const node = async (program, args, options) =>
  (await runTree(process.execPath, [program, ...args], options)).status === 0;

function newestFile(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /[\\/](dist|node_modules)[\\/]/.test(path)) continue;
    newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}
