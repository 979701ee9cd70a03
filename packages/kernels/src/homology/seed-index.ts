import { paddingCode } from '../alignment/index.js';

/** Offsets of the letters of a seed: two neighbours, one letter, two neighbours, with a free position in between. */
export const seedOffsets: readonly number[] = [0, 1, 3, 5, 6];
/** Words of five of the twenty residues. */
export const seedWords = 20 ** 5;
/** Delimiters before the first sequence and after the last, so that a window around a seed never leaves the letters. */
export const indexPadding = 64;

/** Rank among the twenty residues in alphabetical order; -1 for other letters. By residue code (encodeResidues). */
export const residueRank: Int8Array = ranks('ACDEFGHIKLMNPQRSTVWY');

function ranks(letters: string): Int8Array {
  const rank = new Int8Array(32).fill(-1);
  [...letters].forEach((letter, at) => {
    rank[letter.charCodeAt(0) - 65] = at;
  });
  return rank;
}

/** Where each spaced word of five residues occurs in a set of sequences. All arrays may be in shared memory. */
export interface SeedIndex {
  /** Letters of all sequences, a delimiter (paddingCode) after each and `indexPadding` delimiters at both ends. */
  codes: Uint8Array;
  /** Sequence s is codes[start[s] .. start[s + 1] - 1): [sequences + 1]. */
  start: Int32Array;
  /** Word w occurs at places[wordStart[w] .. wordStart[w + 1]), offsets into `codes`, ascending: [seedWords + 1]. */
  wordStart: Int32Array;
  places: Int32Array;
}

export interface SeedIndexOptions {
  /** Allocates the memory of an array of this many bytes. @default new ArrayBuffer */
  allocate?: (bytes: number) => ArrayBufferLike;
  /** Called after every thousand sequences; return true to end the call with an AbortError. */
  isAborted?: () => boolean;
}

/**
 * Indexes the words of residues at `seedOffsets`; words with another letter than the twenty residues are left out.
 *
 * Cost: two passes over the residues. Memory: 5 bytes for each residue and 12.8 MB; nothing else grows with the input.
 * @param sequences residue codes (encodeResidues), may be empty
 * @throws RangeError for 2^31 letters and more, or a code that is not a letter
 */
export function buildSeedIndex(sequences: readonly Uint8Array[], options: SeedIndexOptions = {}): SeedIndex {
  const { allocate = (bytes) => new ArrayBuffer(bytes), isAborted } = options;
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
  const wordStart = new Int32Array(allocate(4 * (seedWords + 1)));
  const eachSequence = (visit: (from: number, endExclusive: number) => void): void => {
    for (let s = 0; s < sequences.length; s++) {
      if (s % 1000 === 0 && isAborted?.()) throw new DOMException('the index was cancelled', 'AbortError');
      visit(start[s], start[s + 1] - 1);
    }
  };
  eachSequence((from, endExclusive) => countWords(codes, from, endExclusive, wordStart));
  for (let w = 1; w <= seedWords; w++) wordStart[w] += wordStart[w - 1];
  const places = new Int32Array(allocate(4 * wordStart[seedWords]));
  // While the places are written, entry w + 1 is the next free place of word w; in the end it is where word w + 1 begins.
  wordStart.copyWithin(1, 0, seedWords);
  wordStart[0] = 0;
  eachSequence((from, endExclusive) => placeWords(codes, from, endExclusive, { wordStart, places }));
  return { codes, start, wordStart, places };
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

/** The word of the seed at a place, or -1 where it holds a letter that is not a residue. */
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

function countWords(codes: Uint8Array, from: number, endExclusive: number, wordStart: Int32Array): void {
  for (let place = from; place + seedSpan <= endExclusive; place++) {
    const word = wordAt(codes, place);
    if (word >= 0) wordStart[word + 1]++;
  }
}

function placeWords(
  codes: Uint8Array,
  from: number,
  endExclusive: number,
  { wordStart, places }: { wordStart: Int32Array; places: Int32Array },
): void {
  for (let place = from; place + seedSpan <= endExclusive; place++) {
    const word = wordAt(codes, place);
    if (word >= 0) places[wordStart[word + 1]++] = place;
  }
}
