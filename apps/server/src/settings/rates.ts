import { rate } from './schemas.js';
import type { SettingRow } from './setting-row.js';

/** How often one caller may ask. */
export const rateSettingRows = {
  rateJobs: {
    env: 'SVC_RATELIMIT_JOBS',
    yaml: 'auth.rate_limits.jobs',
    schema: rate('10/minute'),
    example: '100/minute',
    description: 'POST /jobs',
  },
  rateDatasets: {
    env: 'SVC_RATELIMIT_DATASETS',
    yaml: 'auth.rate_limits.datasets',
    schema: rate('5/minute'),
    example: '20/minute',
    description: 'POST /datasets and /datasets/import-by-reference',
  },
  rateImports: {
    env: 'SVC_RATELIMIT_IMPORTS',
    yaml: 'auth.rate_limits.imports',
    schema: rate('5/minute'),
    example: '20/minute',
    description: 'POST /reranker-models/import and /reranker-models/import-by-reference',
  },
  rateApiKeys: {
    env: 'SVC_RATELIMIT_API_KEYS',
    yaml: 'auth.rate_limits.api_keys',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /auth/api-keys',
  },
  rateApiKeyLogin: {
    env: 'SVC_RATELIMIT_API_KEY_LOGIN',
    yaml: 'auth.rate_limits.api_key_login',
    schema: rate('5/hour'),
    example: '60/hour',
    description: 'POST /auth/api-key-login',
  },
  rateSignup: {
    env: 'SVC_RATELIMIT_SIGNUP',
    yaml: 'auth.rate_limits.signup',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /auth/signup',
  },
  rateLogin: {
    env: 'SVC_RATELIMIT_LOGIN',
    yaml: 'auth.rate_limits.login',
    schema: rate('30/minute'),
    example: '10/minute',
    description: 'POST /auth/login',
  },
  rateSupport: {
    env: 'SVC_RATELIMIT_SUPPORT',
    yaml: 'auth.rate_limits.support',
    schema: rate('5/hour'),
    example: '20/hour',
    description: 'POST /support',
  },
} as const satisfies Record<string, SettingRow>;
