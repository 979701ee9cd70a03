// Builds the workspaces, and the native kernels if a C++ compiler is available. The result is false if that fails.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runTree } from './ending.mjs';

/** Compiles all workspaces with a check of their types, for everything but a start and a package. */
export async function build(root) {
  // The program itself is started, because an archive of a checkout may lack the links in .bin.
  const tsc = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  return (await node(tsc, ['-b'], { cwd: root, output: 'inherit' })) && buildNative(root);
}

/**
 * Builds what runs the service: its code, the native kernels and the page. The types are only removed, because checking them takes a
 * compiler of 55 MB, nine tenths of the time and a gigabyte; `npm test` and the release check them.
 */
export async function buildService(root) {
  if (!(await removeTypes(root))) return false;
  await Promise.all([buildNative(root), buildWeb(root)]);
  return true;
}

async function buildNative(root) {
  const native = join(root, 'packages', 'native', 'tools', 'build-native.mjs');
  if (existsSync(native)) await node(native, ['--if-possible'], { cwd: root, output: 'ignore' });
  return true;
}

/** Writes the JavaScript of each source that is newer. The result is false, after a sentence for each, where sources do not parse. */
export async function removeTypes(root) {
  // The module is imported late, because the tools that import this one install it first.
  const { transformSync } = await import('rolldown/utils');
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  let isWhole = true;
  for (const { path } of references)
    for (const { file, target } of newerSources(join(root, path))) {
      const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), transformation);
      for (const { message, codeframe } of errors) process.stderr.write(`${codeframe ?? message}\n`);
      if (errors.length > 0) isWhole = false;
      else writeWhole(target, code);
    }
  return isWhole;
}

/** The options say the same as `target` and `verbatimModuleSyntax` in tsconfig.base.json. */
const transformation = { target: 'es2023', typescript: { onlyRemoveTypeImports: true }, tsconfig: false };

function newerSources(workspace) {
  const [from, to] = ['src', 'dist'].map((name) => join(workspace, name));
  return readdirSync(from, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.ts$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ file, target: join(to, relative(from, file).replace(/ts$/, 'js')) }))
    .filter(({ file, target }) => !existsSync(target) || statSync(target).mtimeMs < statSync(file).mtimeMs);
}

/** The file gets its name last, so that no interruption leaves half of it. */
function writeWhole(target, code) {
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.draft`;
  writeFileSync(draft, code);
  renameSync(draft, target);
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
