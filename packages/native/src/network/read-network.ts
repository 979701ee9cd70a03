import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkFormatError, type NetworkLayout, SequenceNetwork } from '@kindred/kernels/network';
import type { NativeKernels } from '../native.js';
import { createWasmNetwork } from './wasm-network.js';

/**
 * Reads the sequence network from a folder (`models/network`), with the addon if it is given and has vector instructions, otherwise with
 * WebAssembly. Use one per thread.
 *
 * @throws NetworkFormatError if the weights do not have the hash of `provenance.json`, or are not those of `layout.json`
 */
export function readNetwork(folder: string, native: NativeKernels | null): SequenceNetwork {
  const read = (name: string): Buffer => readFileSync(join(folder, name));
  const layout = JSON.parse(read('layout.json').toString()) as NetworkLayout;
  const { sha256 } = JSON.parse(read('provenance.json').toString()) as { sha256: Record<string, string> };
  const bytes = read('weights.bin');
  if (createHash('sha256').update(bytes).digest('hex') !== sha256['weights.bin'])
    throw new NetworkFormatError('weights.bin does not have the hash of provenance.json');
  return new SequenceNetwork(layout, bytes, (program) =>
    native && native.instructions !== 'plain' ? native.createNetwork(program) : createWasmNetwork(program),
  );
}
