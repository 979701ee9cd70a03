import { to as copyTo } from 'pg-copy-streams';
import { type Database, inTransaction, type Transaction } from './connection.js';
import type { GuardedClient } from './guarded-driver.js';

const headerBytes = 19;

export interface CopiedOut extends AsyncIterable<Buffer> {
  /** The number of rows is known at the end. */
  readonly rowCount: number;
}

/**
 * Gives the bytes of a COPY to stdout. A reader that stops early ends the connection, and so the transaction:
 * the driver reads no further, and would always wait for the answer to the next statement.
 */
export function copiedOut({ client }: Pick<Transaction, 'client'>, statement: string): CopiedOut {
  const stream = (client as unknown as { query(stream: object): CopiedOut }).query(copyTo(statement));
  return {
    get rowCount() {
      return stream.rowCount;
    },
    async *[Symbol.asyncIterator]() {
      let isOpen = true;
      try {
        yield* stream;
        isOpen = false;
      } catch (error) {
        isOpen = false;
        throw error;
      } finally {
        if (isOpen) (client as unknown as GuardedClient).cut();
      }
    },
  };
}

/**
 * Reads the rows of a query by COPY in binary format. The driver reads results as text only, which has twice
 * the size for bytes, and makes a string of each value. The query takes no parameters.
 */
export async function copiedRows(trx: Pick<Transaction, 'client'>, query: string): Promise<CopiedRows> {
  const chunks: Buffer[] = [];
  for await (const chunk of copiedOut(trx, `copy (${query}) to stdout (format binary)`)) chunks.push(chunk);
  return new CopiedRows(Buffer.concat(chunks));
}

/** Goes through the rows: `next()`, then one method per column, in order. */
export class CopiedRows {
  readonly #bytes: Buffer;
  #at = headerBytes;
  #keyStart = headerBytes;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Moves to the next row; false at the end. */
  next(): boolean {
    const columns = this.#bytes.readInt16BE(this.#at);
    this.#at += 2;
    return columns >= 0;
  }

  int4(): number {
    const value = this.#bytes.readInt32BE(this.#at + 4);
    this.#at += 8;
    return value;
  }

  /** Reads an int8, exact below 2^53. */
  int8(): number {
    const value = this.#bytes.readInt32BE(this.#at + 4) * 2 ** 32 + this.#bytes.readUInt32BE(this.#at + 8);
    this.#at += 12;
    return value;
  }

  /** The result is a view on the data, which never change. */
  bytea(): Buffer {
    const start = this.#at + 4;
    this.#at = start + this.#bytes.readInt32BE(this.#at);
    return this.#bytes.subarray(start, this.#at);
  }

  text(): string | null {
    const length = this.#bytes.readInt32BE(this.#at);
    const start = this.#at + 4;
    this.#at = start + Math.max(length, 0);
    return length < 0 ? null : this.#bytes.toString('utf8', start, this.#at);
  }

  /**
   * Gives the next `columns` values as a key, equal for equal values. A key costs less than reading the
   * values, which can follow after `back`.
   */
  key(columns: number): string {
    const start = this.#at;
    for (let i = 0; i < columns; i++) this.#at += 4 + Math.max(this.#bytes.readInt32BE(this.#at), 0);
    this.#keyStart = start;
    return this.#bytes.toString('latin1', start, this.#at);
  }

  /** Goes back to the values of the last key. */
  back(): void {
    this.#at = this.#keyStart;
  }
}

/** Runs `work` on one state of the database, whatever others write meanwhile. */
export function inSnapshot<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    await trx.client.query('set transaction isolation level repeatable read, read only');
    // Scans begin at the first row, so that equal tables give equal bytes.
    await trx.client.query(
      'set local synchronize_seqscans = off; set local idle_in_transaction_session_timeout = 0',
    );
    return work(trx);
  });
}
