/**
 * Holds values that a process keeps between jobs and requests, such as the last reference bank. The composer
 * of the process (run/compose.ts) owns it, so two of them in one process share nothing, and closing it frees
 * all values together.
 */
export class Memory {
  readonly #parts = new Map<() => unknown, unknown>();

  /**
   * Returns the value that `make` made at the first call. The function `make` is the name of the value, so it
   * must be declared at the top of a module.
   */
  part<V>(make: () => V): V {
    if (!this.#parts.has(make)) this.#parts.set(make, make());
    return this.#parts.get(make) as V;
  }

  /** Lets go of all values. Work that still runs keeps the values that it holds. */
  close(): void {
    this.#parts.clear();
  }
}
