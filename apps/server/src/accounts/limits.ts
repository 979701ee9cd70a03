import { type AccountRole, ProblemError, type RateName } from '@kindred/contracts';
import type { Queryable, Transaction } from '../store/db.js';
import { takeUnits } from '../store/quotas.repository.js';
import type { Principal } from './principal.js';
import type { AccountSettings } from './settings.js';

export interface Rate {
  limit: number;
  periodSeconds: number;
}

const periods: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** Reads `10/minute` or `10/minute;100/day`. @throws Error naming the part that is not understood */
export function parseRates(text: string): Rate[] {
  return text.split(';').map((part) => {
    const match = /^\s*(\d{1,9})\s*\/\s*(second|minute|hour|day)s?\s*$/.exec(part);
    if (match === null) {
      throw new Error(`rate limit ${JSON.stringify(part)}: write it like 10/minute, several joined by ";"`);
    }
    return { limit: Number(match[1]), periodSeconds: periods[match[2]] };
  });
}

/** Headers that tell the caller what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Record<'ratelimit' | 'ratelimit-policy', string>;

/**
 * Counts one request against every period of the limit. Refused: what was taken from the other periods stays taken, so that hammering
 * does not pay.
 * @throws ProblemError rate_limited with Retry-After
 */
export async function takeRate(
  db: Queryable,
  name: RateName,
  rates: readonly Rate[],
  principalKey: string,
): Promise<LimitHeaders> {
  let tightest = { left: Number.POSITIVE_INFINITY, reset: 0 };
  const policy = rates.map((rate) => `"${name}";q=${rate.limit};w=${rate.periodSeconds}`).join(', ');
  for (const rate of rates) {
    const allowance = {
      key: principalKey,
      resource: `rate:${name}:${rate.limit}/${rate.periodSeconds}`,
      ...rate,
    };
    const { granted, count, resetSeconds } = await takeUnits(db, allowance, 1);
    const left = granted ? rate.limit - count : 0;
    if (left < tightest.left) tightest = { left, reset: resetSeconds };
    if (!granted) {
      throw new ProblemError(
        'rate_limited',
        `At most ${rate.limit} requests per ${rate.periodSeconds} s. Try again in ${resetSeconds} s.`,
        { headers: { 'retry-after': String(resetSeconds), ...limitHeaders(name, policy, 0, resetSeconds) } },
      );
    }
  }
  return limitHeaders(name, policy, tightest.left, tightest.reset);
}

function limitHeaders(name: string, policy: string, left: number, reset: number): LimitHeaders {
  return { ratelimit: `"${name}";r=${left};t=${reset}`, 'ratelimit-policy': policy };
}

export type QuotaResource = 'sequences' | 'jobs';
/** Whose quota it is. `key`: account, or the salted address of an anonymous caller; known before the transaction begins. */
export interface QuotaSubject {
  principal: Principal;
  key: string;
}

/**
 * Takes units of the daily quota inside the transaction that queues the work, so that refused or failed work is not counted.
 * @throws ProblemError quota_exceeded with Retry-After (seconds to UTC midnight)
 */
export async function takeQuota(
  trx: Transaction,
  settings: AccountSettings,
  { principal, key }: QuotaSubject,
  take: { resource: QuotaResource; units: number },
): Promise<void> {
  if (principal.kind === 'development') return;
  const quota = settings.quotas[principal.role as AccountRole | 'viewer'];
  const limit = take.resource === 'sequences' ? quota.sequencesPerDay : quota.jobsPerDay;
  if (limit === null) return;
  const resource = `${take.resource}_per_day`;
  const { granted, count, resetSeconds } = await takeUnits(
    trx,
    { key, resource, limit, periodSeconds: 86_400 },
    take.units,
  );
  if (granted) return;
  const asked = `${take.units} more would pass the quota of ${limit} ${take.resource} per day (${count} used).`;
  throw new ProblemError('quota_exceeded', `${asked} It starts anew in ${resetSeconds} s.`, {
    headers: {
      'retry-after': String(resetSeconds),
      ratelimit: `"${resource}";r=${Math.max(0, limit - count)};t=${resetSeconds}`,
    },
  });
}
