// The packages of package-lock.json, and which of them a package needs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const readLock = () =>
  JSON.parse(readFileSync(fileURLToPath(new URL('../../package-lock.json', import.meta.url)), 'utf8'))
    .packages;

/** Path of the package that the one at `from` gets when it asks for `name`: below itself, or below a folder above. */
function resolved(packages, name, from) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    const entry = packages[path];
    if (entry !== undefined) return entry.link ? entry.resolved : path;
    if (folder === '') return null;
  }
}

/**
 * Paths of everything that runs with the packages at `starts`, themselves included. Without what is for development.
 * @throws Error where the lock file lacks a package
 */
export function neededBy(starts, packages = readLock()) {
  const found = new Set();
  const queue = [...starts];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = packages[path];
    const mayLack = (name) => name in optionalDependencies || peerDependenciesMeta[name]?.optional === true;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const needed = resolved(packages, name, path);
      if (needed !== null && !(peerDependenciesMeta[name]?.optional === true)) queue.push(needed);
      else if (!mayLack(name)) throw new Error(`package-lock.json lacks ${name}, which ${path} needs`);
    }
  }
  return found;
}

/** Paths of the packages that the product is made of: those of the service, and of the page in its bundle. */
export const productPackages = () => neededBy(['apps/server', 'apps/web']);
