/** Reads exact numbers of bytes from a source that delivers chunks. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  /** The position counts the bytes that were taken. */
  position = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Returns exactly `count` bytes, held in memory; null if fewer are left. */
  async take(count: number): Promise<Buffer | null> {
    const parts: Buffer[] = [];
    for await (const part of this.pass(count)) parts.push(part);
    const bytes = Buffer.concat(parts);
    return bytes.length === count ? bytes : null;
  }

  /** Passes `count` bytes on in the chunks in which they arrive; fewer if the source ends early. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) return;
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      this.position += part.length;
      yield part;
    }
  }

  async atEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#more());
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #more(): Promise<boolean> {
    for (;;) {
      const next = await this.#source.next();
      if (next.done) return false;
      if (next.value.length === 0) continue;
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      return true;
    }
  }
}
