/** The standard genetic code, by codons in the order T, C, A, G of each letter. */
const code = 'FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG';
const order: Readonly<Record<string, number>> = { T: 0, U: 0, C: 1, A: 2, G: 3 };
const complement: Readonly<Record<string, string>> = { A: 'T', T: 'A', U: 'A', G: 'C', C: 'G' };

/** Returns the amino acids of one frame: X for a codon with another letter, * for a stop. */
function translateFrame(dna: string, start: number): string {
  let protein = '';
  for (let at = start; at + 3 <= dna.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => order[dna[at + i] ?? '']);
    protein += a === undefined || b === undefined || c === undefined ? 'X' : code[16 * a + 4 * b + c];
  }
  return protein;
}

/**
 * Returns the longest reading frame of a nucleotide sequence, in amino acids: from the first methionine of a stretch without a stop, or,
 * where no stretch has one, the whole of the longest stretch. All six frames are read; of equal ones the first is taken, forward before
 * reverse.
 */
export function longestReadingFrame(dna: string): string {
  const forward = dna.toUpperCase().replace(/[^A-Z]/g, '');
  const reverse = [...forward]
    .reverse()
    .map((letter) => complement[letter] ?? 'N')
    .join('');
  const stretches = [forward, reverse].flatMap((strand) =>
    [0, 1, 2].flatMap((start) => translateFrame(strand, start).split('*')),
  );
  const open = stretches.map((stretch) =>
    stretch.slice(stretch.indexOf('M') < 0 ? stretch.length : stretch.indexOf('M')),
  );
  return longest(open) || longest(stretches);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, text) => (text.length > best.length ? text : best), '');
}
