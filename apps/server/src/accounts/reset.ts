import { ProblemError } from '@kindred/contracts';
import { machineKeys, restoreKey } from '../store/accounts/api-keys.repository.js';
import { appendAudit } from '../store/accounts/audit.repository.js';
import type { Database } from '../store/postgres/db.js';
import { type MigrationReport, resetDatabase } from '../store/migrations/migrate.js';
import { restoreUser, type UserRow } from '../store/accounts/users.repository.js';

/**
 * Empties the database. The audit log stays and gets its row in the transaction that drops the tables. The
 * account of the administrator who asked is put back (without keys and sessions), so that someone can
 * continue, and so is the key of this machine's command line with its owner.
 * @throws ProblemError conflict if other work holds tables for longer than `lockTimeoutMs`
 */
export async function resetAll(
  db: Database,
  actor: UserRow | null,
  lockTimeoutMs = 20_000,
): Promise<MigrationReport> {
  const record = async (trx: Parameters<typeof appendAudit>[0]) =>
    appendAudit(trx, { actorUserId: actor?.id ?? null, action: 'db_reset', target: null });
  const machine = await machineKeys(db);
  const report = await resetDatabase(db, { record, lockTimeoutMs }).catch((error: unknown) => {
    const { code } = error as { code?: string };
    // The statement waited too long for a lock, or two waited for each other.
    if (code !== '55P03' && code !== '40P01') throw error;
    throw new ProblemError(
      'conflict',
      'Other work uses the database; nothing was changed. Cancel running jobs or wait for them, then repeat this.',
      { cause: error },
    );
  });
  if (actor !== null) await restoreUser(db, actor);
  for (const { key, owner } of machine) {
    await restoreUser(db, owner);
    await restoreKey(db, key);
  }
  return report;
}
