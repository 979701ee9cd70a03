import type { Queryable } from '../store/postgres/db.js';
import { accessionPages } from '../store/proteins/proteins.repository.js';
import { referenceAccessionPages } from '../store/references/reference-proteins.repository.js';

/**
 * The load keeps the annotations of the canonical proteins, of all proteins, or of the proteins of a
 * reference.
 */
export type AccessionScope = 'canonical' | 'all' | { referenceNumber: number };

/** Reads the ids of proteins by accession. An entry takes about 100 bytes. */
export async function loadProteinIds(db: Queryable, scope: AccessionScope): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  const pages =
    typeof scope === 'string'
      ? accessionPages(db, scope)
      : referenceAccessionPages(db, scope.referenceNumber);
  for await (const page of pages) {
    for (const { id, accession } of page) ids.set(accession, id);
  }
  return ids;
}
