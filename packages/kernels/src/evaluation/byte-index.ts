/**
 * A table from byte strings to consecutive numbers (order of first appearance). It spares one JavaScript string per
 * field of a file with millions of lines: open addressing over FNV-1a, keys in one buffer.
 */
export class ByteIndex {
  private slots: Int32Array;
  private hashes: Int32Array;
  private starts: Int32Array;
  private bytes: Uint8Array;
  private used = 0;
  size = 0;

  constructor(expected = 1024) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.slots = new Int32Array(capacity).fill(-1);
    this.hashes = new Int32Array(capacity / 2);
    this.starts = new Int32Array(capacity / 2 + 1);
    this.bytes = new Uint8Array(expected * 12);
  }

  /** Number of the key bytes[start, end), or -1. */
  find(key: Uint8Array, start: number, end: number): number {
    return this.slots[this.slotOf(key, start, end, hashOf(key, start, end))];
  }

  /** Number of the key, new if it was not there. */
  add(key: Uint8Array, start = 0, end = key.length): number {
    if (this.size + 1 >= this.hashes.length) this.grow();
    const hash = hashOf(key, start, end);
    const slot = this.slotOf(key, start, end, hash);
    if (this.slots[slot] >= 0) return this.slots[slot];
    const length = end - start;
    if (this.used + length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.used + length));
      larger.set(this.bytes.subarray(0, this.used));
      this.bytes = larger;
    }
    this.bytes.set(key.subarray(start, end), this.used);
    this.used += length;
    const number = this.size++;
    this.slots[slot] = number;
    this.hashes[number] = hash;
    this.starts[number + 1] = this.used;
    return number;
  }

  /** The key of a number, as text. */
  textOf(number: number): string {
    return decoder.decode(this.bytes.subarray(this.starts[number], this.starts[number + 1]));
  }

  private slotOf(key: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const number = this.slots[slot];
      if (number < 0) return slot;
      if (this.hashes[number] === hash && this.equals(number, key, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private equals(number: number, key: Uint8Array, start: number, end: number): boolean {
    const from = this.starts[number];
    if (this.starts[number + 1] - from !== end - start) return false;
    for (let i = start, j = from; i < end; i++, j++) if (key[i] !== this.bytes[j]) return false;
    return true;
  }

  private grow(): void {
    const capacity = this.slots.length * 2;
    const hashes = new Int32Array(capacity / 2);
    hashes.set(this.hashes);
    const starts = new Int32Array(capacity / 2 + 1);
    starts.set(this.starts);
    this.hashes = hashes;
    this.starts = starts;
    this.slots = new Int32Array(capacity).fill(-1);
    const mask = capacity - 1;
    for (let number = 0; number < this.size; number++) {
      const hash = hashes[number];
      let slot = (hash ^ (hash >>> 15)) & mask;
      while (this.slots[slot] >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = number;
    }
  }
}

const decoder = new TextDecoder();

function hashOf(key: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ key[i], 0x01000193);
  return hash;
}
