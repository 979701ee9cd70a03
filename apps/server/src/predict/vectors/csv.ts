import { createReadStream } from 'node:fs';
import { cellText, lineBatches, spreadsheetCell } from '@kindred/kernels/formats';
import { badVectorFile, type KeyedVector } from './keyed-vector.js';

/**
 * Reads vectors of a text file: an accession or an MD5, then the numbers, separated by commas, semicolons or
 * tabs. A first line without a number is a header.
 * @throws ProblemError bad_file naming the line
 */
export async function* readCsv(path: string, batchSize: number): AsyncGenerator<KeyedVector[]> {
  let batch: KeyedVector[] = [];
  let separator: string | null = null;
  for await (const { firstLine, lines } of lineBatches(createReadStream(path))) {
    for (const [i, line] of lines.entries()) {
      if (line.trim() === '' || line.startsWith('#')) continue;
      const isFirst = separator === null;
      separator ??= ['\t', ';', ','].find((one) => line.includes(one)) ?? ',';
      const [key, ...cells] = line.split(separator);
      if (isFirst && cells.length > 0 && !cells.some(isNumber)) continue;
      const fault = cells.findIndex((cell) => !isNumber(cell));
      if (cells.length === 0 || fault >= 0) {
        const found =
          cells.length === 0 ? 'no number' : `"${cells[fault].slice(0, 40)}" in column ${fault + 2}`;
        throw badVectorFile(`Line ${firstLine + i}: expected a key and numbers, found ${found}`);
      }
      batch.push({
        key: cellText(key.replaceAll(/^"|"$/g, '').trim()),
        name: null,
        vector: Float32Array.from(cells, Number),
      });
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/** Writes lines of `accession,v1,...`, without a header; `readCsv` reads them back. */
export async function* csvLines(batches: AsyncIterable<readonly KeyedVector[]>): AsyncGenerator<string> {
  for await (const batch of batches) {
    let text = '';
    for (const { key, vector } of batch) text += `${spreadsheetCell(key)},${Array.from(vector).join(',')}\n`;
    yield text;
  }
}
