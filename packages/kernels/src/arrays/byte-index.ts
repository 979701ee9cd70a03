// The fields of a slot are adjacent for the processor's cache: key number + 1 (0 means free), hash, length, start.
const numberAt = 0;
const hashAt = 1;
const lengthAt = 2;
const startAt = 3;
const stride = 4;

/**
 * A table from byte strings to consecutive numbers, in order of first appearance. The table avoids one JavaScript string per field in
 * files with millions of lines. It uses open addressing over FNV-1a; the keys are in one buffer and are compared in full.
 */
export class ByteIndex {
  #slots: Int32Array;
  #slotMask: number;
  #starts: Int32Array;
  #bytes: Uint8Array;
  size = 0;

  constructor(expected = 1024) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.#slots = new Int32Array(capacity * stride);
    this.#slotMask = capacity - 1;
    this.#starts = new Int32Array(capacity / 2 + 1);
    this.#bytes = new Uint8Array(expected * 12);
  }

  /** Returns the number of the key bytes[start, end), or -1 if it is absent. */
  find(key: Uint8Array, start: number, end: number): number {
    return this.#slots[this.#slotOf(key, start, end, hashOf(key, start, end)) + numberAt] - 1;
  }

  /** Returns the number of the key, and adds the key if it is new. */
  add(key: Uint8Array, start = 0, end = key.length): number {
    if (this.size * 2 > this.#slotMask) this.#grow();
    const hash = hashOf(key, start, end);
    const slot = this.#slotOf(key, start, end, hash);
    const slots = this.#slots;
    if (slots[slot + numberAt] > 0) return slots[slot + numberAt] - 1;
    const from = this.#starts[this.size];
    const to = from + end - start;
    if (to > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, to));
      larger.set(this.#bytes.subarray(0, from));
      this.#bytes = larger;
    }
    for (let i = start, j = from; i < end; i++, j++) this.#bytes[j] = key[i];
    this.#starts[++this.size] = to;
    slots[slot + numberAt] = this.size;
    slots[slot + hashAt] = hash;
    slots[slot + lengthAt] = end - start;
    slots[slot + startAt] = from;
    return this.size - 1;
  }

  findText(text: string): number {
    const key = encoder.encode(text);
    return this.find(key, 0, key.length);
  }
  addText(text: string): number {
    return this.add(encoder.encode(text));
  }

  /** Returns the key with this number as text. */
  textOf(number: number): string {
    return decoder.decode(this.#bytes.subarray(this.#starts[number], this.#starts[number + 1]));
  }

  /** Returns the offset of the key's slot, or of the free slot where the key belongs. */
  #slotOf(key: Uint8Array, start: number, end: number, hash: number): number {
    const slots = this.#slots;
    const slotMask = this.#slotMask;
    const bytes = this.#bytes;
    const length = end - start;
    for (let slot = (hash ^ (hash >>> 15)) & slotMask; ; slot = (slot + 1) & slotMask) {
      const at = slot * stride;
      if (slots[at + numberAt] === 0) return at;
      if (slots[at + hashAt] !== hash || slots[at + lengthAt] !== length) continue;
      const from = slots[at + startAt];
      let i = 0;
      while (i < length && key[start + i] === bytes[from + i]) i++;
      if (i === length) return at;
    }
  }

  #grow(): void {
    const old = this.#slots;
    const capacity = (this.#slotMask + 1) * 2;
    this.#slots = new Int32Array(capacity * stride);
    this.#slotMask = capacity - 1;
    const starts = new Int32Array(capacity / 2 + 1);
    starts.set(this.#starts);
    this.#starts = starts;
    for (let at = 0; at < old.length; at += stride) {
      if (old[at + numberAt] === 0) continue;
      const hash = old[at + hashAt];
      let slot = (hash ^ (hash >>> 15)) & this.#slotMask;
      while (this.#slots[slot * stride + numberAt] > 0) slot = (slot + 1) & this.#slotMask;
      this.#slots.set(old.subarray(at, at + stride), slot * stride);
    }
  }
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function hashOf(key: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ key[i], 0x01000193);
  return hash;
}
