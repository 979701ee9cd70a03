import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

export type ParquetType = 'STRING' | 'FLOAT' | 'INT32' | 'BOOLEAN';
export interface ParquetColumn {
  name: string;
  type: ParquetType;
  nullable: boolean;
}
/** A column of a group has texts, or numbers in which NaN stands for null. Booleans are 0 and 1. */
export type ParquetValues = readonly (string | null)[] | Float32Array | Int32Array;
export interface ParquetGroup {
  rowCount: number;
  /** Each column has its values by its name: [rowCount] */
  values: Readonly<Record<string, ParquetValues>>;
}

/**
 * Streams a Parquet file (Snappy, one row group per input group) while it is written; memory holds one group
 * and its encoding. NaN becomes null. A file without groups has its schema and no rows.
 * @throws RangeError for a group that lacks a column, has another length, or has a null in a column that
 * forbids it
 */
export async function* parquetBytes(
  columns: readonly ParquetColumn[],
  groups: AsyncIterable<ParquetGroup>,
  createdBy: string,
): AsyncGenerator<Uint8Array> {
  const out = new DrainedWriter();
  const writer = new ParquetWriter({ writer: out, schema: schemaOf(columns), createdBy });
  for await (const group of groups) {
    if (group.rowCount === 0) continue;
    await writer.write({
      columnData: columns.map((column) => ({ name: column.name, data: dataOf(column, group) })),
      rowGroupSize: group.rowCount,
    });
    yield out.drain();
  }
  await writer.finish();
  yield out.drain();
}

function schemaOf(columns: readonly ParquetColumn[]) {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type, nullable }) => ({
      name,
      repetition_type: nullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
      ...(type === 'STRING'
        ? {
            type: 'BYTE_ARRAY' as const,
            converted_type: 'UTF8' as const,
            logical_type: { type: 'STRING' as const },
          }
        : { type }),
    })),
  ];
}

function dataOf({ name, type, nullable }: ParquetColumn, group: ParquetGroup) {
  const values = group.values[name];
  if (values?.length !== group.rowCount)
    throw new RangeError(`column ${name} has ${values?.length} values, expected ${group.rowCount}`);
  const hasNull = Array.isArray(values)
    ? values.includes(null)
    : values instanceof Float32Array && values.some(Number.isNaN);
  if (hasNull && !nullable) throw new RangeError(`column ${name} has a null, which its type forbids`);
  if (type === 'STRING') return values as string[];
  const numbers = values as Float32Array | Int32Array;
  if (type === 'BOOLEAN')
    return Array.from(numbers, (value) => (Number.isNaN(value) ? null : value !== 0)) as boolean[];
  if (hasNull) return Array.from(numbers, (value) => (Number.isNaN(value) ? null : value)) as number[];
  return type === 'INT32' ? Int32Array.from(numbers) : Float32Array.from(numbers);
}

/** Returns the bytes written so far and drops them; file offsets continue. */
class DrainedWriter extends ByteWriter {
  drain(): Uint8Array {
    const bytes = new Uint8Array(this.getBuffer());
    // The index is the position in the buffer, not the offset in the file; the library's file writer resets
    // it in the same way.
    this.index = 0;
    return bytes;
  }
}
