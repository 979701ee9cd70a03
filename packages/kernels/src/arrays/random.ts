/**
 * Seeded random numbers: xoshiro128** of Blackman and Vigna, its state filled by a 32-bit SplitMix of the seed. The
 * same seed gives the same numbers on every machine. Not suitable for secrets.
 *
 * @cite BlackmanVigna2021
 */
export class Random {
  readonly #state: Uint32Array;
  #spareNormal: number | null = null;

  /** @param seed any integer (its low 32 bits count) or text (hashed with FNV-1a over UTF-16 units) */
  constructor(seed: number | string) {
    let mix = typeof seed === 'string' ? hash(seed) : seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      mix = (mix + 0x9e3779b9) >>> 0;
      let word = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
      word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
      return word ^ (word >>> 16);
    });
  }

  /** Makes a generator with the given state. @throws RangeError unless the state is four numbers that are not all zero */
  static fromState(state: ArrayLike<number>): Random {
    const random = new Random(0);
    random.#state.set(Array.from(state).map((word) => word >>> 0));
    if (state.length !== 4 || random.#state.every((word) => word === 0)) {
      throw new RangeError('a state of xoshiro128** is four 32-bit numbers, not all zero');
    }
    return random;
  }

  /** Returns an integer in [0, 2^32). */
  uint32(): number {
    const s = this.#state;
    const scrambled = Math.imul(s[1], 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = (s[3] << 11) | (s[3] >>> 21);
    return result;
  }

  /** Returns a real number in [0, 1) with 53 random bits. */
  float(): number {
    return ((this.uint32() >>> 5) * 67108864 + (this.uint32() >>> 6)) / 9007199254740992;
  }

  /** Returns an integer in [0, endExclusive), without bias. @throws RangeError unless endExclusive is an integer in 1..2^32 */
  integer(endExclusive: number): number {
    if (!(Number.isInteger(endExclusive) && endExclusive >= 1 && endExclusive <= 4294967296)) {
      throw new RangeError(`expected an integer from 1 to 2^32, not ${endExclusive}`);
    }
    const bound = 4294967296 - (4294967296 % endExclusive);
    let draw = this.uint32();
    while (draw >= bound) draw = this.uint32();
    return draw % endExclusive;
  }

  /** Returns a standard normal number, by Marsaglia's polar method. */
  normal(): number {
    if (this.#spareNormal !== null) {
      const spare = this.#spareNormal;
      this.#spareNormal = null;
      return spare;
    }
    for (;;) {
      const x = 2 * this.float() - 1;
      const y = 2 * this.float() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.#spareNormal = y * factor;
      return x * factor;
    }
  }

  /** Shuffles in place, with every order equally likely (Fisher and Yates). Returns its argument. */
  shuffle<T extends { length: number; [index: number]: unknown }>(items: T): T {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const kept = items[i];
      items[i] = items[j];
      items[j] = kept;
    }
    return items;
  }

  /**
   * Returns `count` distinct integers of [0, endExclusive), in random order. Cost: O(count). @throws RangeError for a count outside the
   * range
   */
  sample(count: number, endExclusive: number): Int32Array {
    if (!(Number.isInteger(count) && count >= 0 && count <= endExclusive)) {
      throw new RangeError(`cannot draw ${count} distinct numbers below ${endExclusive}`);
    }
    // These are the first steps of a shuffle of 0..endExclusive-1, of which only the moved positions are stored.
    const moved = new Map<number, number>();
    return Int32Array.from({ length: count }, (_, i) => {
      const j = i + this.integer(endExclusive - i);
      const drawn = moved.get(j) ?? j;
      moved.set(j, moved.get(i) ?? i);
      return drawn;
    });
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
