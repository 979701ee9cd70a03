import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RowCutter } from './row-cutter.js';

/** The slow way works on the whole text. */
function simple(text: string, rows: number, headerLines: number): string {
  let left = rows;
  let header = headerLines;
  let out = '';
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    out += line;
    if (/^[!\n\r]/.test(line)) continue;
    if (header > 0) header--;
    else if (--left === 0) break;
  }
  return out;
}

const line = fc.constantFrom('!comment', '', '\r', 'a\tb', 'row', '!');

describe('RowCutter', () => {
  it('passes the same bytes however they are cut', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 1, max: 9 }),
        (lines, endsWithNewline, rows, headerLines, size) => {
          const text = lines.join('\n') + (endsWithNewline ? '\n' : '');
          const cutter = new RowCutter(rows, headerLines);
          let out = '';
          for (let start = 0; start < text.length && cutter.rowsLeft > 0; start += size) {
            out += Buffer.from(cutter.take(Buffer.from(text.slice(start, start + size)))).toString();
          }
          cutter.end();
          expect(out).toBe(simple(text, rows, headerLines));
        },
      ),
    );
  });
});
