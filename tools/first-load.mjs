// Measures the files that a browser fetches before the first page is there: the document, its scripts and styles, and those of the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The limit for all files of the first load together, packed as the service sends them to a browser without brotli. */
const maxFirstLoadBytes = 170_000;

const firstPage = 'src/features/annotate/annotate-page.tsx';

/** Returns the files of the first load with their packed sizes in bytes, largest first, from the manifest of the bundler. */
export function firstLoad(dist) {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite', 'manifest.json'), 'utf8'));
  const files = new Set(['index.html', 'color-scheme.js', 'favicon.svg']);
  const visit = (key) => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`the manifest has no ${key}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const style of chunk.css ?? []) files.add(style);
    for (const other of chunk.imports ?? []) visit(other);
  };
  visit('index.html');
  visit(firstPage);
  return [...files]
    .map((file) => ({ file, bytes: gzipSync(readFileSync(join(dist, file))).byteLength }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Checks the first load. The result is false, and the largest files are named, if the load is larger than it may be. */
export function checkFirstLoad(root) {
  const files = firstLoad(join(root, 'apps', 'web', 'dist'));
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxFirstLoadBytes) return true;
  console.error(`the first load has ${total} bytes, more than ${maxFirstLoadBytes}:`);
  for (const { file, bytes } of files.slice(0, 12)) console.error(`  ${bytes}  ${file}`);
  return false;
}
