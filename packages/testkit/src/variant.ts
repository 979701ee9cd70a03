const residueLetters = 'ACDEFGHIKLMNPQRSTVWY';

/**
 * Makes a protein that no service has seen and that has relatives: a copy with random residues at random places.
 *
 * @param random a whole number from 0 to below `below`
 * @param places number of places; the same place may be drawn twice. @default a tenth of the residues
 */
export function variantOf(
  residues: string,
  random: (below: number) => number,
  places = Math.ceil(residues.length / 10),
): string {
  const changed = [...residues];
  for (let n = 0; n < places; n++)
    changed[random(changed.length)] = residueLetters[random(residueLetters.length)];
  return changed.join('');
}
