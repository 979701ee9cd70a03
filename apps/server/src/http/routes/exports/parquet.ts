import { exportColumns, exportLists, exportProteinColumns } from '@kindred/contracts/resources/exports';
import { answerColumn, type AnswerColumn } from '@kindred/kernels/answer';
import { yieldToEventLoop } from '../../../ground/event-loop.js';
import {
  type ParquetColumn,
  parquetBytes,
  type ParquetGroup,
  type ParquetValues,
} from '../../../ground/parquet-stream.js';
import { type ExportedFile, type Pages, tableLines, type Value, wideValues } from './formats.js';
import type { SelectedRows } from './select.js';

const parquetTypes = { text: 'STRING', integer: 'INT32', number: 'FLOAT', flag: 'BOOLEAN' } as const;

/** The columns have types, units and meanings from the list of the fields of an answered term. */
const longColumns: readonly ParquetColumn[] = exportColumns.map((name) => {
  const { type } = answerColumn(name);
  return { name, type: parquetTypes[type], nullable: true };
});
const wideColumns: readonly ParquetColumn[] = [
  ...Object.entries(exportProteinColumns).map(([name, type]) => ({
    name,
    type: parquetTypes[type],
    nullable: name !== 'protein',
  })),
  ...exportLists.map(({ name, field }) => ({
    ...{ name, type: parquetTypes[answerColumn(field).type] },
    ...{ nullable: false, isList: true },
  })),
];

/** Terms that are in memory at once; a file of smaller groups is read slowly. */
const rowsPerGroup = 2048;
/** Proteins that are in memory at once, with all their terms. */
const proteinsPerGroup = 512;

/** Yields the bytes of a table with a row for each protein and term, as in the table of text. */
export function parquetTable(pages: Pages, file: Pick<ExportedFile, 'header'>, rows = rowsPerGroup) {
  const valuesOf = (protein: SelectedRows) =>
    tableLines(protein).map((line) => exportColumns.map((name) => line[name]));
  const meanings = exportColumns.map((name) => [name, meaningOf(answerColumn(name))] as const);
  return parquetFile(longColumns, groupsOf(pages, longColumns, { valuesOf, rows }), file.header, meanings);
}

/** Yields the bytes of a table with a row for each protein, whose terms of an aspect are lists. */
export function parquetWideTable(pages: Pages, file: Pick<ExportedFile, 'header'>, rows = proteinsPerGroup) {
  const valuesOf = (protein: SelectedRows) => {
    const { own, lists } = wideValues(protein);
    return [[...own, ...lists.map(({ values }) => values)]];
  };
  const meanings = exportLists.map(({ name, field }) => [name, meaningOf(answerColumn(field))] as const);
  return parquetFile(wideColumns, groupsOf(pages, wideColumns, { valuesOf, rows }), file.header, meanings);
}

function meaningOf({ unit, meaning }: AnswerColumn): string {
  return unit === null ? meaning : `${meaning} (${unit})`;
}

function parquetFile(
  columns: readonly ParquetColumn[],
  groups: AsyncIterable<ParquetGroup>,
  header: ExportedFile['header'],
  meanings: readonly (readonly [string, string])[],
): AsyncGenerator<Uint8Array> {
  const [, createdBy = 'Kindred'] = header.find(([name]) => name === 'generated-by') ?? [];
  return parquetBytes(columns, groups, createdBy, {
    provenance: JSON.stringify(header),
    columns: JSON.stringify(Object.fromEntries(meanings)),
  });
}

type RowValue = Value | Value[];

async function* groupsOf(
  pages: Pages,
  columns: readonly ParquetColumn[],
  { valuesOf, rows }: { valuesOf: (protein: SelectedRows) => RowValue[][]; rows: number },
): AsyncGenerator<ParquetGroup> {
  let waiting: RowValue[][] = [];
  const group = (values: RowValue[][]): ParquetGroup => ({
    rowCount: values.length,
    values: Object.fromEntries(
      columns.map(({ name, type }, at) => [
        name,
        values.map((row) => (type === 'BOOLEAN' ? numberOf(row[at]) : row[at])) as ParquetValues,
      ]),
    ),
  });
  for await (const page of pages) {
    for (const row of page.flatMap(valuesOf)) waiting.push(row);
    if (waiting.length >= rows) {
      yield group(waiting);
      waiting = [];
    }
    await yieldToEventLoop();
  }
  yield group(waiting);
}

/** A flag is 0 or 1 in a group. */
const numberOf = (value: RowValue): number | null => (value === null ? null : Number(value));
