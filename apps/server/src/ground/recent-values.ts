/**
 * Keeps the value that was used last, and those that were used before it while all but the heaviest weigh together at most `most`: small
 * things stay beside a large one, and two large ones never do.
 */
export class RecentValues<V> {
  /** In the order of their use. */
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

  /** Keeps the value under its key. Returns the values that had to go, for those that must be closed. */
  set(key: string, value: V, weight: number): V[] {
    this.#held.delete(key);
    this.#held.set(key, { value, weight });
    return this.#trim(0);
  }

  /** Drops what could not stay beside a value of this weight, before the memory for it is taken. */
  makeRoom(weight: number): V[] {
    return this.#trim(weight);
  }

  delete(key: string): void {
    this.#held.delete(key);
  }

  /** @param coming weight of a value that is not here yet; 0: none */
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
