import type { AccountRole, RateName } from '@kindred/contracts';
import { rateSettingRows } from '../ground/settings/rates.js';
import { defaultsOf } from '../ground/settings/setting-row.js';

/** Limits of an account per UTC day; null: no limit. */
export interface DailyQuota {
  sequencesPerDay: number | null;
  jobsPerDay: number | null;
}

export interface AccountSettings {
  /** false: every request passes as admin (development only). */
  authnRequired: boolean;
  /** Secret of at least 32 bytes. */
  jwtSecret: string;
  passwordMinLength: number;
  /** Rate strings such as `10/minute`, joined by `;`. */
  rateLimits: Record<RateName, string>;
  /** Rates of one role; they win over the rates for everyone. */
  roleRates?: Partial<Record<AccountRole, Partial<Record<RateName, string>>>>;
  /** `viewer` is the anonymous caller, counted by a salted hash of the address. */
  quotas: Record<AccountRole | 'viewer', DailyQuota>;
}

/** Settings SVC_SMTP_*. */
export interface MailSettings {
  host: string;
  port: number;
  /** `starttls` is required, not just tried. */
  security: 'starttls' | 'tls' | 'none';
  login: { user: string; password: string } | null;
  /** `Name <address>` or an address. */
  from: string;
  /** SVC_BASE_URL: links are never made from a request's Host, which its sender chooses. */
  baseUrl: string;
}

/** The figures of the specification's Limits section. */
export const defaultQuotas: AccountSettings['quotas'] = {
  viewer: { sequencesPerDay: 10, jobsPerDay: 0 },
  guest: { sequencesPerDay: 10, jobsPerDay: 0 },
  researcher: { sequencesPerDay: 1000, jobsPerDay: 100 },
  operator: { sequencesPerDay: null, jobsPerDay: null },
  admin: { sequencesPerDay: null, jobsPerDay: null },
};
/** Rates of an installation that sets none. */
export const defaultRateLimits: AccountSettings['rateLimits'] = defaultsOf(rateSettingRows);
