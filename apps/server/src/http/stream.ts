import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { spreadsheetCell } from '@kindred/kernels/formats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from './accept.js';

export interface Download {
  contentType: string;
  /**
   * The value is the name in Content-Disposition: attachment; if null, the browser shows the content in
   * place.
   */
  filename: string | null;
}

/**
 * Sends chunks as they come, packed if the client accepts gzip. The next chunk is requested when the client
 * has taken the last (back-pressure). Chunks hold many rows each. The first chunk is made before the answer
 * begins, so that a refusal still has its own status.
 */
export async function sendChunks(
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncIterable<string>,
  download: Download,
): Promise<FastifyReply> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  const body = Readable.from(resume(first, iterator), { objectMode: false, highWaterMark: 1 << 18 });
  body.on('error', (error) => request.log.error({ err: error }, 'download broken off'));
  reply.type(download.contentType).header('vary', 'Accept-Encoding');
  if (download.filename !== null) {
    reply.header('content-disposition', `attachment; filename="${download.filename}"`);
  }
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(body);
  const gzip = createGzip({ level: 5 });
  body.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => body.destroy());
  return reply.header('content-encoding', 'gzip').send(body.pipe(gzip));
}

async function* resume(first: IteratorResult<string>, rest: AsyncIterator<string>): AsyncGenerator<Buffer> {
  try {
    for (let step = first; !step.done; step = await rest.next()) {
      if (step.value !== '') yield Buffer.from(step.value);
    }
  } finally {
    await rest.return?.();
  }
}

/**
 * Writes one row of a TSV. Null is empty. Tabs and line ends inside a text become spaces, so that a row is a
 * line. A text that a spreadsheet would run as a formula begins with an apostrophe.
 */
export function tsvLine(cells: readonly (string | number | null)[]): string {
  let line = '';
  for (let i = 0; i < cells.length; i++) {
    if (i > 0) line += '\t';
    const cell = cells[i];
    if (cell === null) continue;
    line +=
      typeof cell === 'number'
        ? String(cell)
        : spreadsheetCell(/[\t\r\n]/.test(cell) ? cell.replaceAll(/[\t\r\n]+/g, ' ') : cell);
  }
  return `${line}\n`;
}

/** Rounds to six significant digits, written as short as possible; null stays null. */
export function sixDigits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(6));
}

/** Writes a JSON object whose last member is a long list, page by page: `{...head, "<name>": [...]}`. */
export async function* jsonWithList<Row>(
  head: Record<string, unknown>,
  name: string,
  pages: AsyncIterable<readonly Row[]>,
  present: (row: Row) => unknown,
): AsyncGenerator<string> {
  const text = JSON.stringify(head);
  let prefix = `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(name)}:[`;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield prefix + page.map((row) => JSON.stringify(present(row))).join(',');
    prefix = ',';
  }
  yield prefix === ',' ? ']}' : `${prefix}]}`;
}
