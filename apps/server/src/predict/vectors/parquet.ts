import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { badVectorFile, type KeyedVector } from './keyed-vector.js';

const keyNames = ['accession', 'id', 'key', 'sequence_md5', 'md5', 'protein', 'entry'];
const vectorNames = ['vector', 'embedding', 'embeddings', 'vectors'];

/**
 * Reads vectors of a Parquet file: a text column (accession, id, key, sequence_md5, ...) and a column of
 * lists of numbers (vector, embedding). One batch of rows is in memory at a time.
 * @throws ProblemError bad_file
 */
export async function* readParquet(path: string, batchSize: number): AsyncGenerator<KeyedVector[]> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file).catch((error) => {
    throw badVectorFile(`The Parquet file can't be read: ${error.message}`, error);
  });
  const columns = parquetSchema(metadata).children.map((child) => child.element.name);
  const find = (names: readonly string[]) => columns.find((name) => names.includes(name.toLowerCase()));
  const key = find(keyNames);
  const vector = find(vectorNames);
  if (key === undefined || vector === undefined) {
    throw badVectorFile(
      `Expected a column ${keyNames[0]} (or ${keyNames.slice(1).join(', ')}) and a column ${vectorNames[0]} (or ${vectorNames.slice(1).join(', ')}), found ${columns.join(', ')}`,
    );
  }
  const rowCount = Number(metadata.num_rows);
  for (let rowStart = 0; rowStart < rowCount; rowStart += batchSize) {
    const rowEnd = Math.min(rowCount, rowStart + batchSize);
    const options = { file, metadata, columns: [key, vector], rowStart, rowEnd };
    const rows = await parquetReadObjects(options).catch((error) => {
      throw badVectorFile(`The Parquet file can't be read: ${error.message}`, error);
    });
    yield rows.map((row, i) => ({
      key: String(row[key]),
      name: null,
      vector: numbers(row[vector], rowStart + i),
    }));
  }
}

function numbers(value: unknown, row: number): Float32Array {
  if (ArrayBuffer.isView(value)) return Float32Array.from(value as Float32Array);
  if (Array.isArray(value) && value.every((one) => typeof one === 'number')) return Float32Array.from(value);
  throw badVectorFile(`Row ${row} has no list of numbers`);
}

/** Writes columns accession (text) and vector (list of float32), one row group per batch. */
export async function writeParquet(
  path: string,
  batches: AsyncIterable<readonly KeyedVector[]>,
): Promise<void> {
  const writer = new ParquetWriter({
    writer: fileWriter(path),
    schema: [
      { name: 'root', num_children: 2 },
      { name: 'accession', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
      { name: 'vector', repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
    ],
  });
  for await (const batch of batches) {
    await writer.write({
      columnData: [
        { name: 'accession', data: batch.map(({ key }) => key) },
        { name: 'vector', data: batch.map(({ vector }) => Array.from(vector)) },
      ],
    });
  }
  await writer.finish();
}
