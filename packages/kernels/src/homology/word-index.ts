/**
 * Ten classes of the twenty residues whose members replace one another often (LVIM C A G ST P FYW EDNQ KR H); -1 for
 * letters that are no residue of the twenty. Indexed by residue code (encodeResidues).
 *
 * @cite Murphy2000
 */
export const residueClass: Int8Array = classesOf([
  'LVIM',
  'C',
  'A',
  'G',
  'ST',
  'P',
  'FYW',
  'EDNQ',
  'KR',
  'H',
]);
const classCount = 10;

function classesOf(groups: readonly string[]): Int8Array {
  const classes = new Int8Array(32).fill(-1);
  groups.forEach((letters, group) => {
    for (const letter of letters) classes[letter.charCodeAt(0) - 65] = group;
  });
  return classes;
}

/** Where each word of residue classes occurs in a set of sequences. */
export interface WordIndex {
  wordLength: number;
  /** Residue codes of all sequences, one after the other. */
  codes: Uint8Array;
  /** Sequence s is codes[sequenceStart[s] .. sequenceStart[s + 1]). */
  sequenceStart: Int32Array;
  /** Word w occurs at place[wordStart[w] .. wordStart[w + 1]), offsets into `codes`, ascending. */
  wordStart: Int32Array;
  place: Int32Array;
}

/** Longest word: 10^7 counters are 40 MB. */
const longestWord = 7;

/**
 * Indexes every word of `wordLength` residues by the classes of its letters; words with a letter that is none of the
 * twenty residues are left out, and no word crosses from one sequence to the next.
 *
 * Cost: two passes over the residues; memory 5 bytes for each and 4 x 10^wordLength.
 * @param sequences residue codes (encodeResidues), may be empty
 * @throws RangeError for a word length outside 1..7, or for 2^31 residues and more
 */
export function buildWordIndex(sequences: readonly Uint8Array[], wordLength = 5): WordIndex {
  if (!(Number.isInteger(wordLength) && wordLength >= 1 && wordLength <= longestWord))
    throw new RangeError(`word length ${wordLength}: expected 1 to ${longestWord}`);
  const sequenceStart = new Int32Array(sequences.length + 1);
  let total = 0;
  for (const [s, sequence] of sequences.entries()) {
    total += sequence.length;
    if (total >= 2 ** 31) throw new RangeError('a word index holds less than 2^31 residues');
    sequenceStart[s + 1] = total;
  }
  const codes = new Uint8Array(total);
  for (const [s, sequence] of sequences.entries()) codes.set(sequence, sequenceStart[s]);
  const wordStart = new Int32Array(classCount ** wordLength + 1);
  const eachWord = (visit: (word: number, place: number) => void): void => {
    for (let s = 0; s < sequences.length; s++)
      forEachWord(codes.subarray(sequenceStart[s], sequenceStart[s + 1]), wordLength, (word, at) =>
        visit(word, sequenceStart[s] + at),
      );
  };
  eachWord((word) => wordStart[word + 1]++);
  for (let w = 1; w < wordStart.length; w++) wordStart[w] += wordStart[w - 1];
  const place = new Int32Array(wordStart[wordStart.length - 1]);
  const next = wordStart.slice();
  eachWord((word, at) => {
    place[next[word]++] = at;
  });
  return { wordLength, codes, sequenceStart, wordStart, place };
}

/** Calls `visit` with the number of each word and where it begins, in order. */
export function forEachWord(
  codes: Uint8Array,
  wordLength: number,
  visit: (word: number, at: number) => void,
): void {
  const modulus = classCount ** wordLength;
  let word = 0;
  let valid = 0;
  for (let i = 0; i < codes.length; i++) {
    const group = residueClass[codes[i]];
    valid = group < 0 ? 0 : valid + 1;
    word = group < 0 ? 0 : (word * classCount + group) % modulus;
    if (valid >= wordLength) visit(word, i - wordLength + 1);
  }
}
