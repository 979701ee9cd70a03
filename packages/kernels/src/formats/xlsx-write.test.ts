import { expect, it } from 'vitest';
import { xlsxParts, xlsxRow } from './xlsx-write.js';

const cell = (value: string) => xlsxRow([value]).slice('<row>'.length, -'</row>'.length);
const text = (value: string) => /<t xml:space="preserve">([^<]*)<\/t>/.exec(cell(value))?.[1];

it('writes numbers as numbers, and what is none as an empty cell', () => {
  expect(xlsxRow([1, -0.5, 1e-9, null, Number.NaN])).toBe(
    '<row><c><v>1</v></c><c><v>-0.5</v></c><c><v>1e-9</v></c><c/><c/></row>',
  );
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', "'=1"])('keeps %s a text, also when it is edited', (value) => {
  expect(cell(value)).toContain('<c t="inlineStr" s="2">');
  expect(cell(value)).not.toContain('<f>');
  expect(text(value)).toBe(value);
});

it('escapes what XML and Excel read otherwise', () => {
  expect(text('a<b & "c"')).toBe('a&lt;b &amp; &quot;c&quot;');
  expect(text('_x000A_ and _x00')).toBe('_x005F_x000A_ and _x00');
  expect(text('\u0000\ud800 \u{1f9ec}')).toBe('\ufffd\ufffd \u{1f9ec}');
  expect(text(' two  spaces\n')).toBe(' two  spaces\n');
});

it('cuts a text where a cell ends', () => {
  const long = text('x'.repeat(40_000)) ?? '';
  expect(long).toHaveLength(32_767);
  expect(long.endsWith('x…')).toBe(true);
  expect(text('y'.repeat(32_767))).toBe('y'.repeat(32_767));
});

it('names every sheet in the workbook, its relations and its types', () => {
  const parts = xlsxParts(['a & b', 'c']);
  expect(parts.get('xl/workbook.xml')).toContain('<sheet name="a &amp; b" sheetId="1" r:id="rId1"/>');
  expect(parts.get('xl/_rels/workbook.xml.rels')).toContain('Target="worksheets/sheet2.xml"');
  expect(parts.get('[Content_Types].xml')).toContain('PartName="/xl/worksheets/sheet2.xml"');
});
