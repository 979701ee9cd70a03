import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import {
  appliedMigrations,
  copyOut,
  sequenceValues,
  tablesToCopy,
} from '../../store/maintenance/database-copy.repository.js';
import type { Database } from '../../store/postgres/db.js';
import { inSnapshot } from '../../store/postgres/copied-rows.js';
import {
  type BackupContents,
  type BackupHeader,
  backupFormat,
  checksumName,
  contentsName,
  dataFiles,
  EntrySum,
  headerName,
  partBytes,
} from './format.js';

export interface BackupSource {
  db: Database;
  artifacts: ArtifactStore;
  dataDir: string;
  version: string;
}

export interface BackupReport {
  madeAt: string;
  tables: number;
  artifacts: number;
}

/**
 * Writes all rows, as they are at one moment, and all artifacts into `file`, which appears whole or not at
 * all. The service may run meanwhile. Reference banks and models are left out, because they are made or
 * fetched again.
 */
export async function writeBackup(source: BackupSource, file: string): Promise<BackupReport> {
  const draft = `${file}.${process.pid}.draft`;
  const tar = pack();
  const writing = pipeline(
    tar,
    createGzip({ level: 3 }),
    createWriteStream(draft, { mode: 0o600, flush: true }),
  );
  writing.catch(() => {});
  try {
    const report = await fill(new Archive(tar), source).catch((error: Error) => {
      tar.destroy(error);
      throw error;
    });
    tar.finalize();
    await writing;
    await rename(draft, file);
    return report;
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function fill(archive: Archive, source: BackupSource): Promise<BackupReport> {
  const madeAt = new Date().toISOString();
  const tables = await inSnapshot(source.db, async (trx) => {
    const header: BackupHeader = {
      format: backupFormat,
      version: source.version,
      madeAt,
      migrations: await appliedMigrations(trx),
      tables: await tablesToCopy(trx),
      artifactRoot: source.artifacts.addressOf(source.artifacts.uriOf('x')).slice(0, -1),
    };
    await archive.add(headerName, Buffer.from(JSON.stringify(header)));
    const sums: string[] = [];
    for (const [i, table] of header.tables.entries())
      sums.push((await archive.addParts(`tables/${i}`, copyOut(trx, table))).sha256);
    return sums;
  });
  const sequences = await sequenceValues(source.db);
  for (const name of dataFiles) {
    const bytes = await readFile(join(source.dataDir, name)).catch(() => null);
    if (bytes !== null) await archive.add(`files/${name}`, bytes);
  }
  const artifacts: BackupContents['artifacts'] = [];
  for await (const { key, uri } of source.artifacts.list()) {
    await archive.add(`artifacts/${artifacts.length}/key`, Buffer.from(key));
    const facts = await archive.addParts(`artifacts/${artifacts.length}`, source.artifacts.get(uri));
    artifacts.push({ key, ...facts });
  }
  const contents: BackupContents = { tables, artifacts, sequences };
  await archive.add(contentsName, Buffer.from(JSON.stringify(contents)));
  await archive.add(checksumName, Buffer.from(archive.sum.digest()));
  return { madeAt, tables: tables.length, artifacts: artifacts.length };
}

class Archive {
  readonly sum = new EntrySum();
  readonly #tar: Pack;

  constructor(tar: Pack) {
    this.#tar = tar;
  }

  add(name: string, bytes: Buffer): Promise<void> {
    this.sum.add(name, bytes);
    return new Promise((resolve, reject) => {
      this.#tar.entry({ name, size: bytes.length, mode: 0o600 }, bytes, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  async addParts(
    name: string,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<{ sizeBytes: number; sha256: string }> {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    let held: Uint8Array[] = [];
    let heldBytes = 0;
    let parts = 0;
    const flush = async () => {
      await this.add(`${name}/${parts++}`, Buffer.concat(held));
      held = [];
      heldBytes = 0;
    };
    for await (const chunk of bytes) {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      held.push(chunk);
      heldBytes += chunk.byteLength;
      if (heldBytes >= partBytes) await flush();
    }
    // An empty table is written, too, so that a missing table is noticed.
    await flush();
    return { sizeBytes, sha256: hash.digest('hex') };
  }
}
