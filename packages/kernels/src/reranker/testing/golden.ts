import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseLightgbmModel, type TreeEnsemble } from '../index.js';

type Cell = number | string | boolean | null;

/** A model trained with LightGBM, input rows, and LightGBM's predictions for them; see golden/README.md. */
export interface GoldenCase {
  name: string;
  rows: Cell[][];
  predictions: number[][];
  raw: number[][];
  leaves: number[][];
  limit?: number;
  limited?: number[][];
}

const read = (name: string) =>
  gunzipSync(readFileSync(new URL(`../golden/${name}`, import.meta.url))).toString();

export function goldenCases(): GoldenCase[] {
  return JSON.parse(read('cases.json.gz')).cases;
}

/** Reads LightGBM's feature contributions to the raw scores of the first rows of a case: rows x (outputs x (features + 1)). */
export function goldenContributions(): { name: string; contributions: number[][] }[] {
  return JSON.parse(read('contributions.json.gz')).cases;
}

export function goldenModelText(name: string): string {
  return read(`models/${name}.txt.gz`);
}

export function goldenModel(name: string): TreeEnsemble {
  return parseLightgbmModel(goldenModelText(name));
}

/** Turns rows into numbers: "NaN" and null are missing values, and categories become their codes. */
export function goldenRows(
  test: GoldenCase,
  encode: ((column: number, value: string | number | boolean) => number) | null,
): number[][] {
  return test.rows.map((row) =>
    row.map((cell, column) => {
      if (cell === null || cell === 'NaN') return Number.NaN;
      return encode === null ? Number(cell) : encode(column, cell);
    }),
  );
}
