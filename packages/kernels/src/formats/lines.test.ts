import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from './format-error.js';
import { lineBatches, lines, splitLines, type TextSource } from './lines.js';

async function collect(source: TextSource, maxLineLength?: number): Promise<string[]> {
  const out: string[] = [];
  for await (const line of lines(source, { maxLineLength })) out.push(line);
  return out;
}

/** Cuts bytes at the given fractions. */
function cut(bytes: Uint8Array, fractions: number[]): Uint8Array[] {
  const borders = [0, ...fractions.map((f) => Math.floor(f * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return borders.slice(1).map((end, i) => bytes.subarray(borders[i], end));
}

describe('lines', () => {
  it('does not depend on chunk borders, inside characters and line ends included', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', '\t', 'é', '中', '😀', ' '), maxLength: 12 });
    const end = fc.constantFrom('\n', '\r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(line, end)),
        line,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
        async (rows, last, fractions) => {
          const text = rows.map(([row, stop]) => row + stop).join('') + last;
          const wanted = rows.map(([row]) => row).concat(last === '' ? [] : [last]);
          const bytes = new TextEncoder().encode(text);
          expect(await collect(cut(bytes, fractions))).toEqual(wanted);
          expect(splitLines(text)).toEqual(wanted);
        },
      ),
    );
  });

  it('gives the same numbers for single lines as for bytes', async () => {
    const many = Array.from({ length: 2500 }, (_, i) => `line ${i + 1}`);
    for (const source of [many, many.join('\n')] as TextSource[]) {
      let seen = 0;
      for await (const batch of lineBatches(source)) {
        expect(batch.lines[0]).toBe(`line ${batch.firstLine}`);
        seen += batch.lines.length;
      }
      expect(seen).toBe(2500);
    }
  });

  it('reads a line that is not UTF-8 as Latin-1 and leaves its neighbours alone', () => {
    const bytes = Uint8Array.of(0xc3, 0xa9, 10, 0xe9, 10, 0x61);
    expect(splitLines(bytes)).toEqual(['é', 'é', 'a']);
  });

  it('drops a byte order mark at the start only', () => {
    expect(splitLines('\ufeffa\n\ufeffb')).toEqual(['a', '\ufeffb']);
  });

  it('refuses a line above the limit, wherever the borders are', async () => {
    const bytes = new TextEncoder().encode(`ok\r\n${'é'.repeat(10)}\r\n${'x'.repeat(11)}\nz`);
    for (const size of [1, 2, 3, 7, 100]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      await expect(collect(chunks, 10)).rejects.toThrowError(/^line 3: longer than 10 characters/);
      expect((await collect(chunks, 11)).length).toBe(4);
    }
    expect(() => splitLines([bytes], { maxLineLength: 10 })).toThrowError(FormatError);
  });

  it('stops carrying an endless line', () => {
    const endless = Array.from({ length: 50 }, () => new Uint8Array(100).fill(65));
    expect(() => splitLines(endless, { maxLineLength: 100 })).toThrowError(/longer than 100/);
  });
});
