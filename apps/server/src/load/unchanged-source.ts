import { findSourceFile, saveSourceFile } from '../store/annotations/source-files.repository.js';
import type { OperationContext } from '../work/operation/operation.js';

/**
 * Returns true if the server confirms that the file at `url` still has this digest and need not be read.
 * False if the file was never read completely, has neither ETag nor Last-Modified, or is sent again.
 */
export async function isUnchanged(
  url: string,
  contentSha256: string | null,
  { db, sources, signal, emit }: OperationContext,
  operation: string,
): Promise<boolean> {
  if (!/^https?:/i.test(url)) return false;
  const known = await findSourceFile(db, url);
  if (known === undefined || known.contentSha256 !== contentSha256) return false;
  const { etag, lastModified } = known;
  if (etag === null && lastModified === null) return false;
  const stream = await sources.open(url, {
    signal,
    headers: {
      ...(etag !== null && { 'if-none-match': etag }),
      ...(lastModified !== null && { 'if-modified-since': lastModified }),
    },
  });
  if (stream.notModified !== true) {
    // The server sends the file again; the caller reopens it if needed.
    await stream.bytes[Symbol.asyncIterator]().return?.(undefined);
    return false;
  }
  await emit(`${operation}.not_modified`, { url, etag, last_modified: lastModified });
  return true;
}

/** Callers pass the headers of the response after reading the file to its end. */
export async function rememberSource(
  url: string,
  headers: Record<string, string>,
  contentSha256: string,
  { db }: Pick<OperationContext, 'db'>,
): Promise<void> {
  const etag = headers.etag ?? null;
  const lastModified = headers['last-modified'] ?? null;
  if (etag === null && lastModified === null) return;
  await saveSourceFile(db, url, { etag, lastModified, contentSha256 });
}
