import { institutionNamePattern, institutionNameWords } from '@kindred/contracts/institutions';
import { accountRoles } from '@kindred/contracts/roles';
import { z } from 'zod';

/** An address with encryption, or one of this machine, where nobody else listens. */
const issuer = z
  .string()
  .trim()
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return (
      protocol === 'https:' || (protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
    );
  }, 'issuer must be an https:// address');
const provider = z
  .strictObject({
    name: z.string().regex(institutionNamePattern, `name must have ${institutionNameWords}`),
    title: z.string().trim().min(1).max(80).optional(),
    issuer,
    client_id: z.string().min(1),
    client_secret: z.string().min(1).optional(),
    scope: z.string().default('openid email profile'),
    role_claim: z.string().min(1).optional(),
    roles: z.record(z.string(), z.enum(accountRoles)).optional(),
  })
  .refine(({ scope }) => scope.split(' ').includes('openid'), 'scope must contain openid')
  .refine(
    ({ role_claim, roles }) => (role_claim === undefined) === (roles === undefined),
    'role_claim and roles are set together or not at all',
  )
  .transform((one) => ({
    name: one.name,
    title: one.title ?? one.name,
    issuer: one.issuer,
    clientId: one.client_id,
    clientSecret: one.client_secret ?? null,
    scope: one.scope,
    roleClaim: one.role_claim ?? null,
    roles: one.roles ?? {},
  }));

/** The variable has the list as JSON; the settings file has it as YAML. */
export const institutionsSchema = z
  .preprocess(
    (value) => {
      if (typeof value !== 'string') return value;
      try {
        return JSON.parse(value);
      } catch {
        return value;
      }
    },
    z
      .array(provider, 'must be a list of institutions, as JSON in the variable')
      .max(20)
      .refine(
        (all) => new Set(all.map(({ name }) => name)).size === all.length,
        'names the same institution twice',
      ),
  )
  .default([]);
