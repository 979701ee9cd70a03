import { resultFingerprint } from '../../store/evaluation/benchmark.repository.js';
import type { Queryable } from '../../store/postgres/db.js';

/**
 * Caches what was computed from all results, until any process adds or deletes a result. Each call looks up
 * the newest result, and callers at the same time share one computation.
 */
export class ResultCache<T> {
  #held: { fingerprint: string; until: number; value: Promise<T> } | null = null;

  readonly #db: Queryable;
  readonly #ttlSeconds: number;
  readonly #compute: () => Promise<T>;
  readonly #now: () => number;

  constructor(db: Queryable, ttlSeconds: number, compute: () => Promise<T>, now: () => number = Date.now) {
    this.#db = db;
    this.#ttlSeconds = ttlSeconds;
    this.#compute = compute;
    this.#now = now;
  }

  /** @param known the present fingerprint, if the caller has it */
  async get(known?: string): Promise<T> {
    const fingerprint = known ?? (await resultFingerprint(this.#db));
    const held = this.#held;
    if (held !== null && held.fingerprint === fingerprint && this.#now() < held.until) return held.value;
    const value = this.#compute();
    const fresh = { fingerprint, until: this.#now() + this.#ttlSeconds * 1000, value };
    this.#held = fresh;
    // A failure is not kept, so the next call computes the value again.
    value.catch(() => {
      if (this.#held === fresh) this.#held = null;
    });
    return value;
  }
}
