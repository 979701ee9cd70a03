import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** The keyed hashes say who tries to log in, and from where. */
export interface LoginSource {
  accountHash: string;
  addressHash: string;
}

/** This many failures cause no wait. Each later one doubles the wait, up to 15 minutes. */
const freeFailures = 5;
const firstWaitSeconds = 10;
const longestWaitSeconds = 900;

/**
 * Counts a failure in advance, in one statement: of simultaneous attempts, only those before the wait begins
 * pass. The result is the seconds to wait if the account is blocked for this address, otherwise null. A day
 * without failures resets the count.
 */
export async function takeLoginAttempt(db: Queryable, source: LoginSource): Promise<number | null> {
  const { accountHash, addressHash } = source;
  const failures = sql`case when login_failure.failed_at < now() - interval '1 day' then 1 else login_failure.failures + 1 end`;
  const { rows } = await sql<{ taken: boolean; wait_seconds: number | null }>`
    with taken as (
      insert into login_failure (account_hash, address_hash, failures, blocked_until, failed_at)
      values (${accountHash}, ${addressHash}, 1, now(), now())
      on conflict (account_hash, address_hash) do update set
        failures = ${failures}, failed_at = now(),
        blocked_until = now() + make_interval(secs =>
          case when ${failures} < ${freeFailures} then 0
               else least(${longestWaitSeconds}, ${firstWaitSeconds} * power(2, least(20, ${failures} - ${freeFailures}))) end)
      where login_failure.blocked_until <= now()
      returning 1
    )
    select exists (select from taken) as taken,
      (select greatest(1, ceil(extract(epoch from blocked_until - now())))::int from login_failure
       where account_hash = ${accountHash} and address_hash = ${addressHash}) as wait_seconds`.execute(db);
  return rows[0].taken ? null : (rows[0].wait_seconds ?? 1);
}

/** Deletes the failures from this address after the right password, and remembers the address. */
export async function rememberLogin(trx: Transaction, source: LoginSource, userId: string): Promise<void> {
  await trx
    .deleteFrom('login_failure')
    .where('account_hash', '=', source.accountHash)
    .where('address_hash', '=', source.addressHash)
    .execute();
  await trx
    .insertInto('login_address')
    .values({ user_id: userId, address_hash: source.addressHash })
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'address_hash']).doUpdateSet({ last_login_at: sql`clock_timestamp()` }),
    )
    .execute();
}

/** Returns true if the right password came from this address before. */
export async function isKnownAddress(db: Queryable, userId: string, addressHash: string): Promise<boolean> {
  const row = await db
    .selectFrom('login_address')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('address_hash', '=', addressHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes the failures of an account from every address. */
export async function deleteLoginFailures(db: Queryable, accountHash: string): Promise<void> {
  await db.deleteFrom('login_failure').where('account_hash', '=', accountHash).execute();
}

/** Deletes failures of more than a day ago, and addresses that were not used for 90 days. */
export async function deleteOldLogins(db: Queryable): Promise<void> {
  await db
    .deleteFrom('login_failure')
    .where('failed_at', '<', sql<string>`now() - interval '1 day'`)
    .execute();
  await db
    .deleteFrom('login_address')
    .where('last_login_at', '<', sql<string>`now() - interval '90 days'`)
    .execute();
}
