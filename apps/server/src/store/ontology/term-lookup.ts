import type { Aspect } from '@kindred/contracts';
import type { Queryable } from '../postgres/db.js';
import { altIds, termKeys } from './ontology.repository.js';

export interface KnownTerm {
  rowId: number;
  aspect: Aspect;
  isObsolete: boolean;
  /** The index gives the position among the terms, from 0. */
  index: number;
  /** The flag is true if the term was found by an alternative id. */
  isAlternative: boolean;
}

/** Loads the terms of a snapshot by GO id and by alternative id. */
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
