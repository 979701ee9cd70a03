import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';

export type ParquetType = 'STRING' | 'FLOAT' | 'INT32' | 'BOOLEAN';
export interface ParquetColumn {
  name: string;
  type: ParquetType;
  nullable: boolean;
  /** Whether each value is a list of values of the type, which may be null. @default false */
  isList?: boolean;
}
type Values<Value> = readonly (Value | null)[];
/** A column of a group has texts, numbers, lists of either, or typed numbers in which NaN stands for null. Booleans are 0 and 1. */
export type ParquetValues =
  | Values<string>
  | Values<number>
  | Values<Values<string>>
  | Values<Values<number>>
  | Float32Array
  | Int32Array;
export interface ParquetGroup {
  rowCount: number;
  /** Each column has its values by its name: [rowCount] */
  values: Readonly<Record<string, ParquetValues>>;
}

/**
 * Streams a Parquet file (Snappy, one row group per input group) while it is written; memory holds one group
 * and its encoding. NaN becomes null. A file without groups has its schema and no rows.
 * @param facts what the file says of itself, by name
 * @throws RangeError for a group that lacks a column, has another length, or has a null in a column that
 * forbids it
 */
export async function* parquetBytes(
  columns: readonly ParquetColumn[],
  groups: AsyncIterable<ParquetGroup>,
  createdBy: string,
  facts: Readonly<Record<string, string>> = {},
): AsyncGenerator<Uint8Array> {
  const out = new DrainedWriter();
  const kvMetadata = Object.entries(facts).map(([key, value]) => ({ key, value }));
  const writer = new ParquetWriter({ writer: out, schema: schemaOf(columns), createdBy, kvMetadata });
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

function schemaOf(columns: readonly ParquetColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.flatMap((column) => (column.isList === true ? listOf(column) : [leafOf(column)])),
  ];
}

function leafOf({ name, type, nullable }: Omit<ParquetColumn, 'isList'>): SchemaElement {
  const repetition = nullable ? 'OPTIONAL' : 'REQUIRED';
  if (type !== 'STRING') return { name, repetition_type: repetition, type };
  const text = { converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
  return { name, repetition_type: repetition, type: 'BYTE_ARRAY', ...text };
}

/** The three levels of a list, with the names that the format prescribes. */
function listOf({ name, type, nullable }: ParquetColumn): SchemaElement[] {
  return [
    {
      name,
      repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED',
      converted_type: 'LIST',
      logical_type: { type: 'LIST' },
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    leafOf({ name: 'element', type, nullable: true }),
  ];
}

function dataOf({ name, type, nullable, isList }: ParquetColumn, group: ParquetGroup) {
  const values = group.values[name];
  if (values?.length !== group.rowCount)
    throw new RangeError(`column ${name} has ${values?.length} values, expected ${group.rowCount}`);
  const hasNull = Array.isArray(values)
    ? values.some((value) => value === null)
    : values instanceof Float32Array && values.some(Number.isNaN);
  if (hasNull && !nullable) throw new RangeError(`column ${name} has a null, which its type forbids`);
  if (type === 'STRING' || isList === true) return values as string[];
  const numbers = Array.from(values as Values<number>, (value) =>
    value === null || Number.isNaN(value) ? null : value,
  );
  if (type === 'BOOLEAN') return numbers.map((value) => (value === null ? null : value !== 0)) as boolean[];
  if (hasNull) return numbers as number[];
  return type === 'INT32' ? Int32Array.from(numbers as number[]) : Float32Array.from(numbers as number[]);
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
