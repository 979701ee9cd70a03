import { useState } from 'react';

/** A column by which a reader has sorted a table. */
export interface Sorting<Column extends string> {
  by: Column;
  descending: boolean;
}

/**
 * Returns the sorting of a table; what a click on a column does: ascending, descending, then the order of the service again; and what sets
 * the sorting at once.
 */
export function useSorting<Column extends string>(): [
  Sorting<Column> | null,
  (column: Column) => void,
  (sorting: Sorting<Column> | null) => void,
] {
  const [sorting, setSorting] = useState<Sorting<Column> | null>(null);
  return [sorting, (column) => setSorting((before) => nextSorting(before, column)), setSorting];
}

export function nextSorting<Column extends string>(
  before: Sorting<Column> | null,
  by: Column,
): Sorting<Column> | null {
  if (before?.by !== by) return { by, descending: false };
  return before.descending ? null : { by, descending: true };
}

/** Sorts rows by a value. Rows without a value are last in either direction, and equal ones stay in their order. */
export function sorted<Row, Column extends string>(
  rows: readonly Row[],
  sorting: Sorting<Column> | null,
  valueOf: (row: Row, column: Column) => string | number | null,
): readonly Row[] {
  if (sorting === null) return rows;
  const { by, descending } = sorting;
  const sign = descending ? -1 : 1;
  const valued = rows.map((row) => ({ row, value: valueOf(row, by) }));
  valued.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    return sign * compared(a.value, b.value);
  });
  return valued.map(({ row }) => row);
}

const texts = new Intl.Collator('en', { numeric: true });

function compared(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : texts.compare(String(a), String(b));
}

export function ariaSort<Column extends string>(
  sorting: Sorting<Column> | null,
  column: Column,
): 'ascending' | 'descending' | 'none' {
  if (sorting?.by !== column) return 'none';
  return sorting.descending ? 'descending' : 'ascending';
}
