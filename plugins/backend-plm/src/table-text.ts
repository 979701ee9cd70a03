/** Writes columns of equal width, two spaces apart. The first row is the head. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
