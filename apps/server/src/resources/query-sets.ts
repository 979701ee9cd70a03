import { absent, type Visibility } from '@kindred/contracts';
import { type Principal, requireOwner } from '../accounts/principal.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import { refuseInUse } from '../store/maintenance/dependents.repository.js';
import {
  changeVisibility,
  deleteQuerySet,
  findQuerySet,
  insertQuerySet,
  type NewQueryEntry,
  type NewQuerySet,
  type QuerySetRow,
  renameQuerySet,
} from '../store/proteins/query-sets.repository.js';

/** Adds the set with its entries and sequences: all or nothing. */
export function addQuerySet(
  db: Database,
  set: NewQuerySet,
  records: readonly NewQueryEntry[],
): Promise<QuerySetRow> {
  return inTransaction(db, (trx) => insertQuerySet(trx, set, records));
}

/**
 * Renames the set, or changes who finds it, its jobs and its predictions in lists. @throws ProblemError not_found,
 * not_owner
 */
export function changeQuerySet(
  db: Database,
  principal: Principal,
  id: string,
  { name, visibility }: { name?: string; visibility?: Visibility },
): Promise<QuerySetRow> {
  return inTransaction(db, async (trx) => {
    const set = await findQuerySet(trx, id);
    if (set === undefined) throw absent('query set', id);
    requireOwner(principal, set.owner_user_id);
    const renamed = name === undefined ? set : await renameQuerySet(trx, id, name);
    return visibility === undefined ? renamed : changeVisibility(trx, id, visibility);
  });
}

/** Deletes a set that no open job needs. @throws ProblemError not_found, not_owner, in_use */
export function removeQuerySet(
  db: Database,
  principal: Principal,
  id: string,
): Promise<{ entriesDeleted: number }> {
  return inTransaction(db, async (trx) => {
    const set = await findQuerySet(trx, id);
    if (set === undefined) throw absent('query set', id);
    requireOwner(principal, set.owner_user_id);
    const advice = 'Cancel them, or wait.';
    await refuseInUse(trx, { table: 'query_set', id }, { what: `Query set ${id}`, advice });
    await deleteQuerySet(trx, id);
    return { entriesDeleted: set.entry_count };
  });
}
