import { accountRoles } from '@kindred/contracts';
import { z } from 'zod';
import { maxPasswordLength } from '../../../accounts/passwords.js';

export const email = z
  .string()
  .trim()
  .toLowerCase()
  .min(3)
  .max(255)
  .pipe(z.email('expected an e-mail address'))
  .meta({ description: 'E-mail address' });
// Only bounded here: whether it is good enough is decided at signup, whether it is right at login.
export const password = z.string().min(1).max(maxPasswordLength);

export const signupBody = z.strictObject({
  email,
  username: z.string().trim().min(1).max(100),
  password,
  display_name: z.string().trim().max(255).nullish(),
  intended_use: z.string().trim().max(2000).nullish(),
});
export const signupReply = z.object({
  id: z.guid(),
  email: z.string(),
  username: z.string(),
  status: z.enum(['pending', 'active', 'deactivated']),
});

export const loginBody = z.strictObject({
  email: z.string().trim().toLowerCase().min(1).max(255),
  password,
});
export const accountReply = signupReply.extend({
  display_name: z.string().nullable(),
  role: z.enum(accountRoles),
});

export const exchangeBody = z.strictObject({
  api_key: z.string().min(8).max(200),
  ttl_seconds: z.int().min(60).max(86_400).default(3600),
});
export const exchangeReply = z.object({
  token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  role: z.enum(accountRoles),
  sub: z.guid().meta({ description: 'Id of the API key; the token ends with it' }),
});
