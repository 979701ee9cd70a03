import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Transaction } from './connection.js';
import { withLossNamed } from './guarded-driver.js';
import { yieldToEventLoop } from '../../ground/event-loop.js';

const signature = Buffer.from([
  0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00, 0, 0, 0, 0, 0, 0, 0, 0,
]);
const chunkBytes = 1 << 20;
/** A chunk fits the socket's buffer, so that the server works on it while the next one is written. */
const streamedChunkBytes = 1 << 17;
/**
 * The writer yields after this many chunks, because it would otherwise never yield if the socket never fills.
 */
const streamedChunksPerTurn = 16;

/**
 * Writes rows in PostgreSQL's binary COPY format. Numbers are copied from typed arrays, so that a million
 * rows need no conversion to text. Call `row()`, then one value method per column, in order.
 */
export class BinaryRows {
  #buffer: Buffer;
  #used = 0;
  readonly #chunks: Buffer[] = [];
  rowCount = 0;

  readonly #columnCount: number;
  readonly #chunkSize: number;

  constructor(columnCount: number, chunkSize = chunkBytes) {
    this.#columnCount = columnCount;
    this.#chunkSize = chunkSize;
    this.#buffer = Buffer.allocUnsafe(chunkSize);
    this.#bytes(signature);
  }

  row(): void {
    this.#reserve(2);
    this.#used = this.#buffer.writeInt16BE(this.#columnCount, this.#used);
    this.rowCount++;
  }

  null(): void {
    this.#reserve(4);
    this.#used = this.#buffer.writeInt32BE(-1, this.#used);
  }

  boolean(value: boolean): void {
    this.#reserve(5);
    this.#used = this.#buffer.writeInt32BE(1, this.#used);
    this.#used = this.#buffer.writeUInt8(value ? 1 : 0, this.#used);
  }

  int4(value: number): void {
    this.#reserve(8);
    this.#used = this.#buffer.writeInt32BE(4, this.#used);
    this.#used = this.#buffer.writeInt32BE(value, this.#used);
  }

  int8(value: number): void {
    this.#reserve(12);
    this.#used = this.#buffer.writeInt32BE(8, this.#used);
    this.#used = this.#buffer.writeInt32BE(Math.floor(value / 2 ** 32), this.#used);
    this.#used = this.#buffer.writeUInt32BE(value >>> 0, this.#used);
  }

  /** NaN means NULL, because kernels mark a missing number in this way. */
  float4(value: number): void {
    if (Number.isNaN(value)) return this.null();
    this.#reserve(8);
    this.#used = this.#buffer.writeInt32BE(4, this.#used);
    this.#used = this.#buffer.writeFloatBE(value, this.#used);
  }

  text(value: string | null): void {
    if (value === null) return this.null();
    // A UTF-16 unit takes at most three bytes.
    this.#reserve(4 + 3 * value.length);
    const length = this.#shortAscii(value) ? value.length : this.#buffer.write(value, this.#used + 4);
    this.#buffer.writeInt32BE(length, this.#used);
    this.#used += 4 + length;
  }

  /**
   * Writes a short text of ASCII characters after its length, four times as fast as a call into the runtime;
   * false for another text.
   */
  #shortAscii(value: string): boolean {
    if (value.length > 48) return false;
    const buffer = this.#buffer;
    const start = this.#used + 4;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 127) return false;
      buffer[start + i] = code;
    }
    return true;
  }

  /** Writes jsonb: a version byte before the text. */
  json(value: unknown): void {
    const text = JSON.stringify(value);
    const length = Buffer.byteLength(text) + 1;
    this.#reserve(4 + length);
    this.#used = this.#buffer.writeInt32BE(length, this.#used);
    this.#used = this.#buffer.writeUInt8(1, this.#used);
    this.#used += this.#buffer.write(text, this.#used);
  }

  bytea(value: Uint8Array): void {
    this.#reserve(4);
    this.#used = this.#buffer.writeInt32BE(value.byteLength, this.#used);
    this.#bytes(value);
  }

  /** Hands out the chunks that are full by now, and forgets them. */
  takeFull(): Buffer[] {
    return this.#chunks.length === 0 ? this.#chunks : this.#chunks.splice(0);
  }

  /** Ends the data and hands out the chunks; the object can't be used afterwards. */
  finish(): Buffer[] {
    this.#reserve(2);
    this.#used = this.#buffer.writeInt16BE(-1, this.#used);
    this.#chunks.push(this.#buffer.subarray(0, this.#used));
    return this.#chunks;
  }

  #bytes(value: Uint8Array): void {
    this.#reserve(value.byteLength);
    this.#buffer.set(value, this.#used);
    this.#used += value.byteLength;
  }

  #reserve(length: number): void {
    if (this.#used + length <= this.#buffer.length) return;
    this.#chunks.push(this.#buffer.subarray(0, this.#used));
    this.#buffer = Buffer.allocUnsafe(Math.max(this.#chunkSize, length));
    this.#used = 0;
  }
}

/**
 * Sends the rows by COPY within the transaction, or, on a connection without one, as a separate transaction.
 * `columns` have the order in which the values were written.
 */
export async function copyBinaryRows(
  trx: Pick<Transaction, 'client'>,
  table: string,
  columns: readonly string[],
  rows: BinaryRows,
): Promise<void> {
  const statement = `copy ${table} (${columns.join(', ')}) from stdin (format binary)`;
  await copyInto(trx, statement, Readable.from(rows.finish()));
}

export interface CopyTarget {
  table: string;
  /** The columns have the order in which `writeRow` writes them. */
  columns: readonly string[];
}

/**
 * Copies rows that are written while sending: the server stores the first ones while `writeRow(rows, i)`
 * writes the next.
 */
export async function copyRowsWhileWriting(
  trx: Pick<Transaction, 'client'>,
  { table, columns }: CopyTarget,
  rowCount: number,
  writeRow: (rows: BinaryRows, i: number) => void,
): Promise<void> {
  async function* chunks() {
    const rows = new BinaryRows(columns.length, streamedChunkBytes);
    let given = 0;
    for (let i = 0; i < rowCount; i++) {
      writeRow(rows, i);
      for (const chunk of rows.takeFull()) {
        yield chunk;
        if (++given % streamedChunksPerTurn === 0) await yieldToEventLoop();
      }
    }
    yield* rows.finish();
  }
  const statement = `copy ${table} (${columns.join(', ')}) from stdin (format binary)`;
  await copyInto(trx, statement, Readable.from(chunks()));
}

async function copyInto(
  trx: Pick<Transaction, 'client'>,
  statement: string,
  chunks: Readable,
): Promise<void> {
  try {
    await pipeline(chunks, trx.client.query(copyFrom(statement)));
  } catch (error) {
    throw withLossNamed(trx.client, error);
  }
}
