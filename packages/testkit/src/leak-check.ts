import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { patience } from './patience.js';

/**
 * This file runs before each test file (`setupFiles` of vitest.config.ts), so that its hook is the last one after the tests. A test file
 * fails if it leaves a child process, an open server, or a file in the folder for temporary files. The hook waits for what a process
 * closes late. Connections to a database are checked where the database is dropped (`testDatabase()`).
 */
const before = openResources();
const outside = process.env.TMPDIR;
// The name is short, because names of sockets must be short, and the folder of a database's socket is inside this one.
const folder = mkdtempSync(join(tmpdir(), 'kt-'));
// The folder is open to others, because servers that a test of root starts as another user go through it.
chmodSync(folder, 0o755);
process.env.TMPDIR = folder;

afterAll(async () => {
  if (outside === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = outside;
  try {
    await vi.waitUntil(() => leaks().length === 0, { ...patience, timeout: 10_000 }).catch(() => undefined);
    expect(leaks(), 'what this file left open').toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function leaks(): string[] {
  const now = openResources();
  const open = [...now].flatMap(([kind, count]) =>
    count > (before.get(kind) ?? 0) ? [`${count - (before.get(kind) ?? 0)} x ${kind}`] : [],
  );
  return [...open, ...readdirSync(folder).map((name) => `temporary file ${name}`)];
}

/** Counts child processes and servers of this process, by their kind in Node. */
function openResources(): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo())
    if (kind === 'ProcessWrap' || kind.endsWith('ServerWrap')) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return kinds;
}
