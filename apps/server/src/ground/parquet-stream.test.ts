import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ParquetColumn, type ParquetGroup, parquetBytes } from './parquet-stream.js';

let folder: string;
let duckdb: DuckDBInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-parquet-'));
  duckdb = await DuckDBInstance.create(':memory:');
});
afterAll(async () => {
  duckdb?.closeSync();
  await rm(folder, { recursive: true });
});

const columns: ParquetColumn[] = [
  { name: 'protein', type: 'STRING', nullable: false },
  { name: 'qualifier', type: 'STRING', nullable: true },
  { name: 'distance', type: 'FLOAT', nullable: true },
  { name: 'votes', type: 'INT32', nullable: true },
  { name: 'label', type: 'INT32', nullable: false },
  { name: 'known', type: 'BOOLEAN', nullable: true },
];
interface Row {
  protein: string;
  qualifier: string | null;
  distance: number | null;
  votes: number | null;
  label: number;
  known: boolean | null;
}

const numbers = (values: (number | boolean | null)[]) =>
  Float32Array.from(values, (value) => (value === null ? Number.NaN : Number(value)));
const groupOf = (rows: Row[]): ParquetGroup => ({
  rowCount: rows.length,
  values: {
    protein: rows.map((row) => row.protein),
    qualifier: rows.map((row) => row.qualifier),
    distance: numbers(rows.map((row) => row.distance)),
    votes: numbers(rows.map((row) => row.votes)),
    label: Int32Array.from(rows, (row) => row.label),
    known: numbers(rows.map((row) => row.known)),
  },
});
async function* each<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}
let files = 0;
async function fileOf(groups: Row[][]): Promise<string> {
  const path = join(folder, `${files++}.parquet`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of parquetBytes(columns, each(groups.map(groupOf)), 'test')) chunks.push(chunk);
  await writeFile(path, Buffer.concat(chunks));
  return path;
}
async function query(text: string): Promise<Record<string, unknown>[]> {
  const connection = await duckdb.connect();
  try {
    return (await connection.runAndReadAll(text)).getRowObjectsJS();
  } finally {
    connection.closeSync();
  }
}

const rowValue = fc.record<Row>({
  protein: fc.string({ unit: 'grapheme', maxLength: 12 }),
  qualifier: fc.option(fc.constantFrom('enables', 'NOT|enables', '')),
  distance: fc.option(fc.float({ noNaN: true, noDefaultInfinity: true })),
  votes: fc.option(fc.integer({ min: -(2 ** 24), max: 2 ** 24 })),
  label: fc.integer({ min: 0, max: 1 }),
  known: fc.option(fc.boolean()),
});

describe('a Parquet file, read back by DuckDB', () => {
  it('has the values that went in, nulls as nulls, in order, whatever the groups', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(rowValue, { maxLength: 40 }), { maxLength: 4 }), async (groups) => {
        const path = await fileOf(groups);
        const read = await query(`select * from '${path}'`);
        const plain = (row: Row) => ({
          ...row,
          distance: row.distance === 0 ? 0 : row.distance,
          votes: row.votes === 0 ? 0 : row.votes,
        });
        expect(read.map((row) => plain(row as never))).toEqual(groups.flat().map(plain));
      }),
      { numRuns: 40 },
    );
  });

  it('has the documented types', async () => {
    const path = await fileOf([]);
    const described = await query(`describe select * from '${path}'`);
    expect(described.map((row) => [row.column_name, row.column_type])).toEqual([
      ['protein', 'VARCHAR'],
      ['qualifier', 'VARCHAR'],
      ['distance', 'FLOAT'],
      ['votes', 'INTEGER'],
      ['label', 'INTEGER'],
      ['known', 'BOOLEAN'],
    ]);
    expect(await query(`select count(*)::integer as n from '${path}'`)).toEqual([{ n: 0 }]);
  });

  it('has one row group for each group', async () => {
    const row: Row = { protein: 'P1', qualifier: null, distance: 0.5, votes: 1, label: 1, known: null };
    const path = await fileOf([[row, row], [], [row]]);
    const groups = await query(
      `select distinct row_group_id::integer as id, row_group_num_rows::integer as n from parquet_metadata('${path}') order by id`,
    );
    expect(groups).toEqual([
      { id: 0, n: 2 },
      { id: 1, n: 1 },
    ]);
  });
});

describe('a group that does not fit', () => {
  it.each<[string, Partial<Record<string, unknown>>]>([
    ['column votes has undefined values, expected 1', { votes: undefined }],
    ['column label has 2 values, expected 1', { label: new Int32Array(2) }],
    ['column protein has a null', { protein: [null] }],
  ])('is refused: %s', async (message, change) => {
    const row: Row = { protein: 'P1', qualifier: null, distance: 0.5, votes: 1, label: 1, known: null };
    const group = groupOf([row]);
    const broken = { ...group, values: { ...group.values, ...change } } as ParquetGroup;
    await expect(async () => {
      for await (const _ of parquetBytes(columns, each([broken]), 'test'));
    }).rejects.toThrow(message);
  });
});
