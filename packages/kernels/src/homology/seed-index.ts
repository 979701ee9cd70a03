import { paddingCode } from '../alignment/index.js';
import type { SearchSpace } from './e-value.js';
import { lowComplexity } from './low-complexity.js';

/** The format of a kept index. It grows when the same sequences give other arrays, so that no search reads an index of other rules. */
export const seedIndexFormat = 1;
/** The offsets of the letters of a seed: two neighbours, one letter, two neighbours, with a free position in between. */
export const seedOffsets: readonly number[] = [0, 1, 3, 5, 6];
/** The number of words of five of the twenty residues. */
export const seedWords = 20 ** 5;
/** The number of words that share all letters but the last. */
const prefixWords = 20;
const seedPrefixes = seedWords / prefixWords;
/** The number of bytes of a prefix in `SeedIndex.prefixes`, which is a line of the processor's cache. */
const prefixBytes = 64;
/** The offset of the first place of a prefix in its line. */
const firstPlaceAt = 60;
const maxPrefixPlaces = 2 ** 24 - 1;
/** The number of delimiters before the first sequence and after the last, so that a window around a seed never leaves the letters. */
export const indexPadding = 64;

/** The rank of each residue code among the twenty residues in alphabetical order; -1 for other letters. */
export const residueRank: Int8Array = ranks('ACDEFGHIKLMNPQRSTVWY');

function ranks(letters: string): Int8Array {
  const rank = new Int8Array(32).fill(-1);
  [...letters].forEach((letter, at) => {
    rank[letter.charCodeAt(0) - 65] = at;
  });
  return rank;
}

/**
 * The places of each spaced word of five residues in a set of sequences. Words whose five letters are all in stretches of low complexity
 * are left out, because they are similar in unrelated proteins, and a few of them would have a large share of all places. All arrays may
 * be in shared memory.
 */
export interface SeedIndex {
  /** The letters of all sequences, with a delimiter (paddingCode) after each and `indexPadding` delimiters at both ends. */
  codes: Uint8Array;
  /** The start of each sequence, and the end of the last: sequence s is codes[start[s] .. start[s + 1] - 1). [sequences + 1] */
  start: Int32Array;
  /**
   * The part of `places` that belongs to each word. The 20 words that share their first four letters have one line of 64 bytes, so that
   * a search waits for memory once for each prefix. For each of its words, a line has the number of places of that word and the words
   * before it in the line (20 x 24 bits, little-endian); then comes the line's first index in `places` (32 bits). `placesOfWord` reads
   * the lines. [160,000 x 64]
   */
  prefixes: Uint8Array;
  /**
   * Flags of the words that occur: bit r of prefix p is set if its word with the last letter r occurs. The array is small enough to stay
   * in the processor's cache. [160,000]
   */
  occupied: Uint32Array;
  /** The offsets into `codes`, ascending within a word. */
  places: Int32Array;
  /** The search space that E-values refer to, given where words of some sequences are left out. @default all sequences */
  space?: SearchSpace;
}

export interface SeedIndexOptions {
  /** Allocates the memory of an array with this number of bytes. @default new ArrayBuffer */
  allocate?: (bytes: number) => ArrayBufferLike;
  /** A function that is called after every thousand sequences; when it returns true, the call ends with an AbortError. */
  isAborted?: () => boolean;
}

/**
 * Indexes the words of residues at `seedOffsets`; words with another letter than the twenty residues and words of low complexity are left
 * out.
 *
 * The cost is two passes over the residues. The memory is 5 bytes for each residue and 10.9 MB (12.8 MB more and a bit for each residue
 * while the index is built).
 * @param sequences residue codes (encodeResidues), may be empty
 * @throws RangeError for 2^31 letters or more, a code that is not a letter, or 2^24 places of words that share four letters
 */
export function buildSeedIndex(sequences: readonly Uint8Array[], options: SeedIndexOptions = {}): SeedIndex {
  const { allocate = (bytes) => new ArrayBuffer(bytes) } = options;
  const letters = sequences.reduce((sum, sequence) => sum + sequence.length + 1, 2 * indexPadding);
  if (letters >= 2 ** 31) throw new RangeError('a seed index holds less than 2^31 letters');
  const start = new Int32Array(allocate(4 * (sequences.length + 1)));
  const codes = new Uint8Array(allocate(letters)).fill(paddingCode);
  start[0] = indexPadding;
  for (const [s, sequence] of sequences.entries()) {
    codes.set(sequence, start[s]);
    start[s + 1] = start[s] + sequence.length + 1;
  }
  checkCodes(codes, start);
  return { codes, start, ...indexedWords(codes, start, null, options) };
}

/**
 * Narrows an index to some of its sequences. The others keep their numbers, but no search finds them. E-values are those of an index of
 * the kept ones alone. The letters are shared with `index`. The cost is two passes over the letters that are kept.
 * @param keep 1 where a sequence is kept: [sequences]
 */
export function narrowSeedIndex(
  { codes, start }: Pick<SeedIndex, 'codes' | 'start'>,
  keep: Uint8Array,
  options: SeedIndexOptions = {},
): SeedIndex {
  const space = { residues: 0, sequences: 0 };
  keep.forEach((is, s) => {
    if (is === 0) return;
    space.residues += start[s + 1] - 1 - start[s];
    space.sequences++;
  });
  return { codes, start, space, ...indexedWords(codes, start, keep, options) };
}

// oxlint-disable-next-line eslint/max-params -- the letters, which of them, and how
function indexedWords(
  codes: Uint8Array,
  start: Int32Array,
  keep: Uint8Array | null,
  { allocate = (bytes) => new ArrayBuffer(bytes), isAborted }: SeedIndexOptions,
): Pick<SeedIndex, 'prefixes' | 'occupied' | 'places'> {
  const wordStart = new Int32Array(seedWords + 1);
  const eachSequence = (visit: (from: number, endExclusive: number) => void): void => {
    for (let s = 0; s + 1 < start.length; s++) {
      if (s % 1000 === 0 && isAborted?.()) throw new DOMException('the index was cancelled', 'AbortError');
      if (keep === null || keep[s] !== 0) visit(start[s], start[s + 1] - 1);
    }
  };
  const leftOut = new Uint8Array((codes.length + 7) >> 3);
  eachSequence((from, endExclusive) => countWords(codes, from, endExclusive, { wordStart, leftOut }));
  for (let w = 1; w <= seedWords; w++) wordStart[w] += wordStart[w - 1];
  const words = {
    prefixes: new Uint8Array(allocate(seedPrefixes * prefixBytes)),
    occupied: new Uint32Array(allocate(seedPrefixes * 4)),
  };
  packWords(wordStart, words);
  const places = new Int32Array(allocate(4 * wordStart[seedWords]));
  // While the places are written, entry w is the next free place of word w.
  eachSequence((from, endExclusive) => placeWords(codes, from, endExclusive, { wordStart, leftOut, places }));
  return { ...words, places };
}

function packWords(
  wordStart: Int32Array,
  { prefixes, occupied }: Pick<SeedIndex, 'prefixes' | 'occupied'>,
): void {
  for (let p = 0; p < seedPrefixes; p++) {
    const first = wordStart[p * prefixWords];
    // The line of a prefix that does not occur stays 0, which means that no word has places.
    if (wordStart[(p + 1) * prefixWords] === first) continue;
    const line = p * prefixBytes;
    for (let byte = 0; byte < 4; byte++) prefixes[line + firstPlaceAt + byte] = first >>> (8 * byte);
    for (let r = 0; r < prefixWords; r++) {
      const word = p * prefixWords + r;
      const count = wordStart[word + 1] - first;
      if (count > maxPrefixPlaces)
        throw new RangeError('a seed index holds less than 2^24 places of words that share four letters');
      for (let byte = 0; byte < 3; byte++) prefixes[line + 3 * r + byte] = count >>> (8 * byte);
      if (wordStart[word + 1] > wordStart[word]) occupied[p] |= 1 << r;
    }
  }
}

/** Returns the range of the places of word w: places[from .. to). */
export function placesOfWord(
  { prefixes }: Pick<SeedIndex, 'prefixes'>,
  word: number,
): { from: number; to: number } {
  const r = word % prefixWords;
  const line = ((word - r) / prefixWords) * prefixBytes;
  const at = line + firstPlaceAt;
  const first = prefixes[at] | (prefixes[at + 1] << 8) | (prefixes[at + 2] << 16) | (prefixes[at + 3] << 24);
  const countUpTo = (rank: number): number => {
    const byte = line + 3 * rank;
    return prefixes[byte] | (prefixes[byte + 1] << 8) | (prefixes[byte + 2] << 16);
  };
  return { from: first + (r === 0 ? 0 : countUpTo(r - 1)), to: first + countUpTo(r) };
}

function checkCodes(codes: Uint8Array, start: Int32Array): void {
  const end = start[start.length - 1];
  let delimiters = 0;
  for (let at = indexPadding; at < end; at++) {
    if (codes[at] > paddingCode) throw new RangeError(`residue code ${codes[at]}`);
    if (codes[at] === paddingCode) delimiters++;
  }
  if (delimiters !== start.length - 1) throw new RangeError('a sequence holds the padding code');
}

/** Returns the word of the seed at a place, or -1 if the place holds a letter that is not a residue. */
export function wordAt(codes: Uint8Array, place: number): number {
  const a = residueRank[codes[place]];
  const b = residueRank[codes[place + 1]];
  const c = residueRank[codes[place + 3]];
  const d = residueRank[codes[place + 5]];
  const e = residueRank[codes[place + 6]];
  if ((a | b | c | d | e) < 0) return -1;
  return (((a * 20 + b) * 20 + c) * 20 + d) * 20 + e;
}

const seedSpan = 7;

interface WordCounts {
  /** Entry w + 1 is the number of places of word w. */
  wordStart: Int32Array;
  /** A bit for each place whose word has low complexity. */
  leftOut: Uint8Array;
}

function countWords(
  codes: Uint8Array,
  from: number,
  endExclusive: number,
  { wordStart, leftOut }: WordCounts,
): void {
  const masked = lowComplexity(codes.subarray(from, endExclusive));
  for (let at = 0; at + seedSpan <= masked.length; at++) {
    const place = from + at;
    if (masked[at] & masked[at + 1] & masked[at + 3] & masked[at + 5] & masked[at + 6]) {
      leftOut[place >> 3] |= 1 << (place & 7);
      continue;
    }
    const word = wordAt(codes, place);
    if (word >= 0) wordStart[word + 1]++;
  }
}

function placeWords(
  codes: Uint8Array,
  from: number,
  endExclusive: number,
  { wordStart, leftOut, places }: { wordStart: Int32Array; leftOut: Uint8Array; places: Int32Array },
): void {
  for (let place = from; place + seedSpan <= endExclusive; place++) {
    if ((leftOut[place >> 3] >> (place & 7)) & 1) continue;
    const word = wordAt(codes, place);
    if (word >= 0) places[wordStart[word]++] = place;
  }
}
