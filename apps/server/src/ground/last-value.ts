/**
 * Keeps the value of the last key, for batches of one job that follow each other. Callers with the same key
 * share one computation, and a failure is not kept. If the computation of another caller fails, perhaps
 * because that caller was cancelled, the next caller starts its own.
 */
export class LastValue<V> {
  #held: { key: string; value: Promise<V> } | null = null;

  async get(key: string, make: () => Promise<V>): Promise<V> {
    if (this.#held?.key === key) {
      const shared = await this.#held.value.then(
        (value) => ({ value }),
        () => null,
      );
      return shared === null ? this.get(key, make) : shared.value;
    }
    const fresh = { key, value: make() };
    this.#held = fresh;
    try {
      return await fresh.value;
    } catch (error) {
      if (this.#held === fresh) this.#held = null;
      throw error;
    }
  }
}
