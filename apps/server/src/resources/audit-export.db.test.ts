import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { listAuditExports } from '../store/accounts/audit-exports.repository.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { auditLines, exportOldAudit } from './audit-export.js';

let database: TestDatabase;
let db: Database;
let folder: string;
let artifacts: ArtifactStore;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
  folder = await mkdtemp(join(tmpdir(), 'kindred-audit-'));
  artifacts = createLocalArtifacts(folder);
});
afterEach(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});

const days = 730;

/** Adds three rows in each of the last 40 months, the oldest first; `n` counts them. */
async function live(): Promise<number> {
  await db.pool.query(
    `insert into audit.audit_log (action, payload, occurred_at)
     select 'logout', jsonb_build_object('n', n),
       date_trunc('month', now() at time zone 'UTC') at time zone 'UTC'
         + (n / 3 - 39) * interval '1 month' + (n % 3) * interval '1 hour' - interval '2 hours'
     from generate_series(0, 119) n`,
  );
  return 120;
}

interface Line {
  payload: { n: number };
  occurred_at: string;
}
async function read(since: string | null = null, untilExclusive: string | null = null): Promise<Line[]> {
  let text = '';
  for await (const chunk of auditLines(db, artifacts, { since, untilExclusive })) text += chunk;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
const numbers = (lines: Line[]) => lines.map(({ payload }) => payload.n);
const inTable = async () =>
  (await db.pool.query('select count(*) as count from audit.audit_log')).rows[0].count as number;

it('moves whole months out of the table, and the log that is read stays the same', async () => {
  const rows = await live();
  const before = await read();
  expect(numbers(before)).toEqual(Array.from({ length: rows }, (_, n) => n));
  const moved = await exportOldAudit(db, artifacts, { days });
  expect(await inTable()).toBe(rows - moved.rows);
  const files = await listAuditExports(db);
  expect(files).toHaveLength(moved.files);
  // 24 or 25 of the 40 months stay.
  expect(moved.rows).toBeGreaterThanOrEqual(3 * 14);
  expect(moved.rows).toBeLessThanOrEqual(3 * 16);
  for (const { uri, first_at, last_at } of files) {
    const name = uri.split('/').at(-1) as string;
    const lines = gunzipSync(await readFile(fileURLToPath(artifacts.addressOf(uri))))
      .toString()
      .split('\n')
      .slice(0, -1);
    const months = new Set(lines.map((line) => (JSON.parse(line) as Line).occurred_at.slice(0, 7)));
    expect([...months]).toEqual([name.slice(0, 7)]);
    expect([first_at.slice(0, 7), last_at.slice(0, 7)]).toEqual([name.slice(0, 7), name.slice(0, 7)]);
  }
  expect(await read()).toEqual(before);
  expect(await exportOldAudit(db, artifacts, { days })).toEqual({ rows: 0, files: 0 });

  const [from, to] = [before[10].occurred_at, before[90].occurred_at];
  expect(numbers(await read(from, to))).toEqual(numbers(before).slice(10, 90));
  expect(numbers(await read(null, from))).toEqual(numbers(before).slice(0, 10));
  const offset = before[100].occurred_at.replace('Z', '+00:00');
  expect(numbers(await read(offset))).toEqual(numbers(before).slice(100));
});

it('loses and doubles nothing when the process ends between file and table', async () => {
  await live();
  const before = await read();
  let puts = 0;
  const dying: ArtifactStore = {
    ...artifacts,
    async put(...given) {
      const stored = await artifacts.put(...given);
      if (++puts === 3) throw new Error('killed');
      return stored;
    },
  };
  await expect(exportOldAudit(db, dying, { days })).rejects.toThrow('killed');
  expect(await read()).toEqual(before);
  // Two moves run at once, and one may find that the other was faster.
  await Promise.allSettled([
    exportOldAudit(db, artifacts, { days }),
    exportOldAudit(db, artifacts, { days }),
  ]);
  await exportOldAudit(db, artifacts, { days });
  expect(await read()).toEqual(before);
  const kept: string[] = [];
  for await (const { uri } of artifacts.list()) kept.push(uri);
  expect(kept.sort()).toEqual((await listAuditExports(db)).map(({ uri }) => uri).sort());
});

it('refuses a file that was changed or lost', async () => {
  await live();
  await exportOldAudit(db, artifacts, { days });
  const [{ uri }] = await listAuditExports(db);
  const path = fileURLToPath(artifacts.addressOf(uri));
  const bytes = await readFile(path);
  bytes[9] ^= 1;
  await writeFile(path, bytes);
  await expect(read()).rejects.toThrow(/was changed/);
  await artifacts.delete(uri);
  await expect(read()).rejects.toMatchObject({ code: 'artifact_not_found' });
});

it('has a database that deletes no row that is young or in no file', async () => {
  await live();
  const all = `delete from audit.audit_log where occurred_at`;
  await expect(db.pool.query(`${all} < now() - interval '20 months'`)).rejects.toThrow(/append-only/);
  await exportOldAudit(db, artifacts, { days });
  const [{ last_id: last }] = (await listAuditExports(db)).slice(-1);
  await db.pool.query(
    `insert into audit.audit_export (first_id, last_id, first_at, last_at, row_count, uri, sha256, size_bytes)
     values (${last + 1}, ${last + 1000}, now(), now(), 1, 'file:///none', repeat('0', 64), 1)`,
  );
  await expect(db.pool.query(`${all} > now() - interval '300 days'`)).rejects.toThrow(/append-only/);
  for (const statement of ['delete from', 'truncate'])
    await expect(db.pool.query(`${statement} audit.audit_export`)).rejects.toThrow(/append-only/);
});
