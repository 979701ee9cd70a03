/** A column that grows by doubling. */
export class Column<T extends Int32Array | Float32Array | Float64Array> {
  private length = 0;

  constructor(
    private values: T,
    private readonly make: (length: number) => T,
  ) {}

  static int32(): Column<Int32Array> {
    return new Column<Int32Array>(new Int32Array(1024), (length) => new Int32Array(length));
  }
  static float32(): Column<Float32Array> {
    return new Column<Float32Array>(new Float32Array(1024), (length) => new Float32Array(length));
  }
  static float64(): Column<Float64Array> {
    return new Column<Float64Array>(new Float64Array(1024), (length) => new Float64Array(length));
  }

  get size(): number {
    return this.length;
  }
  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = this.make(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }
  at(row: number): number {
    return this.values[row];
  }
  set(row: number, value: number): void {
    this.values[row] = value;
  }
  clear(): void {
    this.length = 0;
  }
  /** A copy of the right length. */
  finish(): T {
    return this.values.slice(0, this.length) as T;
  }
}
