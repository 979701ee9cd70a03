const chunkBytes = 1 << 22;
const lengthBytes = 4;

/**
 * Keeps the names of taxa as UTF-8 bytes: 2.6 million of them take about 130 MB, without work for the garbage
 * collector.
 */
export class TaxonNames {
  /** Each name follows its length, in the same chunk. */
  readonly #chunks: Buffer[] = [];
  #used = chunkBytes;
  readonly #ids: number[] = [];
  readonly #positions: number[] = [];

  add(id: number, name: string): void {
    const length = Buffer.byteLength(name);
    if (lengthBytes + length > chunkBytes) throw new RangeError(`a name of ${length} bytes`);
    if (this.#used + lengthBytes + length > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafe(chunkBytes));
      this.#used = 0;
    }
    const last = this.#chunks.length - 1;
    this.#ids.push(id);
    this.#positions.push(last * chunkBytes + this.#used);
    this.#chunks[last].writeUInt32LE(length, this.#used);
    this.#chunks[last].write(name, this.#used + lengthBytes);
    this.#used += lengthBytes + length;
  }

  /** Returns a function from the index of a taxon to its name (the first, if it has two). */
  lookup(size: number, indexOf: (id: number) => number): (index: number) => Uint8Array | null {
    const rowOf = new Int32Array(size).fill(-1);
    for (let row = this.#ids.length - 1; row >= 0; row--) {
      const index = indexOf(this.#ids[row]);
      if (index >= 0) rowOf[index] = row;
    }
    return (index) => (rowOf[index] < 0 ? null : this.#at(this.#positions[rowOf[index]]));
  }

  #at(position: number): Uint8Array {
    const chunk = this.#chunks[Math.floor(position / chunkBytes)];
    const start = (position % chunkBytes) + lengthBytes;
    return chunk.subarray(start, start + chunk.readUInt32LE(start - lengthBytes));
  }
}
