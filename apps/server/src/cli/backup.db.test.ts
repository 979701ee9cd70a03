import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience } from '@kindred/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isAlive } from '../run/supervise/process-identity.js';
import { attachOrLock, lockForRestore, type ServiceLock } from '../run/supervise/service-lock.js';
import { listBackups } from '../store/maintenance/backups.repository.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { Command } from '../testing/supervise/command.js';
import { type TestDatabase, testDatabase } from '../testing/test-database.js';

const whole = join(import.meta.dirname, '..', 'testing', 'backup', 'format-1.kindred');

let folder: string;
let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 2);
  folder = await mkdtemp(join(tmpdir(), 'kindred-restore-'));
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true });
});

async function run(args: string[], dataDir: string, more: NodeJS.ProcessEnv = {}) {
  const command = Command.run(args, { SVC_DATA_DIR: join(folder, dataDir), ...more });
  return { code: await command.ended, stdout: command.stdout, stderr: command.stderr };
}

it('refuses a damaged backup with the exit code of a bad file, and makes nothing', async () => {
  const bytes = await readFile(whole);
  bytes[5000] ^= 1;
  const file = join(folder, 'flipped.kindred');
  await writeFile(file, bytes);
  const refused = await run(['restore', file], 'nowhere');
  expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('The backup is damaged: ') });
  expect(await readdir(folder)).not.toContain('nowhere');
  expect(await run(['restore', join(folder, 'absent')], 'nowhere')).toMatchObject({ code: 64 });
});

it('restores into a folder that does not exist, and leaves nothing there when it fails late', async () => {
  // A folder in the place of a file makes the restore fail after the rows are in.
  const blocked = join(folder, 'blocked');
  await mkdir(join(blocked, 'artifacts', 'references', '1', 'whole.pack'), { recursive: true });
  const failed = await run(['restore', whole], 'blocked');
  expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('it is a folder') });
  expect(await readdir(blocked, { recursive: true })).toEqual([
    'artifacts',
    'artifacts/references',
    'artifacts/references/1',
    'artifacts/references/1/whole.pack',
  ]);
  expect(await run(['restore', whole], 'fresh')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^Restored 79 tables and 2 artifacts of .* \(Kindred 1.2.3\); all checksums agree/,
    ),
  });
  expect(await readFile(join(folder, 'fresh', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
  expect(await run(['restore', whole], 'fresh')).toMatchObject({
    code: 75,
    stderr: expect.stringContaining('The database is not empty'),
  });
  expect(await readFile(join(folder, 'fresh', 'jwt-secret'), 'utf8')).toBe('x'.repeat(40));
});

it('lets no service start in the folder while it restores, and restores not where one runs', async () => {
  const dataDir = join(folder, 'locked');
  const restoring = await lockForRestore(dataDir);
  const sentence = `Process ${process.pid} restores a backup into ${dataDir}`;
  const refused = { code: 75, stderr: expect.stringContaining(sentence) };
  expect(await run(['serve', '--port', '0'], 'locked')).toMatchObject(refused);
  expect(await run(['restore', whole], 'locked')).toMatchObject(refused);
  await restoring.release();
  const running = (await attachOrLock(dataDir, () => {})) as ServiceLock;
  expect(await run(['restore', whole], 'locked')).toMatchObject({
    code: 75,
    stderr: expect.stringContaining(`Process ${process.pid} runs, starts or stops the service of ${dataDir}`),
  });
  // The refused start read its settings first, which makes a missing secret; it began nothing else.
  expect(await readdir(dataDir)).toEqual(['jwt-secret', 'service.lock']);
  await running.release();
});

it('is finished by the next start or restore, where it was ended between its rows and its files', async () => {
  expect(await run(['restore', whole], 'cut')).toMatchObject({ code: 0 });
  const secret = join(folder, 'cut', 'jwt-secret');
  const cutOff = () => rename(secret, `${secret}.restored`);
  await cutOff();
  expect(await run(['restore', whole], 'cut')).toMatchObject({
    code: 75,
    stderr: expect.stringContaining('cut off before its files had their places; they have them now: start'),
  });
  expect(await readFile(secret, 'utf8')).toBe('x'.repeat(40));
  await cutOff();
  const service = Command.run(['serve', '--port', '0'], {
    SVC_DATA_DIR: join(folder, 'cut'),
    SVC_LOAD_EXAMPLES: 'false',
  });
  await service.until(({ stderr }) => stderr.includes('A restore was cut off after its rows were in'));
  await service.untilReady();
  await service.end();
  // A start makes a missing secret; the secret of the backup replaces it.
  expect(await readFile(secret, 'utf8')).toBe('x'.repeat(40));
});

it('makes a backup also where it cannot be noted, and says so', async () => {
  await sql`alter table backup add constraint none check (false)`.execute(db);
  try {
    const made = await run(['backup', '-o', join(folder, 'unnoted.kindred')], 'service', {
      SVC_DB_URL: database.url,
    });
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('does not know of it') });
    expect(await listBackups(db, 5)).toEqual([]);
  } finally {
    await sql`alter table backup drop constraint none`.execute(db);
  }
});

it('proves a backup by restoring it aside, and notes when', async () => {
  const service = { SVC_DB_URL: database.url };
  const file = join(folder, 'made.kindred');
  expect(await run(['backup', '-o', file], 'service', service)).toMatchObject({ code: 0 });
  expect(await listBackups(db, 5)).toMatchObject([{ verified_at: null }]);
  const proven = await run(['backup', '--verify', file], 'service', service);
  expect(proven).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /can be restored: \d+ tables and 0 artifacts of .* all checksums agree\.\n$/,
    ),
  });
  const { size } = await stat(file);
  expect(await listBackups(db, 5)).toEqual([
    {
      made_at: expect.any(String),
      version: expect.any(String),
      size_bytes: size,
      verified_at: expect.any(String),
    },
  ]);

  const bytes = await readFile(file);
  bytes[Math.floor(bytes.length / 2)] ^= 4;
  await writeFile(join(folder, 'bad.kindred'), bytes);
  const before = await listBackups(db, 5);
  const refused = await run(['backup', '--verify', join(folder, 'bad.kindred')], 'service', service);
  expect(refused).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('is damaged') });
  expect(await listBackups(db, 5)).toEqual(before);
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('kindred-verify-'))).toEqual([]);
});

it('leaves no database server when the proof is killed', async () => {
  const temporary = await mkdtemp(join(folder, 'tmp-'));
  await chmod(temporary, 0o755);
  const command = Command.run(['backup', '--verify', whole], {
    SVC_DATA_DIR: join(folder, 'elsewhere'),
    TMPDIR: temporary,
  });
  let server = 0;
  await command.until(() => {
    const scratch = readdirSync(temporary).find((name) => name.startsWith('kindred-verify-'));
    const file = join(temporary, scratch ?? '', 'postgres', 'data', 'postmaster.pid');
    server = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
    return server > 0;
  });
  command.child.kill('SIGKILL');
  await command.ended;
  await vi.waitUntil(async () => !(await isAlive(server)), patience);
});

it('proves a backup where no service is, and makes none', async () => {
  const proven = await run(['backup', '--verify', whole], 'elsewhere');
  expect(proven).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Not noted for the page of maintenance'),
  });
  expect(await readdir(folder)).not.toContain('elsewhere');
});

it('wants to know whether to make or to prove a backup', async () => {
  expect(await run(['backup'], 'elsewhere')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('-o FILE makes a backup, --verify FILE proves one'),
  });
  const both = await run(['backup', '-o', 'x', '--verify', 'x'], 'elsewhere');
  expect(both.stderr).toContain('cannot be used with option');
});
