import type { Queryable, Transaction } from '../postgres/connection.js';

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface IdempotencyClaim {
  principal: string;
  route: string;
  key: string;
  bodySha256: string;
}

/**
 * Claims the key inside the transaction that does the work. A second request with the same key waits for the
 * first one's commit and then gets its answer. If the first one rolled back, the second one does the work.
 * Null means that the claim is new.
 */
export async function claimKey(
  trx: Transaction,
  claim: IdempotencyClaim,
): Promise<{ bodySha256: string; answer: StoredAnswer } | null> {
  const inserted = await trx
    .insertInto('idempotency_key')
    .values({ principal: claim.principal, route: claim.route, key: claim.key, body_sha256: claim.bodySha256 })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (inserted !== undefined) return null;
  const row = await trx
    .selectFrom('idempotency_key')
    .selectAll()
    .where('principal', '=', claim.principal)
    .where('route', '=', claim.route)
    .where('key', '=', claim.key)
    .executeTakeFirstOrThrow();
  return {
    bodySha256: row.body_sha256,
    answer: { status: row.status ?? 200, headers: row.headers ?? {}, body: row.body },
  };
}

/**
 * Returns true if a request with this key was answered. A repeated request is not judged by what has changed
 * since.
 */
export async function isClaimed(db: Queryable, claim: IdempotencyClaim | null): Promise<boolean> {
  if (claim === null) return false;
  const row = await db
    .selectFrom('idempotency_key')
    .select('key')
    .where('principal', '=', claim.principal)
    .where('route', '=', claim.route)
    .where('key', '=', claim.key)
    .executeTakeFirst();
  return row !== undefined;
}

export async function storeAnswer(
  trx: Transaction,
  claim: IdempotencyClaim,
  answer: StoredAnswer,
): Promise<void> {
  await trx
    .updateTable('idempotency_key')
    .set({
      status: answer.status,
      headers: JSON.stringify(answer.headers),
      body: JSON.stringify(answer.body),
    })
    .where('principal', '=', claim.principal)
    .where('route', '=', claim.route)
    .where('key', '=', claim.key)
    .execute();
}
