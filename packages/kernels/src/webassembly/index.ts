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

const pageBytes = 65_536;

/**
 * Lets a memory grow until it has this number of bytes.
 *
 * @param refusal words for the error, from the megabytes that are needed
 * @throws RangeError if the machine does not give the memory
 */
export function reserveMemory(
  memory: WasmMemory,
  bytes: number,
  refusal: (megabytes: number) => string,
): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing <= 0) return;
  try {
    memory.grow(Math.ceil(missing / pageBytes));
  } catch (cause) {
    throw new RangeError(refusal(Math.ceil(bytes / 1e6)), { cause });
  }
}
