import { absent, ProblemError } from '@kindred/contracts';
import { type Principal, requireOwner } from '../accounts/principal.js';
import { type Database, inTransaction, type Queryable } from '../store/postgres/db.js';
import { findQuerySet } from '../store/proteins/query-sets.repository.js';
import {
  deleteStatedTerms,
  mostPrograms,
  putStatedTerms,
  statedTermFiles,
  type StatedTerms,
} from '../store/records/stated-terms.repository.js';

/** @throws ProblemError not_found, not_owner */
export async function requireOwnQuerySet(db: Queryable, principal: Principal, id: string): Promise<void> {
  const set = await findQuerySet(db, id);
  if (set === undefined) throw absent('query set', id);
  requireOwner(principal, set.owner_user_id);
}

/**
 * Adds the terms of a program to a query set, instead of those that it had.
 * @throws ProblemError not_found, not_owner, conflict
 */
export function addStatedTerms(
  db: Database,
  principal: Principal,
  id: string,
  terms: StatedTerms,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await requireOwnQuerySet(trx, principal, id);
    const { program } = terms.about;
    const others = (await statedTermFiles(trx, id)).filter((file) => file.program !== program);
    if (others.length >= mostPrograms)
      throw new ProblemError(
        'conflict',
        `The query set has the terms of ${others.length} programs, and no more are compared: remove one first.`,
      );
    await putStatedTerms(trx, id, terms);
  });
}

/** Removes the terms of a program. @throws ProblemError not_found, not_owner */
export function removeStatedTerms(
  db: Database,
  principal: Principal,
  id: string,
  program: string,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await requireOwnQuerySet(trx, principal, id);
    if (!(await deleteStatedTerms(trx, id, program)))
      throw absent('file of this program beside the query set:', program);
  });
}
