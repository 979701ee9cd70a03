// npm run gen: writes what is generated from the code. With --check nothing is written, and a difference is a failure.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { generated } from './generated.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Returns the names of the files that differ from the code. A test compares those that need a database instead. */
export async function staleFiles({ withDatabase = false } = {}) {
  const stale = [];
  for (const { path, make, needsDatabase } of generated) {
    if (needsDatabase && !withDatabase) continue;
    if ((await make()) !== readText(path)) stale.push(path);
  }
  return stale;
}

function readText(path) {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return null;
  }
}

async function writeAll() {
  for (const { path, make } of generated) {
    const text = await make();
    if (text === readText(path)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`wrote ${path}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  // The generators go on after a type error, because the compiler still writes what they need.
  if (!(await build(root))) console.error('The build has faults (above); generating from what it wrote.');
  if (process.argv.includes('--check')) {
    const stale = await staleFiles({ withDatabase: true });
    for (const path of stale) console.error(`${path} is out of date: run npm run gen`);
    process.exit(stale.length > 0 ? 1 : 0);
  }
  await writeAll();
}
