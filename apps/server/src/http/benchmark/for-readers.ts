import type { Reader } from '../../store/postgres/fragments/visibility.js';
import { hasOwnResults } from '../../store/evaluation/benchmark.repository.js';
import type { Queryable } from '../../store/postgres/db.js';
import { ResultCache } from './result-cache.js';

const everyone: Reader = { seesAll: false, userId: null };

/**
 * Keeps values made of the results that a reader finds. The values for operators, and for readers without
 * results of their own, are cached.
 */
export class ForReaders<T> {
  readonly #db: Queryable;
  readonly #make: (reader: Reader) => Promise<T>;
  readonly #listed: ResultCache<T>;
  readonly #all: ResultCache<T>;

  constructor(db: Queryable, ttlSeconds: number, make: (reader: Reader) => Promise<T>) {
    this.#db = db;
    this.#make = make;
    this.#listed = new ResultCache(db, ttlSeconds, () => make(everyone));
    this.#all = new ResultCache(db, ttlSeconds, () => make({ seesAll: true, userId: null }));
  }

  /** @param known the present fingerprint, if the caller has it */
  async get(reader: Reader, known?: string): Promise<T> {
    if (reader.seesAll) return this.#all.get(known);
    if (reader.userId !== null && (await hasOwnResults(this.#db, reader.userId))) return this.#make(reader);
    return this.#listed.get(known);
  }
}
