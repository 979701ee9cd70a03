/**
 * Values that a process keeps between jobs and requests, such as the last reference bank. Its owner is whoever composes the
 * process (run/compose.ts), so two of them in one process share nothing, and closing it frees all values together.
 */
export class Memory {
  readonly #parts = new Map<() => unknown, unknown>();

  /** The value that `make` made at the first call; `make` itself is its name, so it must be a function of a module. */
  part<V>(make: () => V): V {
    if (!this.#parts.has(make)) this.#parts.set(make, make());
    return this.#parts.get(make) as V;
  }

  /** Lets go of all values. Work that still runs keeps those that it holds. */
  close(): void {
    this.#parts.clear();
  }
}
