import type { FastaRecord } from '@kindred/kernels/formats';
import { namesOfSequences } from '../../../store/proteins/proteins.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';

/** A run is named after this many proteins. */
const shown = 2;
const longest = 60;

/**
 * Names a run after its first proteins: by their headers, else by the proteins of the catalogue that have
 * their sequences.
 */
export async function nameOfRun(db: Queryable, records: readonly FastaRecord[]): Promise<string> {
  const first = records.slice(0, shown);
  const known = await namesOfSequences(
    db,
    first.map(({ sequence }) => sequence),
  );
  const names = first.map(({ proteinName, geneName, accession, sequence }) =>
    shortened(proteinName ?? geneName ?? known.get(sequence) ?? accession),
  );
  const more = records.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

function shortened(name: string): string {
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
}
