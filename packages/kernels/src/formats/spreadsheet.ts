// A spreadsheet runs a cell that begins with one of these as a formula, wherever the file came from.
const formulaStart = /^'*[=+\-@\t\r]/;
const neutralised = /^'+[=+\-@\t\r]/;

/**
 * The text of a cell as a spreadsheet shows it: with an apostrophe before what would be a formula. Numbers stay. A text
 * that has such apostrophes itself gets one more, so that `cellText` gives back every text.
 */
export function spreadsheetCell(text: string): string {
  if (!formulaStart.test(text) || (text !== '' && Number.isFinite(Number(text)))) return text;
  return `'${text}`;
}

/** The text that `spreadsheetCell` was given. */
export function cellText(cell: string): string {
  return neutralised.test(cell) ? cell.slice(1) : cell;
}
