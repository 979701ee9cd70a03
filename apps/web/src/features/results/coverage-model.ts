import { clearBits } from '@kindred/contracts/resources/term-evidence';
import type { Coverage } from '../../app/api/predictions.js';
import type { TrackPart } from './track.js';

/** A signature with all its places on the protein. */
export interface SignatureRow {
  database: string;
  signature: string | null;
  entry: string | null;
  parts: TrackPart[];
}

/** Gathers the places of each signature, in the order of their first. */
export function signatureRows(signatures: Coverage['signatures']): SignatureRow[] {
  const rows = new Map<string, SignatureRow>();
  for (const { database, signature, interpro_entry: entry, start, end } of signatures) {
    const key = `${database} ${signature ?? entry}`;
    const row = rows.get(key);
    if (row === undefined) rows.set(key, { database, signature, entry, parts: [{ start, end }] });
    else if (!row.parts.some((part) => part.start === start && part.end === end))
      row.parts.push({ start, end });
  }
  return [...rows.values()];
}

export const isClear = ({ bits }: { bits: number }): boolean => bits >= clearBits;

/** A shorter part without a source is no news: alignments often end some residues before a domain does. */
const leastBareResidues = 30;

/** Finds the parts of at least 30 residues that no source covers clearly. */
export function bareParts({ length, sources }: Pick<Coverage, 'length' | 'sources'>): TrackPart[] {
  const covered = sources.filter(isClear).toSorted((a, b) => a.start - b.start);
  const bare: TrackPart[] = [];
  let next = 1;
  for (const { start, end } of [...covered, { start: length + 1, end: length }]) {
    if (start - next >= leastBareResidues) bare.push({ start: next, end: start - 1 });
    next = Math.max(next, end + 1);
  }
  return bare;
}

/** Says which part of the protein the predictions rest on. */
export function coverageSentence(coverage: Pick<Coverage, 'length' | 'sources'>): string {
  const { length, sources } = coverage;
  if (sources.length === 0) return 'No source of the predictions can be aligned with this protein.';
  if (!sources.some(isClear))
    return 'No alignment with a source is clear: the sources are near by their vectors, and the places below may be chance.';
  const bare = bareParts(coverage);
  if (bare.length === 0) return `The sources cover the whole protein of ${length} residues.`;
  const parts = bare.map(({ start, end }) => `${start} to ${end}`).join(', ');
  return `No source covers residues ${parts} of ${length}: nothing is predicted from there, so a function of that part may be missing.`;
}
