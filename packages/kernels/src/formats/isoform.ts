import { uniProtAccession } from '../accessions/index.js';

const isoform = new RegExp(`^(${uniProtAccession})-([1-9]\\d*)$`);

/**
 * Returns canonical accession and isoform number of `P12345-2`. Any other accession, for example a user's `seq-1`, is returned unchanged
 * with index null.
 */
export function isoformOf(accession: string): { canonicalAccession: string; isoformIndex: number | null } {
  const match = isoform.exec(accession);
  if (match === null) return { canonicalAccession: accession, isoformIndex: null };
  return { canonicalAccession: match[1], isoformIndex: Number(match[2]) };
}
