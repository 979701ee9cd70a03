import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { lineBatches } from '@kindred/kernels/formats';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { AuditRow } from '../store/accounts/audit.repository.js';
import {
  type AuditExportRow,
  auditPages,
  auditRowsOf,
  type AuditSegment,
  type AuditWindow,
  listAuditExports,
  normalWindow,
  oldestAuditSegment,
  replaceAuditRows,
} from '../store/accounts/audit-exports.repository.js';
import { type Database, inTransaction } from '../store/postgres/db.js';

const fileRows = 100_000;
/** One run writes at most this many files, ten years of months. */
const filesAtOnce = 120;

/**
 * Moves rows of whole months that ended more than `days` ago into files of the artifact store (JSON Lines,
 * gzip), at most 100,000 rows each. A file is stored, then its rows are deleted together with the record of
 * the file. After a crash, or in two processes at once, the same file is written again.
 */
export async function exportOldAudit(
  db: Database,
  artifacts: ArtifactStore,
  { days, signal }: { days: number; signal?: AbortSignal },
): Promise<{ rows: number; files: number }> {
  const moved = { rows: 0, files: 0 };
  while (moved.files < filesAtOnce) {
    signal?.throwIfAborted();
    const segment = await oldestAuditSegment(db, days, fileRows);
    if (segment === null) break;
    const { month, ...facts } = segment;
    const key = `audit/${month}-${facts.first_id}-${facts.last_id}.jsonl.gz`;
    const lines = linesOfSegment(db, segment);
    // A fault of the stream reaches its reader, so this callback need not report it.
    const bytes: AsyncIterable<Uint8Array> = pipeline(Readable.from(lines), createGzip(), () => {});
    const { uri, sha256, sizeBytes } = await artifacts.put(key, bytes, { signal });
    const file = { ...facts, uri, sha256, size_bytes: sizeBytes };
    if (!(await inTransaction(db, (trx) => replaceAuditRows(trx, file)))) continue;
    moved.rows += facts.row_count;
    moved.files++;
  }
  return moved;
}

/** @throws Error if rows are missing, because another process has just moved them; then nothing is stored */
async function* linesOfSegment(db: Database, segment: AuditSegment): AsyncGenerator<string> {
  let count = 0;
  for await (const rows of auditRowsOf(db, segment)) {
    count += rows.length;
    yield rows.map(auditLine).join('');
  }
  if (count !== segment.row_count)
    throw new Error(
      `the audit log changed while it was exported: ${count} of ${segment.row_count} rows from ${segment.first_id} on are there`,
    );
}

function auditLine({ id, actor_user_id, action, target, payload, occurred_at }: AuditRow): string {
  return `${JSON.stringify({ id, actor_user_id, action, target, payload, occurred_at })}\n`;
}

/**
 * Yields the whole log of a time, oldest first, as chunks of JSON Lines: from the files that hold its old
 * rows, then from the table.
 * @throws Error when a file is missing or was changed, or when rows move into a file meanwhile
 */
export async function* auditLines(
  db: Database,
  artifacts: ArtifactStore,
  asked: AuditWindow,
): AsyncGenerator<string> {
  const window = await normalWindow(db, asked);
  const files = await listAuditExports(db);
  for (const file of files)
    if (
      isWithin(file.last_at, { ...window, untilExclusive: null }) &&
      isWithin(file.first_at, { ...window, since: null })
    )
      yield* linesOfFile(artifacts, file, window);
  for await (const rows of auditPages(db, window, files.at(-1)?.last_id ?? 0))
    yield rows.map(auditLine).join('');
  if ((await listAuditExports(db)).length !== files.length)
    throw new Error('old rows of the audit log were moved into a file while it was read: read it again');
}

function isWithin(at: string, { since, untilExclusive }: AuditWindow): boolean {
  return (since === null || at >= since) && (untilExclusive === null || at < untilExclusive);
}

async function* linesOfFile(
  artifacts: ArtifactStore,
  { uri, sha256 }: AuditExportRow,
  window: AuditWindow,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const bytes = async function* () {
    for await (const chunk of artifacts.get(uri)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256) throw new Error(`the exported audit log ${uri} was changed`);
  };
  const text: AsyncIterable<Uint8Array> = pipeline(Readable.from(bytes()), createGunzip(), () => {});
  for await (const { lines } of lineBatches(text, { maxLineLength: Number.POSITIVE_INFINITY }))
    yield chosenLines(lines, window);
}

function chosenLines(lines: readonly string[], window: AuditWindow): string {
  const isWhole = window.since === null && window.untilExclusive === null;
  const chosen = isWhole
    ? lines
    : lines.filter((line) => isWithin((JSON.parse(line) as AuditRow).occurred_at, window));
  return chosen.map((line) => `${line}\n`).join('');
}
