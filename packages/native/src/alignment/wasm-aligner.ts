import { readFileSync } from 'node:fs';
import {
  type AlignmentMode,
  type AlignmentPairs,
  type AlignmentScoring,
  type AlignmentTable,
  type AlignOptions,
  type PairAligner,
  abortError,
  alignmentTable,
  checkPairs,
  checkScoring,
  defaultScoring,
  paddingCode,
} from '@kindred/kernels/alignment';
import { reserveMemory, type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { type LaneBatch, paddedMatrix, planBatches } from './plan.js';

const modes: Record<AlignmentMode, number> = { global: 0, local: 1, overlap: 2 };
const lanes16 = 8;
/** The memory for traces in bytes. Longer alignments are computed in blocks, twice. */
const defaultTraceBytes = 32 << 20;

interface AlignmentModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  /** Aligns a batch. Returns 1 if it was stopped. */
  align_16(batch: number): number;
  align_32(batch: number): number;
  work_bytes_16(rows: bigint, columns: bigint, block: bigint): bigint;
  work_bytes_32(rows: bigint, columns: bigint, block: bigint): bigint;
}

let compiled: WasmModule | undefined;

/** @param stopped a function that the kernels call regularly */
function instantiate(stopped: () => boolean): AlignmentModule {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../../wasm/alignment.wasm', import.meta.url)));
  const imports = { caller: { stopped: () => (stopped() ? 1 : 0) } };
  return new webAssembly.Instance(compiled, imports).exports as unknown as AlignmentModule;
}

/**
 * Aligns eight pairs at a time in WebAssembly SIMD; pairs whose scores may exceed 16 bits are aligned one by one in 32 bits. Results are
 * identical to alignPlain. Use one instance for each thread: it keeps its memory (at most about traceBytes plus 32 bytes for a residue of
 * the longest query) between calls.
 *
 * @param traceBytes memory for traces; smaller values take more time, but do not change results
 * @cite Rognes2011
 */
export function createWasmAligner(traceBytes: number = defaultTraceBytes): PairAligner {
  let isAborted: (() => boolean) | undefined;
  const module = instantiate(() => isAborted?.() ?? false);
  return {
    name: 'wasm',
    align(pairs, options) {
      const scoring = options.scoring ?? defaultScoring;
      checkScoring(scoring);
      checkPairs(pairs);
      isAborted = options.isAborted;
      return new WasmRun(module, pairs, { ...options, scoring }, traceBytes).run();
    },
  };
}

interface BatchShape {
  pairs: Int32Array;
  lanes: number;
  rows: number;
  columns: number;
}

/** One call of align(): writes batches into the module's memory and reads the counts. */
class WasmRun {
  readonly #table: AlignmentTable;
  #done = 0;

  readonly #module: AlignmentModule;
  readonly #pairs: AlignmentPairs;
  readonly #options: AlignOptions & { scoring: AlignmentScoring };
  readonly #traceBytes: number;

  constructor(
    module: AlignmentModule,
    pairs: AlignmentPairs,
    options: AlignOptions & { scoring: AlignmentScoring },
    traceBytes: number,
  ) {
    this.#module = module;
    this.#pairs = pairs;
    this.#options = options;
    this.#traceBytes = traceBytes;
    this.#table = alignmentTable(pairs.query.length);
  }

  run(): AlignmentTable {
    const plan = planBatches(this.#pairs, this.#options.scoring, lanes16, 1);
    for (const batch of plan.batches) this.#alignBatch(batch);
    for (const pair of plan.wide) this.#alignBatch({ lanes: Int32Array.of(pair), groups: 1 });
    return this.#table;
  }

  #alignBatch({ lanes }: LaneBatch): void {
    if (this.#options.isAborted?.()) throw abortError();
    const { sequences, query, target } = this.#pairs;
    const used = lanes.filter((pair) => pair >= 0);
    const shape: BatchShape = {
      pairs: lanes,
      lanes: lanes.length,
      rows: sequences[query[used[0]]].length,
      columns: used.reduce((longest, pair) => Math.max(longest, sequences[target[pair]].length), 0),
    };
    const { batchAt, outAt } = this.#write(shape);
    const { align_16, align_32 } = this.#module;
    const stopped = shape.lanes === lanes16 ? align_16(batchAt) : align_32(batchAt);
    if (stopped !== 0) throw abortError();
    const out = new Int32Array(this.#module.memory.buffer, outAt, shape.lanes * 5);
    for (const [lane, pair] of lanes.entries()) if (pair >= 0) this.#read(out.subarray(lane * 5), pair);
    this.#done += used.length;
    this.#options.onProgress?.(this.#done);
  }

  #read(out: Int32Array, pair: number): void {
    const { score, identical, similar, gaps, length } = this.#table;
    score[pair] = out[0];
    identical[pair] = out[1];
    similar[pair] = out[2];
    gaps[pair] = out[3];
    length[pair] = out[4];
  }

  /** Writes the batch in the layout of align-body.h. */
  #write(shape: BatchShape): { batchAt: number; outAt: number } {
    const { lanes, rows, columns } = shape;
    const narrow = lanes === lanes16;
    const cellBytes = narrow ? 4 : 1;
    const block = Math.max(
      Math.floor(this.#traceBytes / (rows * cellBytes)),
      Math.ceil(Math.sqrt(columns)),
      1,
    );
    const workBytes = (narrow ? this.#module.work_bytes_16 : this.#module.work_bytes_32)(
      BigInt(rows),
      BigInt(columns),
      BigInt(block),
    );
    let at = (Number(this.#module.__heap_base.value) + 63) & ~63;
    const place = (bytes: number): number => {
      const start = at;
      at += (bytes + 63) & ~63;
      return start;
    };
    const batchAt = place(64);
    const outAt = place(lanes * 20);
    const queryLengthAt = place(lanes * 4);
    const targetLengthAt = place(lanes * 4);
    const matrixAt = place(1024);
    const queryAt = place(rows);
    const targetAt = place(columns * lanes + 16);
    const workAt = place(Number(workBytes));
    this.#reserve(at);
    const { buffer } = this.#module.memory;
    const { scoring, mode } = this.#options;
    const head = [modes[mode], scoring.gapOpen, scoring.gapExtend, rows, columns, block, 1];
    const pointers = [queryAt, targetAt, matrixAt, queryLengthAt, targetLengthAt, workAt, outAt];
    new Int32Array(buffer, batchAt, 14).set([...head, ...pointers]);
    new Int8Array(buffer, matrixAt, 1024).set(paddedMatrix(scoring));
    const lengths = {
      query: new Int32Array(buffer, queryLengthAt, lanes),
      target: new Int32Array(buffer, targetLengthAt, lanes),
    };
    this.#writeResidues(
      shape,
      new Uint8Array(buffer, queryAt, rows),
      new Uint8Array(buffer, targetAt, columns * lanes),
      lengths,
    );
    return { batchAt, outAt };
  }

  #writeResidues(
    shape: BatchShape,
    queryCodes: Uint8Array,
    targetCodes: Uint8Array,
    lengths: { query: Int32Array; target: Int32Array },
  ): void {
    const { sequences, query, target } = this.#pairs;
    targetCodes.fill(paddingCode);
    lengths.query.fill(0);
    lengths.target.fill(0);
    for (const [lane, pair] of shape.pairs.entries()) {
      if (pair < 0) continue;
      const codes = sequences[target[pair]];
      for (let j = 0; j < codes.length; j++) targetCodes[j * shape.lanes + lane] = codes[j];
      queryCodes.set(sequences[query[pair]]);
      lengths.query[lane] = shape.rows;
      lengths.target[lane] = codes.length;
    }
  }

  #reserve(bytes: number): void {
    reserveMemory(
      this.#module.memory,
      bytes,
      (megabytes) => `aligning sequences this long needs ${megabytes} MB, but this memory is not available`,
    );
  }
}
