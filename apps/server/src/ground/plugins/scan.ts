import { readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The package.json of a found package declares a plugin; its code is not loaded yet. */
export interface FoundPackage {
  packageName: string;
  packageVersion: string;
  folder: string;
  /** The `kindred` field of package.json is not checked yet. */
  declaration: unknown;
}

/** Lists every `node_modules` folder from which the server's modules are resolved, innermost first. */
export function moduleFolders(from: string = fileURLToPath(import.meta.url)): string[] {
  const folders: string[] = [];
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (!folder.endsWith('node_modules')) folders.push(join(folder, 'node_modules'));
    if (dirname(folder) === folder) return folders;
  }
}

/**
 * Lists the plugins among the installed packages, by package name. If a package is installed twice, the copy
 * that Node would find counts.
 */
export async function scanPackages(folders: readonly string[]): Promise<FoundPackage[]> {
  const found = new Map<string, FoundPackage>();
  for (const folder of folders) {
    const packages = await Promise.all((await packageFolders(folder)).map(readPackage));
    for (const one of packages) if (one && !found.has(one.packageName)) found.set(one.packageName, one);
  }
  return [...found.values()].sort((a, b) => (a.packageName < b.packageName ? -1 : 1));
}

async function packageFolders(folder: string): Promise<string[]> {
  const folders: string[] = [];
  for (const name of await list(folder)) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    if (name.startsWith('@')) folders.push(...(await list(path)).map((inner) => join(path, inner)));
    else folders.push(path);
  }
  return folders;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function readPackage(folder: string): Promise<FoundPackage | null> {
  try {
    const text = await readFile(join(folder, 'package.json'), 'utf8');
    if (!text.includes('"kindred"')) return null;
    const manifest = JSON.parse(text) as { name?: unknown; version?: unknown; kindred?: unknown };
    if (typeof manifest.name !== 'string' || typeof manifest.kindred !== 'object') return null;
    return {
      packageName: manifest.name,
      packageVersion: String(manifest.version ?? ''),
      folder: await realpath(folder),
      declaration: manifest.kindred,
    };
  } catch {
    return null; // A folder without a package.json cannot hold a plugin.
  }
}

export function entryUrl(found: FoundPackage, entry: string): string {
  return pathToFileURL(join(found.folder, entry)).href;
}
