import { z } from 'zod';
import { accountRoles } from '../roles.js';
import { routesOf } from '../route.js';
import { accountStatuses } from '../vocabulary.js';

export const maxPasswordLength = 1024;

export const email = z
  .string()
  .trim()
  .toLowerCase()
  .min(3)
  .max(255)
  .pipe(z.email('expected an e-mail address'))
  .meta({ description: 'E-mail address' });
// A password with a limit of its length alone: signup checks its strength, and login checks whether it is right.
export const password = z.string().min(1).max(maxPasswordLength);

/** The scripts with letters that look like Latin ones. */
const lookAlikeScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
/**
 * A name that people can distinguish from others by reading: without invisible characters, compatibility forms, and look-alike letters
 * beside Latin ones.
 */
const username = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'’-]*$/u, "expected letters, digits, blanks and . _ @ + ' -")
  .refine(
    (name) => name.normalize('NFKC') === name,
    'has a character that looks like another; write the usual one',
  )
  .refine(
    (name) => !(/\p{Script=Latin}/u.test(name) && lookAlikeScripts.test(name)),
    'mixes Latin letters with those of another script that look alike',
  );

export const signupBody = z.strictObject({
  email,
  username,
  password,
  display_name: z.string().trim().max(255).nullish(),
  intended_use: z.string().trim().max(2000).nullish(),
});
export const signupReply = z.object({
  id: z.guid(),
  email: z.string(),
  username: z.string(),
  status: z.enum(accountStatuses),
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

const token = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'expected the 43 characters of the mail')
  .meta({ description: 'From the mail; works once, within 15 minutes' });

export const mailBody = z.strictObject({ email });
export const linkQuery = z.strictObject({ token });
export const newPasswordBody = z.strictObject({ token, new_password: password });

export const changePasswordBody = z.strictObject({ password, new_password: password });

const mailReply = { 204: z.null().meta({ description: 'The same whether the account exists or not' }) };

export const authRoutes = routesOf('authentication', {
  signUp: {
    method: 'POST',
    path: '/auth/signup',
    floor: 'viewer',
    refuses: [409],
    summary: 'Ask for an account',
    ignoresCredential: true,
    rate: 'signup',
    body: signupBody,
    reply: { 201: signupReply },
  },
  logIn: {
    method: 'POST',
    path: '/auth/login',
    floor: 'viewer',
    refuses: [401, 429],
    summary: 'Log in; sets the session cookie',
    ignoresCredential: true,
    rate: 'login',
    body: loginBody,
    reply: { 200: accountReply },
  },
  logOut: {
    method: 'POST',
    path: '/auth/logout',
    floor: 'viewer',
    summary: 'Log out; revokes the session',
    ignoresCredential: true,
    reply: { 204: z.null() },
  },
  requestMagicLink: {
    method: 'POST',
    path: '/auth/magic-link/request',
    floor: 'viewer',
    refuses: [404],
    summary: 'Ask for a mail with a link that logs in',
    ignoresCredential: true,
    rate: 'login',
    body: mailBody,
    reply: mailReply,
  },
  consumeMagicLink: {
    method: 'GET',
    path: '/auth/magic-link/consume',
    floor: 'viewer',
    refuses: [401, 403, 404],
    summary: 'Log in by the link of a mail',
    ignoresCredential: true,
    rate: 'login',
    query: linkQuery,
    head: false,
    reply: { 302: z.null().meta({ description: 'To /, with the session cookie' }) },
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/auth/password-reset/request',
    floor: 'viewer',
    refuses: [404],
    summary: 'Ask for a mail to set a new password',
    ignoresCredential: true,
    rate: 'login',
    body: mailBody,
    reply: mailReply,
  },
  consumePasswordReset: {
    method: 'POST',
    path: '/auth/password-reset/consume',
    floor: 'viewer',
    refuses: [401, 404],
    summary: 'Set a new password with the token of a mail',
    ignoresCredential: true,
    rate: 'login',
    body: newPasswordBody,
    reply: { 204: z.null() },
  },
  me: {
    method: 'GET',
    path: '/auth/me',
    floor: 'guest',
    summary: 'The account behind the credential',
    reply: { 200: accountReply },
  },
  changePassword: {
    method: 'POST',
    path: '/auth/password',
    floor: 'guest',
    summary: 'Change the own password; all other sessions end, API keys stay',
    rate: 'login',
    body: changePasswordBody,
    reply: { 204: z.null() },
  },
  exchangeKey: {
    method: 'POST',
    path: '/auth/api-key-login',
    floor: 'viewer',
    refuses: [401],
    summary: 'Exchange an API key for a short-lived Bearer token',
    ignoresCredential: true,
    rate: 'api_key_login',
    body: exchangeBody,
    reply: { 200: exchangeReply },
  },
});
