import { ProblemError } from '@kindred/contracts';
import { LineScanner } from '@kindred/kernels/formats';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { readFileWith } from './evaluate-files.js';
import { alignedColumns } from './reference-text.js';

/** A build has to take in this amount of data. */
export interface BuildSize {
  proteins: number;
  /** The files have this number of rows of annotations. */
  rows: number;
  /** The sizes of all files are counted as they are sent, and unpacked. */
  sentBytes: number;
  unpackedBytes: number;
  dimension: number;
  model: string;
}

/**
 * Estimates the bytes of disk that a build needs: the files that are sent, twice their unpacked content (rows
 * with their indexes), 7 bytes for each number of a vector (2 in the database, 5 in the bank), and room for
 * the log of the database.
 */
export function bytesNeeded({ proteins, sentBytes, unpackedBytes, dimension }: BuildSize): number {
  return sentBytes + 2 * unpackedBytes + 7 * dimension * proteins + databaseLogBytes;
}
const databaseLogBytes = 256 * 2 ** 20;

/**
 * The times are seconds on two cores, measured on 516,371 proteins with 4.5 million rows: proteins and bank,
 * annotations, vectors of k-mers.
 */
const secondsPerProtein = (27 + 42) / 516_371;
const secondsPerRow = 13 / 4_500_000;
const secondsPerKmerVector = 98 / 516_371;

/** Lists the files with their sizes, and says how long they take to come. */
export function downloadText(files: readonly PublishedFile[]): string {
  const bytes = files.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0);
  const unknown = files.some(({ size_bytes }) => size_bytes === null);
  const rows = files.map(({ kind, release, url, query, size_bytes, proteins, sha256 }) => {
    const size = size_bytes === null ? `${count(proteins ?? 0)} proteins` : megabytes(size_bytes);
    const here = sha256 === null ? '' : ' (here already)';
    return [
      kind,
      size,
      `${url}${query === null ? '' : ` (${query})`}${release === null ? '' : `, ${release}`}${here}`,
    ];
  });
  const more = unknown ? ' and what the searches find' : '';
  return `To download: ${megabytes(bytes)}${more}, at 10 MB/s about ${durationText(bytes / 1e7)}.\n${alignedColumns(rows)}`;
}
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function durationText(seconds: number): string {
  return seconds < 90
    ? `${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`
    : `${Math.ceil(seconds / 60)} minutes`;
}

/** Says in a sentence how much the build takes in, and for how long. */
export function estimateText(size: BuildSize, freeBytes: number | null): string {
  const { proteins, rows, model } = size;
  const ofKmers = model.startsWith('kmer-');
  const seconds =
    proteins * (secondsPerProtein + (ofKmers ? secondsPerKmerVector : 0)) + rows * secondsPerRow;
  const more = ofKmers ? '' : `, and the vectors of ${model} ("kindred models check" measures a protein)`;
  const room = freeBytes === null ? '' : ` of ${gigabytes(freeBytes)} GB that are free`;
  return `${count(proteins)} proteins, ${count(rows)} annotation rows: about ${gigabytes(bytesNeeded(size))} GB of disk${room}, and ${durationText(seconds)} on two cores${more}.`;
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

const count = (n: number): string => n.toLocaleString('en');
const gigabytes = (bytes: number): string => (Math.ceil(bytes / 1e8) / 10).toFixed(1);

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
