import { z } from 'zod';
import { institutionsSchema } from './institutions.js';
import { flag, integer, optionalText } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const accountsSettingRows = {
  authnRequired: {
    env: 'SVC_AUTHN_REQUIRED',
    yaml: 'auth.required',
    schema: flag(true),
    example: 'false',
    description: 'false lets every request pass as admin: for development on this machine only',
  },
  jwtSecret: {
    env: 'SVC_JWT_SECRET',
    yaml: 'auth.jwt_secret',
    schema: z.string().min(32, 'must have 32 characters or more').nullable().default(null),
    whenUnset: 'created at the first start and kept in the data folder',
    example: '(32 random bytes in base64)',
    description: 'Signs session and access tokens; all API processes need the same',
    secret: true,
  },
  passwordMinLength: {
    env: 'SVC_PASSWORD_MIN_LENGTH',
    yaml: 'auth.password_min_length',
    schema: integer(8, 256, 8),
    example: '12',
    description: 'Shortest password',
  },
  institutions: {
    env: 'SVC_OIDC_PROVIDERS',
    yaml: 'auth.oidc_providers',
    schema: institutionsSchema,
    example:
      '[{"name":"lab","issuer":"https://login.lab.example","client_id":"kindred","client_secret":"..."}]',
    description:
      'Institutions whose accounts can sign in (OpenID Connect), with name, title, issuer, client_id, client_secret, scope, role_claim and roles; needs SVC_BASE_URL (docs/how-to/sign-in-by-an-institution.md)',
    secret: true,
  },
  bootstrapAdminEmail: {
    env: 'SVC_BOOTSTRAP_ADMIN_EMAIL',
    yaml: 'auth.bootstrap_admin_email',
    schema: optionalText,
    whenUnset: 'admin@kindred.local with the embedded database',
    example: 'ann@lab.example',
    description: 'E-mail of the administrator created at the first start, if there is none',
  },
  bootstrapAdminPassword: {
    env: 'SVC_BOOTSTRAP_ADMIN_PASSWORD',
    yaml: 'auth.bootstrap_admin_password',
    schema: optionalText,
    whenUnset: 'generated and printed once',
    example: '(a good one)',
    description: 'Password of that administrator',
    secret: true,
  },
} as const satisfies Record<string, SettingRow>;
