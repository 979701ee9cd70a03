import { hash, randomBytes } from 'node:crypto';
import { callerAddress } from './caller-address.js';
import type { Queryable } from '../store/postgres/db.js';
import { saltOfToday } from '../store/accounts/quotas.repository.js';

/**
 * Turns client addresses into keys that are useless the next day. Each process has one hasher; the database
 * shares the salt.
 */
export class ClientHasher {
  #today: Promise<{ day: string; salt: Buffer }> | null = null;
  #day = '';
  /** The salt belongs to `#day`, and is null until it is read. */
  #salt: Buffer | null = null;

  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Hashes the caller whom limits count, see `callerAddress`. */
  hash(address: string): Promise<string> {
    return this.visitor(callerAddress(address));
  }

  /** Gives the first 16 hex characters of the SHA-256 of the day's salt and the address. */
  async visitor(address: string): Promise<string> {
    const day = today();
    if (this.#today === null || this.#day !== day) {
      this.#day = day;
      this.#salt = null;
      this.#today = saltOfToday(this.#db, randomBytes(32));
      // A failed look-up must not be remembered for the day.
      this.#today.catch(() => {
        this.#today = null;
      });
    }
    const { salt } = await this.#today;
    if (this.#day === day) this.#salt = salt;
    return hashed(address, salt);
  }

  /** Gives the hash of a visitor, without waiting; null while the salt of the day is not known yet. */
  visitorNow(address: string): string | null {
    return this.#salt === null || this.#day !== today() ? null : hashed(address, this.#salt);
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function hashed(address: string, salt: Buffer): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(address)]), 'hex').slice(0, 16);
}
