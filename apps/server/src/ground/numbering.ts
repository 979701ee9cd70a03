/** Numbers distinct values in the order in which they first appear. */
export class Numbering<Value> {
  readonly values: Value[] = [];
  readonly #known = new Map<string, number>();
  readonly #keyOf: (value: Value) => string;

  constructor(keyOf: (value: Value) => string) {
    this.#keyOf = keyOf;
  }

  numberOf(value: Value): number {
    const key = this.#keyOf(value);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}
