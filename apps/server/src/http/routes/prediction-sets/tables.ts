import { type ColumnsIn, columnsIn, predictionColumn } from '@kindred/kernels/prediction';
import { cafaScore, cafaTermsPerProtein } from '@kindred/kernels/scoring';
import type { PredictionRow } from '../../../store/predictions/predictions.repository.js';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import { sixDigits, tsvLine } from '../../stream.js';

type Column = ColumnsIn<'tsv'> | ColumnsIn<'reply'>;

/** predictions.tsv has these 32 columns, in order. */
export const tsvColumns = columnsIn('tsv');

/** Columns with fractions have six significant digits. Whole numbers are written in full. */
const fractions = new Set<string>(
  tsvColumns.filter((name) => {
    const { storage, whole } = predictionColumn(name);
    return storage === 'float4' && !whole;
  }),
);

/** One turn of the event loop writes this many rows. */
const rowsPerChunk = 250;

/** Gives the text of a column; null is empty. */
export function predictionCell(row: PredictionRow, column: Column): string | number | null {
  const value = row[column] as string | number | null;
  return fractions.has(column) ? sixDigits(value as number | null) : value;
}

/** Yields one chunk per page of proteins, the header first. */
export async function* predictionTable(
  pages: AsyncIterable<readonly PredictionRow[]>,
): AsyncGenerator<string> {
  yield tsvLine(tsvColumns);
  for await (const page of pages) {
    for (let from = 0; from < page.length; from += rowsPerChunk) {
      const rows = page.slice(from, from + rowsPerChunk);
      yield rows.map((row) => tsvLine(tsvColumns.map((column) => predictionCell(row, column)))).join('');
      await yieldToEventLoop();
    }
  }
}

/**
 * Writes CAFA submission lines, without a header: one per (protein, term) with the nearest source's score,
 * highest first, and at most 1,500 terms of a protein. Names stay as they are, even if a spreadsheet would
 * run them as formulas, because an evaluation looks for them. Pages hold whole proteins, each protein's rows
 * by falling score.
 */
export async function* cafaTable(
  pages: AsyncIterable<readonly Pick<PredictionRow, 'protein_accession' | 'go_id' | 'score'>[]>,
): AsyncGenerator<string> {
  for await (const page of pages) {
    let text = '';
    let protein = '';
    let seen = new Set<string>();
    for (const row of page) {
      if (row.protein_accession !== protein) {
        protein = row.protein_accession;
        seen = new Set();
      }
      if (seen.has(row.go_id) || seen.size >= cafaTermsPerProtein) continue;
      seen.add(row.go_id);
      text += `${protein.replaceAll(/\s+/g, ' ')}\t${row.go_id}\t${cafaScore(row.score)}\n`;
    }
    yield text;
    await yieldToEventLoop();
  }
}
