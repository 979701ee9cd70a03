import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cellText, spreadsheetCell } from './spreadsheet.js';

it.each([
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://evil.example","x")', `'=HYPERLINK("http://evil.example","x")`],
  ['+1+cmd', "'+1+cmd"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ["'=1", "''=1"],
])('%j becomes %j', (text, cell) => expect(spreadsheetCell(text)).toBe(cell));

it.each(['P12345', 'sp|P1|A', "5'-end", "'quoted'", '-0.5', '+1e-7', ''])('leaves %j alone', (text) => {
  expect(spreadsheetCell(text)).toBe(text);
});

it('gives every text back, and no cell begins with a formula', () => {
  const awkward = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '1', 'a') });
  fc.assert(
    fc.property(fc.oneof(awkward, fc.string()), (text) => {
      const cell = spreadsheetCell(text);
      expect(cellText(cell)).toBe(text);
      if (!Number.isFinite(Number(cell))) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    }),
  );
});
