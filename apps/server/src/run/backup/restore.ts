import { createHash, type Hash } from 'node:crypto';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import {
  copyIn,
  copyOut,
  isEmptyDatabase,
  makeRoom,
  setSequences,
  tablesToCopy,
  whyNotCopied,
  withoutTriggers,
} from '../../store/maintenance/database-copy.repository.js';
import { migrateWithin } from '../../store/migrations/migrate.js';
import { type Database, inTransaction, type Transaction } from '../../store/postgres/db.js';
import { sha256OfChunks } from '../../ground/digest.js';
import { ArchiveReader } from './archive-reader.js';
import type { CheckedBackup } from './check.js';
import { type BackupHeader, damaged, dataFiles, headerName } from './format.js';

export interface RestoreTarget {
  db: Database;
  artifacts: ArtifactStore;
  dataDir: string;
  /**
   * The function is called when the rows are in the database: from then on, everything that was made must
   * stay.
   */
  committed?: () => void;
}

export interface RestoreReport {
  tables: number;
  artifacts: number;
  /** These migrations brought the rows to this version. */
  migrated: string[];
}

/**
 * Reads a backup into an empty database and a store, in one transaction, so a failure leaves nothing. The
 * rows are compared in the tables with the checksums of the backup. Then they are brought to this version's
 * schema, unless the version that made the rows is to continue with them.
 * @throws ProblemError conflict, bad_file
 */
export async function restoreBackup(
  backup: CheckedBackup,
  target: RestoreTarget,
  signal?: AbortSignal,
  schema: 'of the backup' | 'of this version' = 'of this version',
): Promise<RestoreReport> {
  const archive = await ArchiveReader.open(backup.file, signal);
  const undo: (() => Promise<void>)[] = [];
  let files: string[] = [];
  try {
    const migrated = await inTransaction(target.db, async (trx) => {
      await archive.whole(headerName);
      await restoreRows(trx, archive, backup, target.artifacts);
      files = await restoreFiles(archive, target.dataDir, undo);
      await restoreArtifacts(archive, backup, target.artifacts, undo);
      return schema === 'of the backup' ? [] : (await migrateWithin(trx)).applied;
    });
    undo.length = 0;
    target.committed?.();
    await putInPlace(files);
    const { header, contents } = backup;
    return { tables: header.tables.length, artifacts: contents.artifacts.length, migrated };
  } catch (error) {
    // The first fault is the one to report.
    for (const back of undo.toReversed()) await back().catch(() => {});
    throw error;
  } finally {
    await archive.close();
  }
}

async function restoreRows(
  trx: Transaction,
  archive: ArchiveReader,
  { header, contents }: CheckedBackup,
  artifacts: ArtifactStore,
): Promise<void> {
  if (!(await isEmptyDatabase(trx)))
    throw new ProblemError(
      'conflict',
      'The database is not empty: restore into a new SVC_DATA_DIR, or into a new database of SVC_DB_URL.',
    );
  await migrateWithin(trx, header.migrations);
  compareTables(await tablesToCopy(trx), header.tables);
  try {
    const sums = await withoutTriggers(trx, async () => {
      await makeRoom(trx, header.tables);
      return copyTables(trx, archive, header, artifacts);
    });
    for (const [i, table] of header.tables.entries())
      if ((await sha256OfChunks(copyOut(trx, table))) !== sums[i])
        throw damaged(`the rows of ${table.name} differ in the database`);
    await setSequences(trx, contents.sequences);
  } catch (cause) {
    const why = whyNotCopied(cause);
    throw why === null ? cause : damaged(`its rows do not fit the schema (${why})`, { cause });
  }
}

/**
 * A backup has all tables that its migrations made; its other tables belong to annotation sets, which loads
 * made.
 */
function compareTables(made: BackupHeader['tables'], listed: BackupHeader['tables']): void {
  const names = new Set(listed.map(({ name }) => name));
  const missing = made.find(({ name }) => !names.has(name));
  if (missing !== undefined) throw damaged(`the rows of ${missing.name} are missing`);
  const known = new Set(made.map(({ name }) => name));
  const unknown = listed.find(({ name, annotationSet }) => annotationSet === null && !known.has(name));
  if (unknown !== undefined) throw damaged(`it has the table ${unknown.name}, which Kindred does not have`);
}

/** Copies the rows with the artifact addresses of this store, and gives the SHA-256 of each table. */
async function copyTables(
  trx: Transaction,
  archive: ArchiveReader,
  { tables, artifactRoot }: BackupHeader,
  artifacts: ArtifactStore,
): Promise<string[]> {
  const ownRoot = artifacts.addressOf(artifacts.uriOf('x')).slice(0, -1);
  const sums: string[] = [];
  for (const [i, table] of tables.entries()) {
    const written = createHash('sha256');
    const rows = withRoot(archive.parts(`tables/${i}/`), artifactRoot, ownRoot);
    await copyIn(trx, table, hashed(rows, written));
    sums.push(written.digest('hex'));
  }
  return sums;
}

async function* hashed(bytes: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
}

/**
 * Replaces one start of addresses by another. The function works on whole lines, so that it finds an address
 * that is split between two chunks.
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

const draftOf = (path: string) => `${path}.restored`;

/** @throws ProblemError internal_error; `settleRestore` completes the rest */
async function putInPlace(files: readonly string[]): Promise<void> {
  for (const path of files)
    await rename(draftOf(path), path).catch((cause: Error) => {
      throw new ProblemError(
        'internal_error',
        `The rows are restored, but ${draftOf(path)} could not be renamed to ${path} (${cause.message}): ` +
          'mend that, then start the service, which renames it first.',
        { cause },
      );
    });
}

/**
 * Ends a restore that was cut off. If its rows are in the database, the files of the data folder get their
 * names; otherwise they are removed. The result has the files, and which case it was; null means that no
 * restore was cut off.
 */
export async function settleRestore({ db, dataDir }: Pick<RestoreTarget, 'db' | 'dataDir'>): Promise<{
  outcome: 'finished' | 'undone';
  files: string[];
} | null> {
  const paths = dataFiles.map((name) => join(dataDir, name));
  const left = await Promise.all(
    paths.map(async (path) =>
      access(draftOf(path)).then(
        () => [path],
        () => [],
      ),
    ),
  );
  const files = left.flat();
  if (files.length === 0) return null;
  if (await inTransaction(db, isEmptyDatabase)) {
    for (const path of files) await rm(draftOf(path), { force: true });
    return { outcome: 'undone', files };
  }
  await putInPlace(files);
  return { outcome: 'finished', files };
}

/** Writes the files and gives their paths; they get their names after the commit. */
async function restoreFiles(
  archive: ArchiveReader,
  dataDir: string,
  undo: (() => Promise<void>)[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const name of dataFiles) {
    if ((await archive.peek())?.name !== `files/${name}`) continue;
    const path = join(dataDir, name);
    await mkdir(dataDir, { recursive: true });
    undo.push(() => rm(draftOf(path), { force: true }));
    await writeFile(draftOf(path), await archive.whole(`files/${name}`), { mode: 0o600 });
    paths.push(path);
  }
  return paths;
}

/** The store may be the one of the lost database, so existing artifacts stay, and must be the same. */
async function restoreArtifacts(
  archive: ArchiveReader,
  { contents }: CheckedBackup,
  artifacts: ArtifactStore,
  undo: (() => Promise<void>)[],
): Promise<void> {
  for (const [i, { key, sha256 }] of contents.artifacts.entries()) {
    await archive.whole(`artifacts/${i}/key`);
    const uri = artifacts.uriOf(key);
    if ((await artifacts.size(uri)) === null) {
      undo.push(() => artifacts.delete(uri));
      await artifacts.put(key, archive.parts(`artifacts/${i}/`));
    } else await archive.facts(`artifacts/${i}/`);
    if ((await sha256OfChunks(artifacts.get(uri))) !== sha256)
      throw new ProblemError(
        'conflict',
        `The artifact store has another object under the key ${key}: restore into an empty store, or one that has the objects of the backup.`,
      );
  }
}
