/**
 * First residues of the windows of a sequence, 0-based: one for a sequence of at most `size` residues; otherwise as few
 * windows of `size` residues as overlap by at least a quarter, evenly spread from the first residue to the last.
 */
export function windowStarts(length: number, size: number): number[] {
  if (length <= size) return [0];
  const overlap = size / 4;
  const windows = Math.ceil((length - overlap) / (size - overlap));
  return Array.from({ length: windows }, (_, i) => Math.round((i * (length - size)) / (windows - 1)));
}
