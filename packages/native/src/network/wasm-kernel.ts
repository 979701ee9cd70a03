import type { NetworkKernel, NetworkProgram } from '@kindred/kernels/network';
import { reserveMemory, type WasmMemory, type WasmModule, webAssembly } from '@kindred/kernels/webassembly';
import { layOutNetwork, logLengthOf } from './layout.js';

interface NetworkModule {
  memory: WasmMemory;
  __heap_base: { readonly value: number };
  open_network(words: number, floats: number, packed: number, weights: number): void;
  work_bytes(residues: number): number;
  vector_of(codes: number, residues: number, logLength: number, vector: number, work: number): void;
  probabilities_of(vector: number, probabilities: number, work: number): void;
}

/**
 * Makes the sequence network in an instance of `wasm/network.wasm`, in Node as in a browser. Use one for each thread. Its memory is 38 MB
 * of weights and up to 12 MB of work.
 */
export function createNetworkIn(compiled: WasmModule, program: NetworkProgram): NetworkKernel {
  const module = new webAssembly.Instance(compiled).exports as unknown as NetworkModule;
  const tables = layOutNetwork(program);
  let at = (module.__heap_base.value + 63) & ~63;
  const place = (bytes: number): number => {
    const start = at;
    at += (bytes + 63) & ~63;
    reserve(module.memory, at);
    return start;
  };
  const copied = (part: Int32Array | Float32Array): number => {
    const start = place(part.byteLength);
    new Uint8Array(module.memory.buffer, start).set(
      new Uint8Array(part.buffer, part.byteOffset, part.byteLength),
    );
    return start;
  };
  const dimension = program.pool.vectorNorm.bias.length;
  const terms = program.head.bias.length;
  // Only the needed values are kept, so that the program can be freed: its weights are in the memory of the module.
  const { usualLogLength, longest } = program;
  const words = copied(tables.words);
  const floats = copied(tables.floats);
  const packed = place(tables.packed * 2);
  const codesAt = place(longest);
  const vectorAt = place(dimension * 4);
  const probabilitiesAt = place(terms * 4);
  // The work space begins where the weights were written, because they are read only once.
  const work = at;
  reserve(module.memory, work + tables.weights.length);
  new Int8Array(module.memory.buffer, work).set(tables.weights);
  module.open_network(words, floats, packed, work);
  return {
    name: 'wasm',
    vectorOf(codes) {
      reserve(module.memory, work + module.work_bytes(codes.length));
      new Uint8Array(module.memory.buffer, codesAt, longest).set(codes);
      module.vector_of(codesAt, codes.length, logLengthOf(codes.length, usualLogLength), vectorAt, work);
      return new Float32Array(module.memory.buffer, vectorAt, dimension).slice();
    },
    probabilitiesOf(vector) {
      reserve(module.memory, work + module.work_bytes(1));
      new Float32Array(module.memory.buffer, vectorAt, dimension).set(vector);
      module.probabilities_of(vectorAt, probabilitiesAt, work);
      return new Float32Array(module.memory.buffer, probabilitiesAt, terms).slice();
    },
  };
}

function reserve(memory: WasmMemory, bytes: number): void {
  reserveMemory(
    memory,
    bytes,
    (megabytes) => `the network needs ${megabytes} MB of memory, but this is not available`,
  );
}
