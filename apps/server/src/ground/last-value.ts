import { RecentValues } from './recent-values.js';

/** These values may stay beside the last one. */
interface Beside<V> {
  /** All values but the heaviest weigh together at most this. */
  most: number;
  weigh: (value: V) => number;
}

/**
 * Keeps the value of the last key, for batches of one job that follow each other, and light values of keys before it. Callers with
 * the same key share one computation, and a failure is not kept. If the computation of another caller fails, perhaps
 * because that caller was cancelled, the next caller starts its own.
 */
export class LastValue<V> {
  readonly #held: RecentValues<Promise<V>>;
  readonly #weigh: (value: V) => number;

  constructor({ most, weigh }: Beside<V> = { most: -1, weigh: () => 0 }) {
    this.#held = new RecentValues(most);
    this.#weigh = weigh;
  }

  async get(key: string, make: () => Promise<V>): Promise<V> {
    const held = this.#held.get(key);
    if (held !== undefined) {
      const shared = await held.then(
        (value) => ({ value }),
        () => null,
      );
      return shared === null ? this.get(key, make) : shared.value;
    }
    const fresh = make();
    void this.#held.set(key, fresh, 0);
    try {
      const value = await fresh;
      if (this.#held.get(key) === fresh) void this.#held.set(key, fresh, this.#weigh(value));
      return value;
    } catch (error) {
      if (this.#held.get(key) === fresh) this.#held.delete(key);
      throw error;
    }
  }
}
