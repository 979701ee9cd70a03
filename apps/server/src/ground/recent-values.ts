/**
 * Keeps the last used value, and earlier ones while all but the heaviest weigh together at most `most`. So
 * small values stay beside a large one, and two large ones never do.
 */
export class RecentValues<V> {
  /** The values are in the order of their use. */
  readonly #held = new Map<string, { value: V; weight: number }>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    const found = this.#held.get(key);
    if (found === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, found);
    return found.value;
  }

  /** Keeps the value under its key, and returns the values that had to go, because some must be closed. */
  set(key: string, value: V, weight: number): V[] {
    this.#held.delete(key);
    this.#held.set(key, { value, weight });
    return this.#trim(0);
  }

  /** Drops values that could not stay beside a value of this weight, before the memory for it is taken. */
  makeRoom(weight: number): V[] {
    return this.#trim(weight);
  }

  delete(key: string): void {
    this.#held.delete(key);
  }

  /** @param coming the weight of a value that is still to come; 0 for none */
  #trim(coming: number): V[] {
    const dropped: V[] = [];
    for (const [key, { value }] of this.#held) {
      const weights = Array.from(this.#held.values(), (one) => one.weight);
      const isAlone = weights.length === 1 && coming === 0;
      const all = weights.reduce((sum, weight) => sum + weight, coming);
      if (isAlone || all - Math.max(coming, ...weights) <= this.#most) break;
      this.#held.delete(key);
      dropped.push(value);
    }
    return dropped;
  }
}
