import { expect } from 'vitest';
import { bytesOf, tableByKey } from './cases.js';
import { allTable, type MethodEvaluation } from '../publish/tables.js';

/** These columns hold text; all others are compared as numbers. */

const textColumns = ['filename', 'ns'];

export function linesOf(path: string): string[] {
  return new TextDecoder().decode(bytesOf(path)).trimEnd().split('\n');
}

/**
 * Compares two tables by method, namespace and threshold: both sides must have the same keys, and every cell must agree within `relative`
 * or `absolute`. Returns the number of cells that were compared.
 */
export function expectSameTable(
  found: string[],
  expected: string[],
  tolerance = { relative: 1e-9, absolute: 1e-12 },
): number {
  return compare(found, expected, (value, text) => {
    const allowed = Math.max(tolerance.absolute, tolerance.relative * Math.abs(Number(text)));
    return Math.abs(Number(value) - Number(text)) <= allowed;
  });
}

/** Expects every printed cell to be equal. Only a value on a rounding boundary (within 1e-11) may have the neighbouring decimal. */
export function expectSamePrinted(
  methods: MethodEvaluation[],
  weighted: boolean,
  table: { expected: string[]; decimals: number },
): number {
  const { expected, decimals } = table;
  const printed = [...allTable(methods, weighted, { decimals })];
  const header = printed[0].split('\t');
  const exact = new Map(
    [...allTable(methods, weighted, 'shortest')].slice(1).map((line, i) => {
      const cells = line.split('\t');
      const [filename, ns, tau] = printed[i + 1].split('\t');
      return [
        `${filename} ${ns} ${tau}`,
        Object.fromEntries(header.map((name, c) => [name, Number(cells[c])])),
      ];
    }),
  );
  return compare(printed, expected, (value, text, key, column) => {
    const unit = 10 ** -decimals;
    const boundary = (Number(value) + Number(text)) / 2;
    return (
      Math.abs(Number(value) - Number(text)) < 1.5 * unit &&
      Math.abs(exact.get(key)![column] - boundary) < 1e-11
    );
  });
}

function compare(
  found: string[],
  expected: string[],
  same: (value: string, text: string, key: string, column: string) => boolean,
): number {
  expect(found[0]).toBe(expected[0]);
  const [have, want] = [tableByKey(found), tableByKey(expected)];
  expect([...have.keys()].sort()).toEqual([...want.keys()].sort());
  let cells = 0;
  for (const [key, row] of want) {
    for (const [column, text] of Object.entries(row)) {
      cells++;
      const value = have.get(key)![column];
      if (value === text) continue;
      if (textColumns.includes(column) || !same(value, text, key, column)) {
        expect.fail(`${key} ${column}: ${value} where ${text} is expected`);
      }
    }
  }
  return cells;
}
