import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of the checkout: the first parent that holds the workspace's package-lock.json. */
export function repositoryRoot(from: string = dirname(fileURLToPath(import.meta.url))): string {
  let folder = from;
  while (!existsSync(join(folder, 'package-lock.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package-lock.json above ${from}`);
    folder = parent;
  }
  return folder;
}

/**
 * Returns the path of the shared real data that the repository may not hold (KINDRED_SHARED, or `shared` next to the checkout). Where
 * it is absent, it says so on stderr and returns null; in CI that is an error, so that no suite is skipped unnoticed.
 */
export function sharedData(...parts: string[]): string | null {
  const folder = process.env.KINDRED_SHARED ?? resolve(repositoryRoot(), '..', 'shared');
  const path = join(folder, ...parts);
  if (existsSync(path)) return path;
  if (process.env.CI) throw new Error(`shared data missing: ${path} (set KINDRED_SHARED)`);
  process.stderr.write(
    `skipped: what needs ${path}, which is absent (KINDRED_SHARED names the shared data)\n`,
  );
  return null;
}
