import type { CombinedQuery } from '@kindred/kernels/combined';
import { indexOfSorted } from '@kindred/kernels/arrays';
import type { StoredSources } from '../../store/predictions/stored-sources.js';

/** Gives sources in the numbers of a bank; null if the bank lacks one of them. */
export function sourcesInBank(
  { aligned, near }: StoredSources,
  accessions: readonly string[],
): Pick<CombinedQuery, 'aligned' | 'near'> | null {
  const numbered = (list: readonly { accession: string }[]) =>
    Int32Array.from(list, ({ accession }) => indexOfSorted(accessions, accession));
  const references = { aligned: numbered(aligned), near: numbered(near) };
  if ([...references.aligned, ...references.near].some((reference) => reference < 0)) return null;
  return {
    aligned: {
      reference: references.aligned,
      logEValue: Float64Array.from(aligned, ({ logEValue }) => logEValue),
      identity: Float64Array.from(aligned, ({ identity }) => identity),
      share: Float64Array.from(aligned, ({ share }) => share),
      origin: Uint8Array.from(aligned, ({ origin }) => origin),
    },
    near: {
      reference: references.near,
      distance: Float64Array.from(near, ({ distance }) => distance),
    },
  };
}
