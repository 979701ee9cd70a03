import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

import { ProblemError } from '@kindred/contracts';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { tarEntries } from '../../predict/banks/tar-entries.js';
import type { ArtifactBytes } from '../../ground/artifacts/artifact-store.js';
import { checkedBytes, downloadFile, forgetPart, type RemoteFile } from '../../ground/sources/download.js';
import { defaultLimits, unpack } from '../../ground/sources/unpack.js';
import { withAdvisoryLock } from '../../store/postgres/advisory-lock.js';
import { downloadedSha256, recordDownload } from '../../store/references/reference-downloads.repository.js';
import { findReferenceFile } from '../../store/references/reference-files.repository.js';
import { addFile } from '../../resources/reference-files.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { identityOf } from './plan-reference-download.js';
import { downloadQuery } from './query-fasta.js';

const name = 'download_reference_files';
/** A partial download that nobody continues is kept for this long. */
const keptPartMs = 7 * 24 * 3600 * 1000;
/** The display estimates the size of a FASTA file with this number of bytes for a protein. */
const bytesPerProtein = 450;

/**
 * Downloads files into the artifact store. References are then built from them as from files that were sent.
 * A file that was downloaded in this state is not downloaded again, and an interrupted download continues.
 */
export const downloadReferenceFiles: Operation<'download_reference_files'> = {
  name,
  async run({ files }, context) {
    const folder = join(context.settings.cacheDir, 'downloads');
    await mkdir(folder, { recursive: true });
    await dropOldParts(folder);
    const total = files.reduce((sum, file) => sum + expectedBytes(file), 0);
    let before = 0;
    const downloaded = [];
    for (const file of files) {
      context.signal.throwIfAborted();
      await context.emit(`${name}.file_start`, { url: file.url, size_bytes: file.size_bytes });
      const onBytes = (done: number) => context.progress(Math.min(total, before + done), total);
      downloaded.push({ ...file, ...(await fetchOnce(file, { folder, onBytes, context })) });
      before += expectedBytes(file);
      await onBytes(0);
    }
    const result = { files: downloaded };
    await context.emit(`${name}.done`, { files: downloaded.length });
    return { kind: 'done', result };
  },
};

interface Fetching {
  folder: string;
  onBytes: (done: number) => Promise<void>;
  context: OperationContext;
}

const expectedBytes = ({ size_bytes, proteins }: PublishedFile): number =>
  size_bytes ?? (proteins ?? 0) * bytesPerProtein;

/** Two jobs that need one file download it once. */
function fetchOnce(
  file: PublishedFile,
  fetching: Fetching,
): Promise<{ sha256: string; size_bytes: number; release: string | null }> {
  const { db } = fetching.context;
  const { source } = identityOf(file);
  const key = createHash('sha256').update(source).digest('hex').slice(0, 32);
  const path = join(fetching.folder, key);
  return withAdvisoryLock(db, `download ${hostname()} ${path}`, async () => {
    const known = await downloadedSha256(db, identityOf(file));
    const kept = known === undefined ? undefined : await findReferenceFile(db, known);
    if (kept !== undefined && (await fetching.context.artifacts.size(kept.uri)) !== null)
      return { sha256: kept.sha256, size_bytes: kept.size_bytes, release: file.release };
    return fetch(file, path, fetching);
  });
}

async function fetch(file: PublishedFile, path: string, { onBytes, context }: Fetching) {
  let release = file.release;
  let proteins = file.proteins;
  let content: ArtifactBytes;
  if (file.query === null) {
    const remote = remoteOf(file);
    await downloadFile(context.sources, remote, { path, signal: context.signal, onRetry, onBytes });
    content = file.member === null ? checkedBytes(path, remote) : await memberOf(path, file.member, remote);
  } else {
    const found = await downloadQuery({ url: file.url, query: file.query, path }, context, (done) =>
      onBytes(done * bytesPerProtein),
    );
    release = found.release;
    proteins = found.proteins;
    content = createReadStream(path, { highWaterMark: 1 << 20 });
  }
  const { sha256, sizeBytes, uri } = await context.artifacts.put(`reference-files/${randomUUID()}`, content, {
    signal: context.signal,
  });
  await addFile(context, { sha256, size_bytes: sizeBytes, uri });
  const { source, state } = identityOf({ ...file, release, proteins });
  await recordDownload(context.db, { source, state, sha256, size_bytes: sizeBytes });
  await forgetPart(path);
  await context.emit(`${name}.file_done`, { url: file.url, sha256, size_bytes: sizeBytes, release });
  return { sha256, size_bytes: sizeBytes, release };

  function onRetry({ attempt, waitMs, reason }: { attempt: number; waitMs: number; reason: string }) {
    return context.emit('http.retry', { attempt, wait_seconds: waitMs / 1000, reason }, 'warning');
  }
}

function remoteOf({ url, size_bytes, etag, last_modified, md5 }: PublishedFile): RemoteFile {
  return { url, sizeBytes: size_bytes, etag, lastModified: last_modified, md5 };
}

/** Gives one file of a downloaded archive, after the whole archive was checked. */
async function memberOf(path: string, member: string, remote: RemoteFile): Promise<ArtifactBytes> {
  for await (const _ of checkedBytes(path, remote));
  return inArchive(path, member, remote.url);
}

async function* inArchive(path: string, member: string, url: string): AsyncGenerator<Uint8Array> {
  for await (const entry of tarEntries(unpack(createReadStream(path), defaultLimits, url))) {
    if (entry.name !== member && !entry.name.endsWith(`/${member}`)) continue;
    yield* entry.bytes;
    return;
  }
  throw new ProblemError('bad_file', `The archive ${url} has no file ${member}.`);
}

async function dropOldParts(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const facts = await lstat(join(folder, entry)).catch(() => null);
    if (facts !== null && Date.now() - facts.mtimeMs > keptPartMs)
      await rm(join(folder, entry), { force: true });
  }
}
