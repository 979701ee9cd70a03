import { readFileSync } from 'node:fs';
import { reserveMemory, type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { groupRows } from './format.js';

interface ScanModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  // oxlint-disable-next-line eslint/max-params -- the signature of the compiled function
  multiply(
    codes: number,
    queries: number,
    products: number,
    groups: number,
    words: number,
    stride: number,
  ): void;
  // oxlint-disable-next-line eslint/max-params -- the signature of the compiled function
  near_pairs(
    products: number,
    numbers: number,
    queries: number,
    stride: number,
    first: number,
    last: number,
    pairs: number,
    bounds: number,
    room: number,
  ): number;
}

/** The queries of a block as the kernel needs them. The length of each array is their number rounded up to eight. */
export interface ScanQueries {
  /** The bias, Int32: -128 times the sum of each query's codes. */
  bias: Int32Array;
  /** The scales, Float32; see src/bank/format.ts. */
  scale: Float32Array;
  onMean: Float32Array;
  rest: Float32Array;
  length: Float32Array;
  /** The bounds below which rows are skipped: Float32. */
  minBounds: Float32Array;
}

/** Arrays in the memory of the WebAssembly kernels, for blocks of rows and queries. */
export interface BlockScan {
  /** The codes of the block's groups in the layout of the bank: Uint8. */
  readonly codes: Uint8Array;
  /** The codes of the block's queries in the layout of QueryCodes: Int16. */
  readonly queryCodes: Int16Array;
  /** The five numbers of each row: Float32 [groups x 5 x 16]. */
  readonly numbers: Float32Array;
  /** The pairs that `find` found, Int32: row x columns + query, and the upper bound of each. */
  readonly pairs: Int32Array;
  readonly bounds: Float32Array;
  /** Multiplies the codes of `groups` groups with those of `columns` queries, a multiple of eight. */
  multiply(groups: number, columns: number): void;
  /** Returns views of the arrays for `columns` queries, a multiple of eight. */
  queries(columns: number): ScanQueries;
  /**
   * Finds the pairs whose bound is at least the minimum of their query, starting with row `first`. NaN bounds count as found.
   * @returns the number of pairs, and the row to continue with: less than `last` if the output is full
   */
  find(columns: number, first: number, last: number): { found: number; next: number };
}

let compiled: WasmModule | undefined;
const queryArrays = 6;

/**
 * @param columns maximum number of queries in a block, a multiple of eight; `rows` must be a multiple of sixteen, `width` of four
 * @throws RangeError if the machine does not give the memory
 */
export function createBlockScan(rows: number, width: number, columns: number): BlockScan {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../../wasm/scan.wasm', import.meta.url)));
  const module = new webAssembly.Instance(compiled).exports as unknown as ScanModule;
  const { memory, __heap_base } = module;
  // The kernel starts a row only if all its queries fit.
  const room = 16 * columns;
  const sizes = {
    codes: rows * width,
    queryCodes: columns * width * 2,
    numbers: (rows / groupRows) * 5 * groupRows * 4,
    products: rows * columns * 4,
    queries: queryArrays * columns * 4,
    pairs: (room + 1) * 4,
    bounds: room * 4,
  };
  const at = {} as Record<keyof typeof sizes, number>;
  let end = __heap_base.value;
  for (const [name, bytes] of Object.entries(sizes)) {
    end = Math.ceil(end / 64) * 64;
    at[name as keyof typeof sizes] = end;
    end += bytes;
  }
  reserveMemory(
    memory,
    end,
    (megabytes) => `searching vectors this long needs ${megabytes} MB, but this memory is not available`,
  );
  const { buffer } = memory;
  const pairs = new Int32Array(buffer, at.pairs, room + 1);
  return {
    codes: new Uint8Array(buffer, at.codes, sizes.codes),
    queryCodes: new Int16Array(buffer, at.queryCodes, columns * width),
    numbers: new Float32Array(buffer, at.numbers, sizes.numbers / 4),
    pairs,
    bounds: new Float32Array(buffer, at.bounds, room),
    multiply: (groups, used) =>
      module.multiply(at.codes, at.queryCodes, at.products, groups, width / 4, used),
    queries(used) {
      const floats = (n: number) => new Float32Array(buffer, at.queries + 4 * n * used, used);
      return {
        bias: new Int32Array(buffer, at.queries, used),
        scale: floats(1),
        onMean: floats(2),
        rest: floats(3),
        length: floats(4),
        minBounds: floats(5),
      };
    },
    find(used, first, last) {
      const { products, numbers, queries, bounds } = at;
      const found = module.near_pairs(products, numbers, queries, used, first, last, at.pairs, bounds, room);
      return { found, next: pairs[room] };
    },
  };
}
