/** A sum kept as two numbers (value and rounding error), so that it does not depend on the order of the additions. */
export class ExactSum {
  #high = 0;
  #low = 0;

  add(value: number): void {
    const sum = this.#high + value;
    const shifted = sum - this.#high;
    this.#low += this.#high - (sum - shifted) + (value - shifted);
    this.#high = sum;
  }

  get value(): number {
    return this.#high + this.#low;
  }

  clear(): void {
    this.#high = this.#low = 0;
  }
}
