import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import {
  downloadedSha256,
  type ReferenceDownload,
} from '../../store/references/reference-downloads.repository.js';
import type { Operation } from '../../work/operation/operation.js';
import { publishedFiles } from './published-files.js';

const name = 'plan_reference_download';

/**
 * Finds the files that a reference of published proteins needs, their sizes, and which of them were
 * downloaded before.
 */
export const planReferenceDownload: Operation<'plan_reference_download'> = {
  name,
  async run(payload, context) {
    await context.emit(`${name}.start`, { selections: payload.selections });
    const files: PublishedFile[] = [];
    for (const file of await publishedFiles(payload, context))
      files.push({ ...file, sha256: (await downloadedSha256(context.db, identityOf(file))) ?? null });
    await context.emit(`${name}.done`, { files: files.length });
    return { kind: 'done', result: { files } };
  },
};

/** A published file is identified by its name and its state. */
export function identityOf(file: PublishedFile): Pick<ReferenceDownload, 'source' | 'state'> {
  const { url, query, member, size_bytes, etag, last_modified, md5, release, proteins } = file;
  return {
    source: JSON.stringify([url, query, member]),
    state: JSON.stringify(query === null ? [size_bytes, etag, last_modified, md5] : [release, proteins]),
  };
}
