import {
  type BuildSize,
  bytesNeeded,
  downloadSentence,
  gigabytes,
  megabytes,
} from '@kindred/client/reference-builds';
import { ProblemError } from '@kindred/contracts';
import { LineScanner } from '@kindred/kernels/formats';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { readFileWith } from './evaluate-files.js';
import { alignedColumns } from './reference-text.js';

/** Lists the files with their sizes, and says how long they take to come. */
export function downloadText(files: readonly PublishedFile[]): string {
  const rows = files.map(({ kind, release, url, query, size_bytes, proteins, sha256 }) => {
    const size =
      size_bytes === null ? `${(proteins ?? 0).toLocaleString('en')} proteins` : megabytes(size_bytes);
    const here = sha256 === null ? '' : ' (here already)';
    return [
      kind,
      size,
      `${url}${query === null ? '' : ` (${query})`}${release === null ? '' : `, ${release}`}${here}`,
    ];
  });
  return `${downloadSentence(files)}\n${alignedColumns(rows)}`;
}

/** @throws ProblemError out_of_resources, naming what is missing */
export function requireRoom(size: BuildSize, freeBytes: number, folder: string): void {
  const missing = bytesNeeded(size) - freeBytes;
  if (missing <= 0) return;
  throw new ProblemError(
    'out_of_resources',
    `The build needs about ${gigabytes(bytesNeeded(size))} GB in ${folder}, where ${gigabytes(freeBytes)} GB are free: ${gigabytes(missing)} GB are missing. Free space there, or move SVC_DATA_DIR to a larger disk. Nothing was sent.`,
  );
}

/**
 * Counts the lines of a file, plain or gzip, that begin a record: in FASTA those with `>`, in tables all but
 * comments (`!`).
 */
export async function countRecords(
  path: string,
  kind: 'fasta' | 'table' | 'other',
): Promise<{ records: number; unpackedBytes: number }> {
  const [fastaMark, comment] = [0x3e, 0x21];
  let [records, unpackedBytes] = [0, 0];
  const lines = new LineScanner((bytes, start, end) => {
    if (start === end) return;
    if (kind === 'fasta' ? bytes[start] === fastaMark : bytes[start] !== comment) records++;
  });
  await readFileWith(path, async (chunks) => {
    for await (const chunk of chunks) {
      unpackedBytes += chunk.length;
      if (kind !== 'other') lines.push(chunk);
    }
    lines.end();
  });
  return { records, unpackedBytes };
}
