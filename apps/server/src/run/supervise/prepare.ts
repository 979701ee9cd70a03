import { retryPolicy } from '../../ground/retry-policy.js';
import { bootstrapAdmin } from '../../accounts/admin.js';
import { mintApiKey } from '../../accounts/api-keys.js';
import { development } from '../../accounts/principal.js';
import type { Settings } from '../env.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/db.js';
import { anyAdminExists, findUserByEmail } from '../../store/accounts/users.repository.js';
import { isLivePrefix } from '../../store/accounts/api-keys.repository.js';
import { withRetries } from '../../store/postgres/connection-fault.js';
import { nothingLoaded } from '../../store/maintenance/database-facts.repository.js';
import { readLocalCredential, writeLocalCredential } from './service-file.js';

export interface PreparedDatabase {
  /** The flag is true if nothing was ever loaded, so the example set may be loaded. */
  empty: boolean;
  /** The first administrator was just created, and the password must be shown; null otherwise. */
  adminLogin: { email: string; password: string } | null;
}

/** A database that recovers, or that its supervisor is starting again, is soon back. */
const rule = retryPolicy.serviceStart;
const embeddedAdmin = 'admin@kindred.local';

/**
 * Runs the migrations, and makes the first administrator and the API key of this machine's command line.
 *
 * @param bringUp brings the database to this version
 */
export async function prepareDatabase(
  url: string,
  settings: Settings,
  bringUp: (db: Database) => Promise<unknown>,
): Promise<PreparedDatabase> {
  const db = openDatabase(url, 2);
  try {
    await withRetries(() => bringUp(db), rule);
    const { bootstrap } = settings;
    // A service with embedded defaults always has an administrator; elsewhere only if the operator names one.
    const email = bootstrap.email ?? (settings.dbUrl === null ? embeddedAdmin : null);
    const outcome = await withRetries(
      () =>
        bootstrapAdmin(db, {
          ...bootstrap,
          email,
          passwordMinLength: settings.accounts.passwordMinLength,
        }),
      rule,
    );
    if (settings.dbUrl === null)
      await withRetries(() => ensureLocalKey(db, settings.dataDir, email as string), rule);
    const adminLogin =
      outcome.created && outcome.generatedPassword !== null
        ? { email: outcome.email, password: outcome.generatedPassword }
        : null;
    return { empty: await withRetries(() => nothingLoaded(db), rule), adminLogin };
  } finally {
    await closeDatabase(db);
  }
}

async function ensureLocalKey(db: Database, dataDir: string, adminEmail: string): Promise<void> {
  const known = await readLocalCredential(dataDir);
  if (known !== null && (await isLivePrefix(db, known.apiKey.slice(0, 8)))) return;
  const owner = await findUserByEmail(db, adminEmail);
  if (owner === undefined || !(await anyAdminExists(db))) return;
  const { raw } = await mintApiKey(db, development, {
    name: 'command line of this machine',
    forMachine: true,
    role: 'operator',
    userId: owner.id,
  });
  await writeLocalCredential(dataDir, { apiKey: raw });
}
