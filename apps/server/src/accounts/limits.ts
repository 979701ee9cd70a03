import { type AccountRole, ProblemError, type RateName } from '@kindred/contracts';
import type { Queryable, Transaction } from '../store/postgres/db.js';
import {
  type Allowance,
  returnUnits,
  type Taken,
  takeUnits,
  usedUnits,
} from '../store/accounts/quotas.repository.js';
import type { Principal } from './principal.js';
import type { AccountSettings } from './settings.js';

export interface Rate {
  limit: number;
  periodSeconds: number;
}

const periods: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/**
 * Reads `10/minute` or `10/minute;100/day`.
 * @throws Error naming the part that it cannot read
 */
export function parseRates(text: string): Rate[] {
  return text.split(';').map((part) => {
    const match = /^\s*(\d{1,9})\s*\/\s*(second|minute|hour|day)s?\s*$/.exec(part);
    if (match === null) {
      throw new Error(`rate limit ${JSON.stringify(part)}: write it like 10/minute, several joined by ";"`);
    }
    return { limit: Number(match[1]), periodSeconds: periods[match[2]] };
  });
}

/** The headers tell the caller what is left (draft-ietf-httpapi-ratelimit-headers). */
export type LimitHeaders = Record<'ratelimit' | 'ratelimit-policy', string>;

/**
 * Counts one request against every period of the limit. A refusal gives nothing back to the other periods, so that repeated
 * attempts do not pay off.
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
    const { granted, count, resetSeconds } = await takeUnits(db, allowanceOf(name, rate, principalKey), 1);
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

/** Gives back a request that did no work. */
export async function returnRate(
  db: Queryable,
  name: RateName,
  rates: readonly Rate[],
  principalKey: string,
): Promise<void> {
  for (const rate of rates) await returnUnits(db, allowanceOf(name, rate, principalKey), 1);
}

function allowanceOf(name: RateName, rate: Rate, key: string): Allowance {
  return { key, resource: `rate:${name}:${rate.limit}/${rate.periodSeconds}`, ...rate };
}

function limitHeaders(name: string, policy: string, left: number, reset: number): LimitHeaders {
  return { ratelimit: `"${name}";r=${left};t=${reset}`, 'ratelimit-policy': policy };
}

export type QuotaResource = 'sequences' | 'jobs';
/**
 * The quota belongs to this subject. `key` names the account, or the salted address of an anonymous caller;
 * it is known before the transaction begins.
 */
export interface QuotaSubject {
  principal: Principal;
  key: string;
}

/** Gives the daily allowance of a caller; null means no limit. */
function dailyAllowance(
  settings: AccountSettings,
  { principal, key }: QuotaSubject,
  resource: QuotaResource,
): Allowance | null {
  if (principal.kind === 'development') return null;
  const quota = settings.quotas[principal.role as AccountRole | 'viewer'];
  const limit = resource === 'sequences' ? quota.sequencesPerDay : quota.jobsPerDay;
  return limit === null ? null : { key, resource: `${resource}_per_day`, limit, periodSeconds: 86_400 };
}

/** Gives the caller's daily limit and its used part; null means no limit. The call takes nothing. */
export async function quotaToday(
  db: Queryable,
  settings: AccountSettings,
  who: QuotaSubject,
  resource: QuotaResource,
): Promise<{ limit: number; used: number } | null> {
  const allowance = dailyAllowance(settings, who, resource);
  return allowance === null ? null : { limit: allowance.limit, used: await usedUnits(db, allowance) };
}

/**
 * Refuses a caller who has nothing left today, before the body of the request is read. This check does not
 * count.
 * @throws ProblemError quota_exceeded with Retry-After (seconds to UTC midnight)
 */
export async function requireQuotaLeft(
  db: Queryable,
  settings: AccountSettings,
  who: QuotaSubject,
  resource: QuotaResource,
): Promise<void> {
  const allowance = dailyAllowance(settings, who, resource);
  if (allowance === null) return;
  const used = await usedUnits(db, allowance);
  if (used < allowance.limit) return;
  const midnight = new Date().setUTCHours(24, 0, 0, 0);
  const resetSeconds = Math.ceil((midnight - Date.now()) / 1000);
  throw quotaExceeded({ resource, units: 1 }, allowance, { count: used, resetSeconds });
}

/**
 * Takes units of the daily quota inside the transaction that queues the work, so that refused or failed work is not counted.
 * @throws ProblemError quota_exceeded with Retry-After (seconds to UTC midnight)
 */
export async function takeQuota(
  trx: Transaction,
  settings: AccountSettings,
  who: QuotaSubject,
  take: { resource: QuotaResource; units: number },
): Promise<void> {
  const allowance = dailyAllowance(settings, who, take.resource);
  if (allowance === null) return;
  const taken = await takeUnits(trx, allowance, take.units);
  if (!taken.granted) throw quotaExceeded(take, allowance, taken);
}

function quotaExceeded(
  take: { resource: QuotaResource; units: number },
  { limit, resource }: Allowance,
  { count, resetSeconds }: Pick<Taken, 'count' | 'resetSeconds'>,
): ProblemError {
  const asked = `${take.units} more would exceed the quota of ${limit} ${take.resource} per day (${count} used).`;
  return new ProblemError('quota_exceeded', `${asked} It starts again in ${resetSeconds} s.`, {
    headers: {
      'retry-after': String(resetSeconds),
      ratelimit: `"${resource}";r=${Math.max(0, limit - count)};t=${resetSeconds}`,
    },
  });
}
