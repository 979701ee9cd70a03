import type { Aspect } from '@kindred/contracts';
import type { Queryable } from '../../store/postgres/db.js';
import { altIds, termKeys } from '../../store/ontology/ontology.repository.js';
import { accessionPages } from '../../store/proteins/proteins.repository.js';
import { referenceAccessionPages } from '../../store/references/reference-proteins.repository.js';

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

export interface KnownTerm {
  rowId: number;
  aspect: Aspect;
  isObsolete: boolean;
  /** Position among the terms, 0-based. */
  index: number;
  /** True if found by an alternative id. */
  isAlternative: boolean;
}

/** Terms of a snapshot by GO id and by alternative id. */
export async function loadTerms(db: Queryable, snapshotId: string): Promise<Map<string, KnownTerm>> {
  const byGoId = new Map<string, KnownTerm>();
  const byRowId = new Map<number, KnownTerm>();
  for (const row of await termKeys(db, snapshotId)) {
    const term: KnownTerm = {
      rowId: row.id,
      aspect: row.aspect as Aspect,
      isObsolete: row.is_obsolete,
      index: byRowId.size,
      isAlternative: false,
    };
    byGoId.set(row.go_id, term);
    byRowId.set(row.id, term);
  }
  for (const { alt_id, go_term_id } of await altIds(db, snapshotId)) {
    const term = byRowId.get(go_term_id);
    if (term !== undefined && !byGoId.has(alt_id)) byGoId.set(alt_id, { ...term, isAlternative: true });
  }
  return byGoId;
}
