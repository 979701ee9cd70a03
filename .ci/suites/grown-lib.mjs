// Functions that the checks of the grown world share: databases of data folders, digests, the command, counts.
import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocalArtifacts } from '@kindred/server/ground/artifacts/local';
import { programFile } from '@kindred/server/ground/folders';
import { startEmbeddedPostgres } from '@kindred/server/run/embedded/postgres';
import { copyOut, tablesToCopy } from '@kindred/server/store/maintenance/database-copy.repository';
import { closeDatabase, openDatabase } from '@kindred/server/store/postgres/connection';
import { inSnapshot } from '@kindred/server/store/postgres/copied-rows';

/** Works with the database of a data folder. Its server ends afterwards if it did not run before. */
export async function withDatabaseOf(dataDir, work) {
  const server = await startEmbeddedPostgres(join(dataDir, 'postgres'));
  const db = openDatabase(server.url, 2);
  try {
    return await work(db);
  } finally {
    await closeDatabase(db);
    if (server.started) await server.stop();
  }
}

/** Returns rows and digest of every table and every artifact. Addresses of artifacts are relative to the folder. */
export async function digestsOf(dataDir) {
  const found = {};
  const base = pathToFileURL(join(dataDir, 'artifacts')).href;
  await withDatabaseOf(dataDir, (db) =>
    inSnapshot(db, async (trx) => {
      for (const table of await tablesToCopy(trx)) {
        const hash = createHash('sha256');
        let rows = 0;
        let rest = '';
        for await (const chunk of copyOut(trx, table)) {
          const text = rest + chunk.toString('latin1');
          const end = text.lastIndexOf('\n') + 1;
          for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) rows++;
          hash.update(text.slice(0, end).replaceAll(base, ''), 'latin1');
          rest = text.slice(end);
        }
        found[table.name] = `${rows} rows ${hash.digest('hex')}`;
      }
    }),
  );
  const artifacts = createLocalArtifacts(join(dataDir, 'artifacts'));
  for await (const { key, uri } of artifacts.list()) {
    const hash = createHash('sha256');
    for await (const chunk of artifacts.get(uri)) hash.update(chunk);
    found[`artifact ${key}`] = hash.digest('hex');
  }
  return found;
}

/** Returns the names whose digests differ, or that only one side has. */
export function differences(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
}

/** Runs `kindred` on a data folder. */
export async function kindred(dataDir, args, more = {}) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  const child = spawn(process.execPath, [programFile, ...args], {
    env: { ...env, SVC_DATA_DIR: dataDir, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (text) => (stdout += text));
  child.stderr.on('data', (text) => (stderr += text));
  const code = await new Promise((done) => child.once('close', done));
  return { code, stdout, stderr };
}

const started = Date.now();
let [passed, failed] = [0, 0];

/** Runs one check, which passes unless it throws. */
export async function check(name, work) {
  const from = Date.now();
  try {
    const said = await work();
    passed++;
    console.log(
      `ok ${name}${said === undefined ? '' : `: ${said}`} (${Math.round((Date.now() - from) / 1000)} s)`,
    );
  } catch (error) {
    failed++;
    console.log(`FAILED: grown: ${name}: ${error.message}`);
    if (process.env.KINDRED_FAILURES)
      appendFileSync(
        process.env.KINDRED_FAILURES,
        `FAILED: grown: ${name}: ${error.message.slice(0, 600)}\n`,
      );
  }
}

/** @throws Error that says what was expected */
export function expect(holds, what) {
  if (!holds) throw new Error(what);
}

export function conclude() {
  console.log(`grown: ${passed} passed, ${failed} failed, ${Math.round((Date.now() - started) / 1000)} s`);
  if (process.env.KINDRED_COUNTS) appendFileSync(process.env.KINDRED_COUNTS, `${passed} ${failed} 0\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
