import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { PairAligner } from '@kindred/kernels/alignment';
import type { CandidateFinder, SeedIndex } from '@kindred/kernels/homology';
import { addonInterface, type Instructions, type NativeAddon } from './addon.js';
import { createNativeAligner } from './alignment/native-aligner.js';
import { openNativeBank } from './bank/native-bank.js';
import type { NeighbourIndex } from './bank/neighbour-index.js';
import { createNativeCandidateFinder } from './homology/native-candidates.js';

export interface NativeKernels {
  /** Instruction set in use. */
  readonly instructions: Instructions;
  /** All instruction sets that this processor supports. */
  readonly available: readonly Instructions[];
  /**
   * Aligns pairs in vector lanes (with plain instructions one at a time in 32 bits; WebAssembly is then faster). Use one
   * aligner per thread.
   *
   * @param traceBytes Memory for traces; smaller values take more time, but do not change results.
   */
  createAligner(traceBytes?: number): PairAligner;
  /** Searches an index for relatives; use one finder per thread; threads can share the index. */
  createCandidateFinder(index: SeedIndex): CandidateFinder;
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
 * The native kernels, or null if they were not built or are switched off. Everything works without them, with identical
 * results.
 *
 * @throws RangeError for an instruction set that this processor does not support; Error when the compiled module cannot be
 * loaded, or was built from another version of its sources
 */
export function loadNative(options: NativeOptions = {}): NativeKernels | null {
  const use = options.use ?? 'on';
  const file = options.file ?? builtFile;
  if (use === 'off' || !existsSync(file)) return null;
  const addon = createRequire(import.meta.url)(file) as NativeAddon;
  checkInterface(addon, file);
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
    createCandidateFinder: (index) => createNativeCandidateFinder(addon, instructions, index),
    openBank: (path) => openNativeBank(addon, instructions, path),
  };
}

/** An old build takes and gives other arrays: it would find nothing instead of failing. */
function checkInterface(addon: Partial<NativeAddon>, file: string): void {
  if (addon.interface === addonInterface) return;
  throw new Error(
    `native kernels: ${file} was built from another version of the sources (its interface is ${addon.interface ?? 'older than 1'}, ` +
      `this version needs ${addonInterface}). Build it again with "node packages/native/tools/build-native.mjs --force", ` +
      'or start with SVC_NATIVE_KERNELS=off',
  );
}
