// This file writes the part of Office Open XML that a table needs: texts, numbers, and a bold first row that stays in view.

export type XlsxCell = string | number | null;

/** The maximum number of rows of a sheet that Excel opens, with the header. */
export const xlsxRowLimit = 1_048_576;
const longestText = 32_767;

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const mediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The numbers of the styles below. */
const headerStyle = 1;
const quotedStyle = 2;
const fills =
  '<fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>';
const plain = 'numFmtId="0" fillId="0" borderId="0" xfId="0"';
const styles = `${head}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2">${fills}</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf ${plain} fontId="0"/><xf ${plain} fontId="1" applyFont="1"/><xf ${plain} fontId="0" quotePrefix="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;

/** Returns the name of the file of a sheet in the package; sheets are numbered from 1. */
export const xlsxSheetPath = (number: number): string => `xl/worksheets/sheet${number}.xml`;

/**
 * Returns the other files of a package with these sheets.
 * @param names 1 to 31 characters, each once in any case, without []:*?/\
 */
export function xlsxParts(names: readonly string[]): Map<string, string> {
  const numbers = names.map((_, at) => at + 1);
  const sheets = names.map(
    (name, at) => `<sheet name="${escaped(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  const types = numbers.map((number) => override(xlsxSheetPath(number), 'worksheet'));
  const targets = numbers.map((number) =>
    relation(`rId${number}`, 'worksheet', `worksheets/sheet${number}.xml`),
  );
  return new Map([
    [
      '[Content_Types].xml',
      `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('xl/workbook.xml', 'sheet.main')}${types.join('')}${override('xl/styles.xml', 'styles')}</Types>`,
    ],
    ['_rels/.rels', relations([relation('rId1', 'officeDocument', 'xl/workbook.xml')])],
    [
      'xl/workbook.xml',
      `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.join('')}</sheets></workbook>`,
    ],
    ['xl/_rels/workbook.xml.rels', relations([...targets, relation('styles', 'styles', 'styles.xml')])],
    ['xl/styles.xml', styles],
  ]);
}

/** The text of a sheet before its first row. */
export const xlsxSheetStart = `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
/** Text of a sheet after its last row. */
export const xlsxSheetEnd = '</sheetData></worksheet>';

/**
 * Writes one row. A text stays a text even if it begins like a formula or is edited. Characters that XML cannot have become U+FFFD, and a
 * text is cut at 32,767 characters. Null and NaN are empty cells.
 */
export function xlsxRow(cells: readonly XlsxCell[], isHeader = false): string {
  return `<row>${cells.map((cell) => cellText(cell, isHeader)).join('')}</row>`;
}

function cellText(cell: XlsxCell, isHeader: boolean): string {
  if (cell === null) return '<c/>';
  if (typeof cell === 'number') return Number.isFinite(cell) ? `<c><v>${cell}</v></c>` : '<c/>';
  const isQuoted = /^['=+\-@\t\r]/.test(cell);
  const style = isHeader ? headerStyle : isQuoted ? quotedStyle : 0;
  const text = cell.length > longestText ? `${cell.slice(0, longestText - 1)}…` : cell;
  return `<c t="inlineStr"${style === 0 ? '' : ` s="${style}"`}><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot have
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

function escaped(text: string): string {
  return (
    text
      .replaceAll(unwritable, '\ufffd')
      // The text _x000A_ would be read as a line end.
      .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
      .replaceAll(/[&<>"\r]/g, (character) => entities[character])
  );
}

function override(path: string, kind: string): string {
  return `<Override PartName="/${path}" ContentType="${mediaType}.${kind}+xml"/>`;
}

function relation(id: string, kind: string, target: string): string {
  return `<Relationship Id="${id}" Type="${office}/${kind}" Target="${target}"/>`;
}

function relations(all: readonly string[]): string {
  return `${head}<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`;
}
