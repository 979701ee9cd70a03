import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { PairAligner } from '@kindred/kernels/alignment';
import { createNativeAligner } from './alignment/native-aligner.js';
import { openNativeBank } from './bank/native-bank.js';
import type { NeighbourIndex } from './bank/neighbour-index.js';

/** Sets of processor instructions, best first. `plain` runs everywhere. */
export type Instructions = 'avx512' | 'avxvnni' | 'avx2' | 'plain';

/** What the compiled module exports; src-cc/addon.cc checks every argument. */
export interface NativeAddon {
  instructions(options: object): Instructions[];
  openBank(options: { path: string }): unknown;
  closeBank(options: { bank: unknown }): void;
  search(request: {
    bank: unknown;
    instructions: Instructions;
    /** Float32 [rows x dimension]; rows of query q are rowStart[q] .. rowStart[q + 1). */
    vectors: Float32Array;
    rowStart: Int32Array;
    /** Sequence number that a query must not meet, or -1: Int32 [queries]. */
    excluded: Int32Array;
    subsets: number;
    /** Uint8 [references], bit s for subset s; left out for one subset of all. */
    subsetBits?: Uint8Array;
    cosine: 0 | 1;
    k: number;
    threshold: number;
    threads: number;
    /** Int32 [2], best over shared memory: [0] not 0 stops the search, [1] counts finished queries. */
    control?: Int32Array;
    /** Out: [subsets x queries x k]. */
    neighbours: Int32Array;
    distances: Float32Array;
  }): { aborted: number; uncertified: number; compared: number };
  alignShape(options: { instructions: Instructions }): { lanes: number; groups: number };
  align(request: {
    instructions: Instructions;
    codes: Uint8Array;
    start: Int32Array;
    query: Int32Array;
    target: Int32Array;
    lanes: Int32Array;
    groups: Uint8Array;
    mode: number;
    gapOpen: number;
    gapExtend: number;
    matrix: Int8Array;
    traceBytes: number;
    out: Int32Array;
    /** Asked now and then; true stops the call. */
    isAborted?: () => boolean;
  }): /* False when it was stopped. */ boolean;
}

export interface NativeKernels {
  /** Instruction set in use. */
  readonly instructions: Instructions;
  /** All that this processor runs. */
  readonly available: readonly Instructions[];
  /**
   * Aligns pairs in vector lanes (one at a time in 32 bits where only plain instructions run; WebAssembly is faster
   * there). One aligner serves one thread.
   *
   * @param traceBytes Memory for traces; smaller values cost time, never results.
   */
  createAligner(traceBytes?: number): PairAligner;
  /** Maps a bank; all processes and threads that map it share the memory. */
  openBank(path: string): NeighbourIndex;
}

export interface NativeOptions {
  /** `on`, `off`, or the instruction set to use instead of the best. @default on */
  use?: string;
  /** The compiled module. @default packages/native/build/kindred_native.node */
  file?: string;
}

const builtFile = fileURLToPath(new URL('../build/kindred_native.node', import.meta.url));

/**
 * The native kernels, or null where they were not built or are switched off; everything works, and gives the same
 * answers, without them.
 *
 * @throws RangeError for an instruction set that does not run here; Error when the compiled module cannot be loaded
 */
export function loadNative(options: NativeOptions = {}): NativeKernels | null {
  const use = options.use ?? 'on';
  const file = options.file ?? builtFile;
  if (use === 'off' || !existsSync(file)) return null;
  const addon = createRequire(import.meta.url)(file) as NativeAddon;
  const available = addon.instructions({});
  const instructions = (use === 'on' ? available[0] : use) as Instructions;
  if (!available.includes(instructions)) {
    throw new RangeError(
      `native kernels: ${use} does not run here; it may be off, on, ${available.join(', ')}`,
    );
  }
  return {
    instructions,
    available,
    createAligner: (traceBytes) => createNativeAligner(addon, instructions, traceBytes),
    openBank: (path) => openNativeBank(addon, instructions, path),
  };
}
