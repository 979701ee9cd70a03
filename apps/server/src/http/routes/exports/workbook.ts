import { Readable } from 'node:stream';
import { exportColumns, exportWideColumns } from '@kindred/contracts/resources/exports';
import {
  type XlsxCell,
  xlsxParts,
  xlsxRow,
  xlsxRowLimit,
  xlsxSheetEnd,
  xlsxSheetPath,
  xlsxSheetStart,
} from '@kindred/kernels/formats';
import { ZipFile } from 'yazl';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import { type ExportedFile, lineCells, type Pages, tableLines, wideCells } from './formats.js';

interface Sheet {
  name: string;
  columns: readonly string[];
  /** The pages hold the rows below the columns. */
  pages: () => AsyncIterable<readonly (readonly XlsxCell[])[]>;
}

/**
 * Writes proteins, terms and provenance into one workbook, which is packed while it is read: one page is in
 * memory. If a sheet has more rows than Excel opens, the rest goes to another sheet (`terms 2`). `pages` is
 * read once for each of the first two sheets.
 */
export function workbook(
  pages: () => Pages,
  { header }: Pick<ExportedFile, 'header'>,
  { rowLimit = xlsxRowLimit } = {},
): Readable {
  const sheets: Sheet[] = [
    {
      name: 'proteins',
      columns: exportWideColumns,
      pages: () => eachPage(pages(), (rows) => [wideCells(rows)]),
    },
    {
      name: 'terms',
      columns: exportColumns,
      pages: () => eachPage(pages(), (rows) => tableLines(rows).map(lineCells)),
    },
    { name: 'provenance', columns: ['what', 'value'], pages: () => onePage(header) },
  ];
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const leaving = new AbortController();
  zip.on('error', (error) => output.destroy(error));
  output.once('close', () => leaving.abort());
  fill(zip, sheets, { rowLimit, signal: leaving.signal }).catch((error: unknown) =>
    output.destroy(error as Error),
  );
  return output;
}

async function* eachPage<Rows>(
  pages: AsyncIterable<readonly Rows[]>,
  cells: (rows: Rows) => XlsxCell[][],
): AsyncGenerator<XlsxCell[][]> {
  for await (const page of pages) {
    yield page.flatMap(cells);
    await yieldToEventLoop();
  }
}

async function* onePage<Rows>(rows: Rows): AsyncGenerator<Rows> {
  yield rows;
}

async function fill(
  zip: ZipFile,
  sheets: readonly Sheet[],
  { rowLimit, signal }: { rowLimit: number; signal: AbortSignal },
): Promise<void> {
  const names: string[] = [];
  for (const { name, columns, pages } of sheets) {
    const rows = rowsOf(pages());
    try {
      for (let part = 1, next = await rows.next(); part === 1 || !next.done; part++) {
        names.push(part === 1 ? name : `${name} ${part}`);
        const source = { first: next, rows };
        next = await addSheet(zip, xlsxSheetPath(names.length), { columns, source, rowLimit, signal });
      }
    } finally {
      await rows.return(undefined);
    }
  }
  for (const [path, text] of xlsxParts(names)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
}

type Rows = AsyncGenerator<readonly XlsxCell[], undefined>;

async function* rowsOf(pages: AsyncIterable<readonly (readonly XlsxCell[])[]>): Rows {
  for await (const page of pages) yield* page;
  return undefined;
}

interface SheetSource {
  columns: readonly string[];
  source: { first: Awaited<ReturnType<Rows['next']>>; rows: Rows };
  rowLimit: number;
  signal: AbortSignal;
}

/** Resolves, when the sheet is packed, with the first row that did not fit. */
async function addSheet(zip: ZipFile, path: string, sheet: SheetSource): ReturnType<Rows['next']> {
  const { source, columns, rowLimit, signal } = sheet;
  let next = source.first;
  async function* text(): AsyncGenerator<string> {
    let part = xlsxSheetStart + xlsxRow(columns, true);
    for (let row = 1; !next.done && row < rowLimit; row++) {
      part += xlsxRow(next.value);
      if (part.length > 1 << 16) {
        yield part;
        part = '';
      }
      next = await source.rows.next();
    }
    yield part + xlsxSheetEnd;
  }
  const stream = Readable.from(text(), { objectMode: false });
  const done = new Promise<void>((resolve, reject) => {
    stream.once('end', resolve).once('error', reject);
    signal.addEventListener('abort', () => stream.destroy(new Error('the reader has left')));
  });
  zip.addReadStream(stream, path, { compressionLevel: 5 });
  await done;
  return next;
}
