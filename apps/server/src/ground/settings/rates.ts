import type { RateName } from '@kindred/contracts';
import { rate } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** Settings of the rate limits per caller. */
export const rateSettingRows = {
  jobs: {
    env: 'SVC_RATELIMIT_JOBS',
    yaml: 'auth.rate_limits.jobs',
    schema: rate('10/minute'),
    example: '100/minute',
    description: 'POST /jobs',
  },
  datasets: {
    env: 'SVC_RATELIMIT_DATASETS',
    yaml: 'auth.rate_limits.datasets',
    schema: rate('5/minute'),
    example: '20/minute',
    description: 'POST /datasets and /datasets/import-by-reference',
  },
  imports: {
    env: 'SVC_RATELIMIT_IMPORTS',
    yaml: 'auth.rate_limits.imports',
    schema: rate('5/minute'),
    example: '20/minute',
    description: 'POST /reranker-models/import and /reranker-models/import-by-reference',
  },
  api_keys: {
    env: 'SVC_RATELIMIT_API_KEYS',
    yaml: 'auth.rate_limits.api_keys',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /auth/api-keys',
  },
  api_key_login: {
    env: 'SVC_RATELIMIT_API_KEY_LOGIN',
    yaml: 'auth.rate_limits.api_key_login',
    schema: rate('5/hour'),
    example: '60/hour',
    description: 'POST /auth/api-key-login',
  },
  signup: {
    env: 'SVC_RATELIMIT_SIGNUP',
    yaml: 'auth.rate_limits.signup',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /auth/signup',
  },
  login: {
    env: 'SVC_RATELIMIT_LOGIN',
    yaml: 'auth.rate_limits.login',
    schema: rate('30/minute'),
    example: '10/minute',
    description: 'POST /auth/login',
  },
  support: {
    env: 'SVC_RATELIMIT_SUPPORT',
    yaml: 'auth.rate_limits.support',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /support',
  },
  webhooks: {
    env: 'SVC_RATELIMIT_WEBHOOKS',
    yaml: 'auth.rate_limits.webhooks',
    schema: rate('10/minute'),
    example: '5/minute',
    description: 'New webhooks, new secrets and tests of webhooks',
  },
  uploads: {
    env: 'SVC_RATELIMIT_UPLOADS',
    yaml: 'auth.rate_limits.uploads',
    schema: rate('120/minute'),
    example: '600/minute',
    description: 'POST /annotate, /annotate/check and /query-sets; refused uploads count, too',
  },
} as const satisfies Record<RateName, SettingRow>;
