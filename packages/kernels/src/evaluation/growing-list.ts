/** A growing int32 list. */
export class Int32Buffer {
  private values: Int32Array = new Int32Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length)
      this.values = enlarged(this.values, new Int32Array(this.length * 2));
    this.values[this.length++] = value;
  }
  at(index: number): number {
    return this.values[index];
  }
  set(index: number, value: number): void {
    this.values[index] = value;
  }
  last(): number {
    return this.values[this.length - 1];
  }
  /** Forgets what stands at `length` and after it. */
  truncate(length: number): void {
    this.length = length;
  }
  view(): Int32Array {
    return this.values.subarray(0, this.length);
  }
}

/** A growing float64 list. */
export class Float64Buffer {
  private values: Float64Array = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.values.length)
      this.values = enlarged(this.values, new Float64Array(this.length * 2));
    this.values[this.length++] = value;
  }
  view(): Float64Array {
    return this.values.subarray(0, this.length);
  }
}

function enlarged<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
