/**
 * Returns the first residue of each window of a sequence, counted from 0. A sequence of at most `size` residues has one window; a longer
 * one has the smallest number of windows of `size` residues that overlap by at least a quarter, evenly spread from the first residue to
 * the last.
 */
export function windowStarts(length: number, size: number): number[] {
  if (length <= size) return [0];
  const overlap = size / 4;
  const windows = Math.ceil((length - overlap) / (size - overlap));
  return Array.from({ length: windows }, (_, i) => Math.round((i * (length - size)) / (windows - 1)));
}
