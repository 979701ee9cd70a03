import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonWithList, sixDigits, tsvLine } from './stream.js';

async function* pagesOf<T>(pages: T[][]) {
  yield* pages;
}

it('jsonWithList is what JSON.stringify says of the whole, however the list is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.array(fc.jsonValue(), { maxLength: 4 }), { maxLength: 5 }),
      async (head, pages) => {
        const { list: _taken, ...rest } = head;
        let text = '';
        for await (const chunk of jsonWithList(rest, 'list', pagesOf(pages), (row) => row)) text += chunk;
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...rest, list: pages.flat() })));
      },
    ),
  );
});

it('tsvLine keeps one row on one line with all its cells', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
      (cells) => {
        const line = tsvLine(cells);
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\r\n]/);
        expect(line.split('\t')).toHaveLength(cells.length);
      },
    ),
  );
});

it('sixDigits keeps six significant digits', () => {
  expect(sixDigits(0.123456789)).toBe(0.123457);
  expect(sixDigits(1234567)).toBe(1_234_570);
  expect(sixDigits(null)).toBeNull();
});
