import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { PairAligner } from '@kindred/kernels/alignment';
import type { CandidateFinder, SeedIndex } from '@kindred/kernels/homology';
import type { NetworkKernel, NetworkProgram } from '@kindred/kernels/network';
import { addonInterface, type Instructions, type NativeAddon } from './addon.js';
import { createNativeAligner } from './alignment/native-aligner.js';
import { openNativeBank } from './bank/native-bank.js';
import type { NeighbourIndex } from './bank/neighbour-index.js';
import { createNativeCandidateFinder } from './homology/native-candidates.js';
import { createNativeNetwork } from './network/native-network.js';

export interface NativeKernels {
  /** The instruction set in use. */
  readonly instructions: Instructions;
  /** All instruction sets that this processor supports. */
  readonly available: readonly Instructions[];
  /**
   * Aligns pairs in vector lanes (with plain instructions one at a time in 32 bits; WebAssembly is then faster). Use one aligner for each
   * thread.
   *
   * @param traceBytes memory for traces; smaller values take more time, but do not change results
   */
  createAligner(traceBytes?: number): PairAligner;
  /** Searches an index for relatives. Use one finder for each thread; threads can share the index. */
  createCandidateFinder(index: SeedIndex): CandidateFinder;
  /**
   * Returns new memory, all 0, that threads can share. It is in large pages where the system has them, which makes reads at random places
   * (as in a search for relatives) about a quarter faster.
   */
  allocateShared(bytes: number): SharedArrayBuffer;
  /** Loads the sequence network. Use one for each thread. */
  createNetwork(program: NetworkProgram): NetworkKernel;
  /** Maps a bank. All processes and threads that map it share the memory. */
  openBank(path: string): NeighbourIndex;
}

export interface NativeOptions {
  /** The kernels to use: `on`, `off`, or an instruction set instead of the best. @default on */
  use?: string;
  /** The path of the compiled module. @default the module built here, else the one that came with the package for this platform */
  file?: string;
}

const builtFile = fileURLToPath(new URL('../build/kindred_native.node', import.meta.url));
/** The path of the addon in the packed product, which was compiled elsewhere for this platform. */
const prebuiltFile = fileURLToPath(
  new URL(`../prebuilt/${process.platform}-${process.arch}/kindred_native.node`, import.meta.url),
);

/**
 * Loads the native kernels; null if they were not built, are switched off, or came with the package and need another C library than this
 * system has. Everything works without them, with identical results.
 *
 * @throws RangeError for an instruction set that this processor does not support; Error if the compiled module cannot be loaded, or was
 * built from another version of its sources
 */
export function loadNative(options: NativeOptions = {}): NativeKernels | null {
  const use = options.use ?? 'on';
  const file = options.file ?? [builtFile, prebuiltFile].find((path) => existsSync(path));
  if (use === 'off' || file === undefined || !existsSync(file)) return null;
  const addon = openAddon(file);
  if (addon === null) return null;
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
    allocateShared: (bytes) => {
      const memory = new SharedArrayBuffer(bytes);
      addon.preferLargePages?.({ memory: new Uint8Array(memory) });
      return memory;
    },
    createNetwork: (program) => createNativeNetwork(addon, instructions, program),
    openBank: (path) => openNativeBank(addon, instructions, path),
  };
}

function openAddon(file: string): NativeAddon | null {
  try {
    return createRequire(import.meta.url)(file) as NativeAddon;
  } catch (error) {
    if (file === prebuiltFile) return null;
    throw error;
  }
}

/** Checks the interface of the module. An old build takes and returns other arrays, so it would find nothing instead of failing. */
function checkInterface(addon: Partial<NativeAddon>, file: string): void {
  if (addon.interface === addonInterface) return;
  throw new Error(
    `native kernels: ${file} was built from another version of the sources (its interface is ${addon.interface ?? 'older than 1'}, ` +
      `this version needs ${addonInterface}). Build it again with "node packages/native/tools/build-native.mjs --force", ` +
      'or start with SVC_NATIVE_KERNELS=off',
  );
}
