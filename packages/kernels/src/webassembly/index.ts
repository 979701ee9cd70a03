/** The part of the WebAssembly JavaScript interface that is used here; the types for Node do not include it. */
interface WebAssemblyInterface {
  Module: new (bytes: Uint8Array) => WasmModule;
  Instance: new (
    module: WasmModule,
    imports?: Record<string, Record<string, unknown>>,
  ) => { readonly exports: Record<string, unknown> };
}

/** A compiled WebAssembly module, for which the libraries here have no type. */
export type WasmModule = object;

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyInterface }).WebAssembly;
