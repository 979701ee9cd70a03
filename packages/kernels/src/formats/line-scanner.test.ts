import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from './format-error.js';
import { LineScanner } from './line-scanner.js';
import { splitLines } from './lines.js';

function scan(chunks: Uint8Array[], maxLineLength?: number): [number, string][] {
  const found: [number, string][] = [];
  const scanner = new LineScanner(
    (bytes, start, end, line) => found.push([line, Buffer.from(bytes.subarray(start, end)).toString()]),
    { maxLineLength },
  );
  for (const chunk of chunks) {
    // The test overwrites a buffer, because the caller may reuse it.
    const reused = Buffer.from(chunk);
    scanner.push(reused);
    reused.fill(0);
  }
  scanner.end();
  return found;
}

describe('line scanner', () => {
  it('hands out the lines that the splitter gives, whatever the chunk borders', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '\t', '\ufeff'), maxLength: 40 });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(text, sizes, (whole, lengths) => {
        const bytes = Buffer.from(whole);
        const pieces: Uint8Array[] = [];
        for (let from = 0, i = 0; from < bytes.length; i++) {
          pieces.push(bytes.subarray(from, from + lengths[i % 40]));
          from += lengths[i % 40];
        }
        const expected = splitLines(pieces).map((line, i): [number, string] => [i + 1, line]);
        expect(scan(pieces)).toEqual(expected);
      }),
    );
  });

  it('keeps a carriage return and refuses a line without end', () => {
    expect(scan([Buffer.from('a\r\nb')])).toEqual([
      [1, 'a\r'],
      [2, 'b'],
    ]);
    const endless = Array.from({ length: 10 }, () => Buffer.from('abcdefghij'));
    expect(() => scan([Buffer.from('x\n'), ...endless], 20)).toThrow(FormatError);
    expect(() => scan([Buffer.from('x\n'), ...endless], 20)).toThrow(/line 2: longer than 20/);
  });
});
