import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../artifacts/artifact-store.js';
import {
  copyIn,
  copyOut,
  isEmptyDatabase,
  makeRoom,
  setSequences,
  withoutTriggers,
} from '../store/maintenance/database-copy.repository.js';
import { migrate, migrateAsOf } from '../store/migrations/migrate.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/db.js';
import { type TarEntry, tarEntries } from '../banks/tar-entries.js';
import { sha256OfChunks } from '../digest.js';
import {
  type BackupContents,
  type BackupHeader,
  backupFormat,
  contentsName,
  dataFiles,
  headerName,
} from './format.js';

export interface RestoreTarget {
  db: Database;
  artifacts: ArtifactStore;
  dataDir: string;
}

export interface RestoreReport {
  /** Version of the service that made the backup. */
  version: string;
  madeAt: string;
  tables: number;
  artifacts: number;
  /** Migrations that brought the rows to this version. */
  migrated: string[];
}

/**
 * Reads a backup into an empty database and store. The rows are compared with the checksums of the backup, as read from the
 * file and as they are in the tables, before anything is committed; then they are brought to this version's schema.
 * @throws ProblemError conflict, bad_file
 */
export async function restoreBackup(file: string, target: RestoreTarget): Promise<RestoreReport> {
  if (!(await isEmptyDatabase(target.db)))
    throw new ProblemError(
      'conflict',
      'The database is not empty: restore into a new SVC_DATA_DIR, or into a new database of SVC_DB_URL.',
    );
  const entries = new Entries(tarEntries(unpacked(file)));
  const header = JSON.parse((await entries.whole(headerName)).toString()) as BackupHeader;
  if (header.format !== backupFormat)
    throw new ProblemError(
      'bad_file',
      `The backup has the format ${header.format}, and this version of Kindred reads ${backupFormat}: install the version that made it (${header.version}).`,
    );
  await migrateAsOf(target.db, header.migrations);
  const artifacts = await inTransaction(target.db, async (trx) => {
    const put = await withoutTriggers(trx, async () => {
      await makeRoom(trx, header.tables);
      return readTables(trx, entries, header, target.artifacts);
    });
    const stored = await readFiles(entries, target);
    const contents = JSON.parse((await entries.whole(contentsName)).toString()) as BackupContents;
    compare(header, contents, put, stored);
    for (const [i, table] of header.tables.entries())
      if ((await sha256OfChunks(copyOut(trx, table))) !== put[i].written)
        throw damaged(`the rows of ${table.name} differ in the database`);
    await setSequences(trx, contents.sequences);
    return contents.artifacts.length;
  });
  const { applied } = await migrate(target.db);
  const { version, madeAt, tables } = header;
  return { version, madeAt, tables: tables.length, artifacts, migrated: applied };
}

async function* unpacked(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file).pipe(createGunzip()) as AsyncIterable<Uint8Array>;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damaged((cause as Error).message);
    throw cause;
  }
}

interface PutTable {
  /** SHA-256 of the rows in the backup. */
  read: string;
  /** SHA-256 of the rows with the artifact addresses of this store. */
  written: string;
}

async function readTables(
  trx: Transaction,
  entries: Entries,
  { tables, artifactRoot }: BackupHeader,
  artifacts: ArtifactStore,
): Promise<PutTable[]> {
  const ownRoot = artifacts.uriOf('x').slice(0, -1);
  const put: PutTable[] = [];
  for (const [i, table] of tables.entries()) {
    const read = createHash('sha256');
    const written = createHash('sha256');
    const rows = hashed(
      withRoot(hashed(entries.parts(`tables/${i}/`), read), artifactRoot, ownRoot),
      written,
    );
    await copyIn(trx, table, rows);
    put.push({ read: read.digest('hex'), written: written.digest('hex') });
  }
  return put;
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * Replaces one start of addresses by another. Works on whole lines, so that it finds one that is split between two chunks.
 */
async function* withRoot(bytes: AsyncIterable<Buffer>, from: string, to: string): AsyncGenerator<Buffer> {
  if (from === to) return yield* bytes;
  const replaced = (lines: Buffer) =>
    lines.includes(from)
      ? Buffer.from(lines.toString('latin1').replaceAll(latin1(from), latin1(to)), 'latin1')
      : lines;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const end = chunk.lastIndexOf(10) + 1;
    if (end > 0) yield replaced(Buffer.concat([rest, chunk.subarray(0, end)]));
    rest = end > 0 ? chunk.subarray(end) : Buffer.concat([rest, chunk]);
  }
  if (rest.length > 0) yield replaced(rest);
}

const latin1 = (text: string) => Buffer.from(text).toString('latin1');

async function readFiles(
  entries: Entries,
  { artifacts, dataDir }: RestoreTarget,
): Promise<{ sizeBytes: number; sha256: string }[]> {
  await mkdir(dataDir, { recursive: true });
  for (const name of dataFiles) {
    if ((await entries.peek())?.name !== `files/${name}`) continue;
    await writeFile(join(dataDir, name), await entries.whole(`files/${name}`), { mode: 0o600 });
  }
  const stored: { sizeBytes: number; sha256: string }[] = [];
  for (let i = 0; (await entries.peek())?.name === `artifacts/${i}/key`; i++) {
    const key = (await entries.whole(`artifacts/${i}/key`)).toString();
    stored.push(await artifacts.put(key, entries.parts(`artifacts/${i}/`)));
  }
  return stored;
}

function compare(
  { tables }: BackupHeader,
  contents: BackupContents,
  put: PutTable[],
  stored: { sizeBytes: number; sha256: string }[],
): void {
  const wrong = tables.find((_, i) => put[i].read !== contents.tables[i]);
  if (wrong !== undefined) throw damaged(`the rows of ${wrong.name} have another checksum`);
  const lost = contents.artifacts.find(
    ({ sizeBytes, sha256 }, i) => stored[i]?.sizeBytes !== sizeBytes || stored[i].sha256 !== sha256,
  );
  if (lost !== undefined) throw damaged(`the artifact ${lost.key} has another checksum`);
}

function damaged(why: string): ProblemError {
  return new ProblemError(
    'bad_file',
    `The backup is damaged: ${why}. Nothing was restored; use another backup.`,
  );
}

/** Entries of the archive in order; the next one can be seen before it is read. */
class Entries {
  readonly #source: AsyncIterator<TarEntry>;
  #next: TarEntry | null | undefined;

  constructor(source: AsyncIterable<TarEntry>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async peek(): Promise<TarEntry | null> {
    if (this.#next !== undefined) return this.#next;
    const { value, done } = await this.#source.next();
    this.#next = done ? null : (value as TarEntry);
    return this.#next;
  }

  async whole(name: string): Promise<Buffer> {
    const entry = await this.peek();
    if (entry?.name !== name)
      throw damaged(`it has ${entry?.name ?? 'no more entries'} where ${name} is expected`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry.bytes) chunks.push(chunk);
    this.#next = undefined;
    return Buffer.concat(chunks);
  }

  /** The bytes of all entries whose names begin with `start`; there must be at least one. */
  async *parts(start: string): AsyncGenerator<Buffer> {
    for (let n = 0; n === 0 || (await this.peek())?.name === `${start}${n}`; n++)
      yield await this.whole(`${start}${n}`);
  }
}
