// The lock file by which `kindred models` installs ONNX Runtime: its part of package-lock.json.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const name = 'onnxruntime-node';

/** Path of the package that a package at `from` gets when it asks for `wanted`: in its own folder, or in one above. */
function resolved(packages, wanted, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${wanted}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') throw new Error(`package-lock.json lacks ${wanted}, which ${from} needs`);
  }
}

export function runtimeLock() {
  const file = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
  const { packages } = JSON.parse(readFileSync(file, 'utf8'));
  const found = new Map();
  const queue = [resolved(packages, name, '')];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    const { dev: _ofTheRepository, devOptional: _too, ...entry } = packages[path];
    found.set(path, entry);
    for (const wanted of Object.keys(entry.dependencies ?? {})) queue.push(resolved(packages, wanted, path));
  }
  const product = { name: 'kindred-onnxruntime', private: true };
  const needs = { dependencies: { [name]: found.get(`node_modules/${name}`).version } };
  const lock = {
    name: product.name,
    lockfileVersion: 3,
    requires: true,
    packages: { '': { ...product, ...needs }, ...Object.fromEntries([...found].sort()) },
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}
