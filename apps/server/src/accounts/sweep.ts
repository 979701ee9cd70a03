import type { Queryable } from '../store/postgres/db.js';
import { deleteOldCounters } from '../store/accounts/quotas.repository.js';
import { deleteOldMailTokens } from '../store/accounts/mail-tokens.repository.js';
import { deleteOldLogins } from '../store/accounts/logins.repository.js';
import { deleteOldSessions } from '../store/accounts/sessions.repository.js';

/** Deletes rows that no rule needs any more. Any number of processes may do so at once. */
export async function sweepAccounts(db: Queryable): Promise<void> {
  await deleteOldCounters(db);
  await deleteOldSessions(db);
  await deleteOldLogins(db);
  await deleteOldMailTokens(db);
}
