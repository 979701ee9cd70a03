import type { Rejection } from './format-error.js';
import { type LineOptions, lineBatches, type TextSource } from './lines.js';

/** A run of records and what could not be read beside them. Every line ends in records, rejected or skipped. */
export interface ParsedBatch<T> {
  records: T[];
  rejected: Rejection[];
  /** Rows of this batch that the caller's own filter left out. */
  skipped: number;
  /** Lines of the file seen so far, comments and blank lines included. */
  seen: number;
  /** What the file says of itself, keys in lower case with hyphens (gaf-version, go-version, date-generated). */
  header: Record<string, string>;
}

export interface ReadOptions extends LineOptions {
  /** Records and rejections per batch; the last one may be smaller. Default 1,000:
   * larger batches outlive a garbage collection and read a third slower. */
  batchSize?: number;
}

/** Reads one line after another; what it makes of them goes into the batch. */
export interface LineReader<T> {
  read(line: string, lineNumber: number, batch: ParsedBatch<T>): void;
  /** Called after the last line. */
  finish?(lineCount: number, batch: ParsedBatch<T>): void;
}

export function emptyBatch<T>(header: Record<string, string> = {}, seen = 0): ParsedBatch<T> {
  return { records: [], rejected: [], skipped: 0, seen, header };
}

/** Drives a reader over a source. Yields at least one batch, so that the header of an empty file is seen too. */
export async function* readBatches<T>(
  source: TextSource,
  reader: LineReader<T>,
  options: ReadOptions = {},
): AsyncGenerator<ParsedBatch<T>> {
  const batchSize = options.batchSize ?? 1000;
  let batch = emptyBatch<T>();
  let yielded = false;
  for await (const { firstLine, lines } of lineBatches(source, options)) {
    for (let i = 0; i < lines.length; i++) {
      reader.read(lines[i], firstLine + i, batch);
      if (batch.records.length + batch.rejected.length < batchSize) continue;
      batch.seen = firstLine + i;
      yield batch;
      yielded = true;
      batch = emptyBatch(batch.header, batch.seen);
    }
    batch.seen = firstLine + lines.length - 1;
  }
  reader.finish?.(batch.seen, batch);
  if (!yielded || batch.records.length + batch.rejected.length + batch.skipped > 0) yield batch;
}

const headerLine = /^!\s?([A-Za-z][A-Za-z_]*(?:[ -][A-Za-z_]+){0,2})\s*:\s*(\S.*?)\s*\$?$/;

/**
 * Keeps a `!key: value` comment. Keys become lower case with hyphens; the first value of a key wins, because tools
 * that repack a file put their own lines above.
 */
export function keepHeader(line: string, header: Record<string, string>): void {
  const match = headerLine.exec(line);
  if (match === null) return;
  const key = match[1].toLowerCase().replaceAll(/[ _]/g, '-');
  if (!Object.hasOwn(header, key)) header[key] = match[2];
}
