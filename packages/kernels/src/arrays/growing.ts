type NumberArray = Uint8Array | Int32Array | Float32Array | Float64Array;

/** A typed array of unknown length, which doubles when it is full. */
export interface GrowingArray<T extends NumberArray> {
  readonly length: number;
  push(value: number): void;
  /** Returns the value at `index`, which must be below the length and is not checked. */
  at(index: number): number;
  /** Replaces the value at `index`, which must be below the length and is not checked. */
  set(index: number, value: number): void;
  /** Returns the last value; the array must not be empty. */
  last(): number;
  /** Keeps the first `length` values. */
  truncate(length: number): void;
  /** Makes the array at least `length` long; new values are 0. */
  extend(length: number): void;
  /** Returns the values without a copy; they are valid until the array grows. Writing to the view writes to the array. */
  view(): T;
  /** Returns a copy of the values. */
  finish(): T;
}

interface GrowingConstructor<T extends NumberArray> {
  /** @param capacity number of values that fit before the first growth; default 1,024 */
  new (capacity?: number): GrowingArray<T>;
}

/**
 * Makes a class of its own for each element type, because JavaScript engines optimise element access much better when a class sees only
 * one type.
 */
function growing<T extends NumberArray>(ArrayType: new (length: number) => T): GrowingConstructor<T> {
  return class {
    #values: T;
    length = 0;

    constructor(capacity = 1024) {
      this.#values = new ArrayType(Math.max(1, capacity));
    }

    push(value: number): void {
      if (this.length === this.#values.length) this.#grow(this.length * 2);
      this.#values[this.length++] = value;
    }
    at(index: number): number {
      return this.#values[index];
    }
    set(index: number, value: number): void {
      this.#values[index] = value;
    }
    last(): number {
      return this.#values[this.length - 1];
    }
    truncate(length: number): void {
      this.length = length;
    }
    extend(length: number): void {
      if (length > this.#values.length) this.#grow(Math.max(length, this.#values.length * 2));
      // The tail is cleared, because values that were truncated must not come back.
      this.#values.fill(0, this.length, length);
      this.length = Math.max(this.length, length);
    }
    view(): T {
      return this.#values.subarray(0, this.length) as T;
    }
    finish(): T {
      return this.#values.slice(0, this.length) as T;
    }

    #grow(capacity: number): void {
      const larger = new ArrayType(capacity);
      larger.set(this.#values);
      this.#values = larger;
    }
  };
}

export const GrowingUint8 = growing<Uint8Array>(Uint8Array);
export const GrowingInt32 = growing<Int32Array>(Int32Array);
export const GrowingFloat32 = growing<Float32Array>(Float32Array);
export const GrowingFloat64 = growing<Float64Array>(Float64Array);
export type GrowingUint8 = GrowingArray<Uint8Array>;
export type GrowingInt32 = GrowingArray<Int32Array>;
export type GrowingFloat32 = GrowingArray<Float32Array>;
export type GrowingFloat64 = GrowingArray<Float64Array>;
