import type { Rejection } from './format-error.js';
import { type LineOptions, lineBatches, type TextSource } from './lines.js';

/** A batch of records, and of lines that could not be read. */
export interface ParsedBatch<T> {
  records: T[];
  rejected: Rejection[];
  /** The number of rows in this batch that the caller's filter left out. */
  skipped: number;
  /** The number of lines of the file seen so far, with comments and blank lines. */
  seen: number;
  /** Header comments of the file, keys in lower case with hyphens (gaf-version, go-version, date-generated). */
  header: Record<string, string>;
}

export interface ReadOptions extends LineOptions {
  /**
   * The maximum number of records and rejections in a batch. The default is 1,000: larger batches outlive a garbage collection, and
   * reading them takes a third longer.
   */
  batchSize?: number;
}

/** Parses one line after another and adds the results to the batch. */
export interface LineReader<T> {
  read(line: string, lineNumber: number, batch: ParsedBatch<T>): void;
  /** Reads what only the end of the file completes; it follows the last line. */
  finish?(lineCount: number, batch: ParsedBatch<T>): void;
}

export function emptyBatch<T>(header: Record<string, string> = {}, seen = 0): ParsedBatch<T> {
  return { records: [], rejected: [], skipped: 0, seen, header };
}

/** Runs a reader over a source. At least one batch is yielded, so that the caller gets the header of an empty file, too. */
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

const headerKey = /^!\s?([A-Za-z][A-Za-z_]*(?:[ -][A-Za-z_]+){0,2})\s*:/;

/**
 * Keeps a `!key: value` comment. Keys become lower case with hyphens; the first value of a key wins, because tools that
 * rewrite a file add their own lines at the top.
 */
export function keepHeader(line: string, header: Record<string, string>): void {
  const match = headerKey.exec(line);
  if (match === null) return;
  const key = match[1].toLowerCase().replaceAll(/[ _]/g, '-');
  // CVS ended its values with a dollar sign.
  const value = line.slice(match[0].length).trim().replace(/\$$/, '').trimEnd();
  if (value !== '' && !Object.hasOwn(header, key)) header[key] = value;
}
