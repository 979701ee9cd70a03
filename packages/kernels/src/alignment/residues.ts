/** The width of a row of a substitution matrix: residue codes are 0 to 31. */
export const alphabetSize = 32;

/** The padding code fills lanes past the end of a shorter sequence. It is not a residue, and its scores in a matrix are never used. */
export const paddingCode = 31;

const starCode = 26;

/**
 * Turns residue letters into codes: A to Z (in either case) are 0 to 25, and '*' is 26.
 *
 * @param sequence Residues; letters or '*'.
 * @returns One code for each residue.
 * @throws RangeError for the first character that is not a residue, with its 1-based position.
 */
export function encodeResidues(sequence: string): Uint8Array<ArrayBuffer> {
  const codes = new Uint8Array(sequence.length);
  for (let i = 0; i < sequence.length; i++) {
    const character = sequence.charCodeAt(i);
    const letter = (character | 32) - 97;
    if (letter >= 0 && letter < 26 && character >= 65) codes[i] = letter;
    else if (character === 42) codes[i] = starCode;
    else throw new RangeError(`position ${i + 1}: '${sequence[i]}' is not a residue letter`);
  }
  return codes;
}
