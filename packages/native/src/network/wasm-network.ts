import { readFileSync } from 'node:fs';
import type { NetworkKernel, NetworkProgram } from '@kindred/kernels/network';
import { type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { createNetworkIn } from './wasm-kernel.js';

let compiled: WasmModule | undefined;

/** Makes the sequence network in WebAssembly from the file of this package. Use one for each thread. */
export function createWasmNetwork(program: NetworkProgram): NetworkKernel {
  compiled ??= new webAssembly.Module(readFileSync(new URL('../../wasm/network.wasm', import.meta.url)));
  return createNetworkIn(compiled, program);
}
