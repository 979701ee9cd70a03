import type { AccountRole, RateName } from '@kindred/contracts';
import { rateSettingRows } from '../ground/settings/rates.js';
import { defaultsOf } from '../ground/settings/setting-row.js';

/** An account has these limits per UTC day; null means no limit. */
export interface DailyQuota {
  sequencesPerDay: number | null;
  jobsPerDay: number | null;
}

export interface AccountSettings {
  /** If false, every request passes as admin (development only). */
  authnRequired: boolean;
  /** The secret has at least 32 bytes. */
  jwtSecret: string;
  passwordMinLength: number;
  /** The rates are strings such as `10/minute`, joined by `;`. */
  rateLimits: Record<RateName, string>;
  /** These rates belong to one role, and win over the rates for everyone. */
  roleRates?: Partial<Record<AccountRole, Partial<Record<RateName, string>>>>;
  /** Each role has its quotas. `viewer` is the anonymous caller, counted by a salted hash of the address. */
  quotas: Record<AccountRole | 'viewer', DailyQuota>;
}

/** An institution whose people may sign in by OpenID Connect; SVC_OIDC_PROVIDERS lists them. */
export interface InstitutionSettings {
  /** The name is part of addresses. */
  name: string;
  title: string;
  issuer: string;
  clientId: string;
  /** A public client has no secret. */
  clientSecret: string | null;
  scope: string;
  /** The claim with what decides the role, such as `groups` or `realm_access.roles`; null leaves roles to administrators. */
  roleClaim: string | null;
  roles: Readonly<Record<string, AccountRole>>;
}

/** The settings SVC_SMTP_* give these values. */
export interface MailSettings {
  host: string;
  port: number;
  /** `starttls` is required, not just tried. */
  security: 'starttls' | 'tls' | 'none';
  login: { user: string; password: string } | null;
  /** The sender is `Name <address>` or an address. */
  from: string;
  /**
   * SVC_BASE_URL gives this address. Links are never made from a request's Host, which its sender chooses.
   */
  baseUrl: string;
}

/** The figures stand in the specification's Limits section. */
export const defaultQuotas: AccountSettings['quotas'] = {
  viewer: { sequencesPerDay: 10, jobsPerDay: 0 },
  guest: { sequencesPerDay: 10, jobsPerDay: 0 },
  researcher: { sequencesPerDay: 1000, jobsPerDay: 100 },
  operator: { sequencesPerDay: null, jobsPerDay: null },
  admin: { sequencesPerDay: null, jobsPerDay: null },
};
/** An installation that sets no rates has these. */
export const defaultRateLimits: AccountSettings['rateLimits'] = defaultsOf(rateSettingRows);
