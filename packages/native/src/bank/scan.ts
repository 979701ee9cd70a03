import { readFileSync } from 'node:fs';
import { type WasmMemory, type WasmModule, webAssembly } from '../webassembly.js';

interface ScanModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  // oxlint-disable-next-line eslint/max-params -- the signature of the compiled function
  not_below(score: number, scale: number, bias: number, count: number, least: number, hits: number): number;
}

/** Columns looked at in one call, so that a threshold found on the way serves for the rest. */
export const scanColumns = 2048;

/** Arrays in the memory of the WebAssembly kernel, for scores of queryRows x columns. */
export interface ScoreScan {
  /** Float32 [queryRows x columns] */
  readonly scores: Float32Array;
  /** Float32 [columns]: what a score is multiplied with, and what is then added. */
  readonly scale: Float32Array;
  readonly bias: Float32Array;
  /** Int32 [scanColumns]: filled by `find`. */
  readonly hits: Int32Array;
  /**
   * Finds the columns from `first` on, `count` (at most scanColumns) of them, where score * scale + bias of the scores
   * from place `at` on is not below `least`; one that is not a number is not. Numbers in `hits` count from `first`.
   */
  find(at: number, first: number, count: number, least: number): number;
}

let compiled: WasmModule | undefined;

export function createScoreScan(queryRows: number, columns: number): ScoreScan {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../../wasm/scan.wasm', import.meta.url)));
  const { memory, __heap_base, not_below } = new webAssembly.Instance(compiled)
    .exports as unknown as ScanModule;
  const floats = queryRows * columns + 2 * columns + scanColumns;
  const start = Math.ceil(__heap_base.value / 64) * 64;
  const missing = start + 4 * floats - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65_536));
  let at = start;
  const place = (count: number) => {
    const here = at;
    at += 4 * count;
    return here;
  };
  const [scores, scale, bias, hits] = [queryRows * columns, columns, columns, scanColumns].map(place);
  return {
    scores: new Float32Array(memory.buffer, scores, queryRows * columns),
    scale: new Float32Array(memory.buffer, scale, columns),
    bias: new Float32Array(memory.buffer, bias, columns),
    hits: new Int32Array(memory.buffer, hits, scanColumns),
    find: (from, first, count, least) =>
      not_below(scores + 4 * from, scale + 4 * first, bias + 4 * first, count, least, hits),
  };
}
