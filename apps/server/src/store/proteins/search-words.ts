const longestWord = 100;

/**
 * Gives the distinct words of a text as searches compare them: letters and digits, lower case, without
 * accents. Words of more than 100 characters are cut.
 */
export function searchWords(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return [...new Set(words.map((word) => [...word].slice(0, longestWord).join('')))];
}
