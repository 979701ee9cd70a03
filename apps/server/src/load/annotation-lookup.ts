import type { Queryable } from '../store/postgres/db.js';
import { accessionPages } from '../store/proteins/proteins.repository.js';
import { referenceAccessionPages } from '../store/references/reference-proteins.repository.js';

/** Proteins whose annotations are kept: of the whole catalogue, or the canonical ones of a reference. */
export type AccessionScope = 'canonical' | 'all' | { referenceNumber: number };

/** Protein ids by accession. About 100 bytes each. */
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
