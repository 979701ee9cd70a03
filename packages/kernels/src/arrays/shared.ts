type Shareable = Int32Array | Float64Array | Uint8Array;

/** Copies values into memory that all threads share. */
export function sharedCopy<A extends Shareable>(array: A): A {
  const Type = array.constructor as new (buffer: SharedArrayBuffer) => A;
  const copy = new Type(new SharedArrayBuffer(array.byteLength));
  copy.set(array);
  return copy;
}
