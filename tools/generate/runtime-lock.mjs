// The lock file by which `kindred models` installs ONNX Runtime: its part of package-lock.json.
import { neededBy, readLock } from './locked.mjs';

const name = 'onnxruntime-node';
const place = `node_modules/${name}`;

export function runtimeLock() {
  const packages = readLock();
  const entries = [...neededBy([place], packages)].sort().map((path) => {
    const { dev: _ofTheRepository, devOptional: _too, ...entry } = packages[path];
    return [path, entry];
  });
  const own = {
    name: 'kindred-onnxruntime',
    private: true,
    dependencies: { [name]: packages[place].version },
  };
  const lock = {
    name: own.name,
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...Object.fromEntries(entries) },
  };
  return `${JSON.stringify(lock, null, 2)}\n`;
}
