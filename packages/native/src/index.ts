import type { PairAligner } from '@kindred/kernels/alignment';
import { type CandidateFinder, createPlainCandidateFinder, type SeedIndex } from '@kindred/kernels/homology';
import { createWasmAligner } from './alignment/wasm-aligner.js';
import { openBlockBank } from './bank/block-bank.js';
import type { NeighbourIndex } from './bank/neighbour-index.js';
import { loadNative, type NativeKernels } from './native.js';

export { createWasmAligner } from './alignment/wasm-aligner.js';
export { type BankHeader, bankFileBytes, bankVersion } from './bank/format.js';
export { type LoadedBank, loadBank, readBankHeader } from './bank/reader.js';
export { BankFile } from './bank/bank-file.js';
export { openBlockBank } from './bank/block-bank.js';
export { type CandidateGraph, openGraphBank } from './bank/graph-bank.js';
export {
  type BankAnswer,
  type BankSearchOptions,
  type NeighbourIndex,
  openPlainBank,
} from './bank/neighbour-index.js';
export { orderQueries, type QueryRows, vectorsOfQuery } from './bank/query-rows.js';
export { ReferenceDistances } from './bank/reference-distances.js';
export { type BankShape, BankWriter } from './bank/writer.js';
export { createWasmTreeWalker } from './trees/wasm-walker.js';
export { createWasmNetwork } from './network/wasm-network.js';
export { readNetwork } from './network/read-network.js';
export type { Instructions } from './addon.js';
export { loadNative, type NativeKernels, type NativeOptions } from './native.js';

/** Makes the fastest available aligner: the addon's, otherwise WebAssembly's. Each thread creates one and uses it again. */
export function createAligner(native: NativeKernels | null = loadNative()): PairAligner {
  return native && native.instructions !== 'plain' ? native.createAligner() : createWasmAligner();
}

/**
 * Makes the fastest available search for relatives: the addon's, otherwise plain TypeScript's. Each thread creates one and uses it again.
 */
export function createCandidateFinder(
  index: SeedIndex,
  native: NativeKernels | null = loadNative(),
): CandidateFinder {
  return native ? native.createCandidateFinder(index) : createPlainCandidateFinder(index);
}

/** Opens a bank with the addon if available, otherwise with the WebAssembly kernels. */
export function openBank(path: string, native: NativeKernels | null = loadNative()): NeighbourIndex {
  return native ? native.openBank(path) : openBlockBank(path);
}
