// A cell that begins with one of these characters is run as a formula by a spreadsheet, wherever the file came from.
const formulaStart = /^'*[=+\-@\t\r]/;
const neutralised = /^'+[=+\-@\t\r]/;

/**
 * Returns the text of a cell as a spreadsheet shows it, with an apostrophe before a text that would be a formula. Numbers stay. A text
 * that begins with such apostrophes itself gets one more, so that `cellText` restores every text.
 */
export function spreadsheetCell(text: string): string {
  if (!formulaStart.test(text) || (text !== '' && Number.isFinite(Number(text)))) return text;
  return `'${text}`;
}

/** Restores the text that `spreadsheetCell` was given. */
export function cellText(cell: string): string {
  return neutralised.test(cell) ? cell.slice(1) : cell;
}

/** Writes a TSV, safe to open in a spreadsheet: a line each, without tabs and line ends in a cell. */
export function tableText(columns: readonly string[], rows: readonly object[]): string {
  const line = (cells: readonly unknown[]): string =>
    `${cells.map((cell) => spreadsheetCell(String(cell ?? '').replaceAll(/[\t\r\n]+/g, ' '))).join('\t')}\n`;
  return line(columns) + rows.map((row) => line(columns.map((name) => (row as never)[name]))).join('');
}
