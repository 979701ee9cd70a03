import { spreadsheetCell } from '@kindred/kernels/formats';

/** Writes a TSV, safe to open in a spreadsheet: a line each, without tabs and line ends in a cell. */
export function tableText(columns: readonly string[], rows: readonly object[]): string {
  const line = (cells: readonly unknown[]): string =>
    `${cells.map((cell) => spreadsheetCell(String(cell ?? '').replaceAll(/[\t\r\n]+/g, ' '))).join('\t')}\n`;
  return line(columns) + rows.map((row) => line(columns.map((name) => (row as never)[name]))).join('');
}
