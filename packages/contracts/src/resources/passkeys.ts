import { z } from 'zod';
import { routesOf } from '../route.js';
import { accountReply } from './auth.js';

const base64url = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[A-Za-z0-9_-]+$/, 'expected base64url');
const credentialId = base64url(1400);

// Browsers add members of their own to what the standard names; the library checks those that count.
const credential = z.looseObject({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}),
});
const clientDataJSON = base64url(8000);
const registered = credential.extend({
  response: z.looseObject({
    clientDataJSON,
    attestationObject: base64url(40_000),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});
const asserted = credential.extend({
  response: z.looseObject({
    clientDataJSON,
    authenticatorData: base64url(8000),
    signature: base64url(12_000),
    userHandle: base64url(200).optional(),
  }),
});

export const passkeyName = z.string().trim().min(1).max(60);

const passkeyReply = z.object({
  id: z.guid(),
  name: z.string(),
  host: z
    .string()
    .meta({ description: 'The host name of the service that it was made at; it signs in there alone' }),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
/** The options go to the browser as they are: their members are those of the WebAuthn standard. */
const options = z.looseObject({ challenge: z.string() });

export const passkeyRoutes = routesOf('authentication', {
  listPasskeys: {
    method: 'GET',
    path: '/auth/passkeys',
    floor: 'guest',
    summary: 'Passkeys of the own account',
    reply: { 200: z.array(passkeyReply) },
  },
  beginPasskey: {
    method: 'POST',
    path: '/auth/passkeys/options',
    floor: 'guest',
    refuses: [403, 409],
    summary: 'What the browser needs to make a passkey; for a session of the page',
    rate: 'login',
    reply: { 200: options },
  },
  addPasskey: {
    method: 'POST',
    path: '/auth/passkeys',
    floor: 'guest',
    refuses: [403, 409],
    summary: 'Add a passkey that the browser made to the own account',
    rate: 'login',
    body: z.strictObject({ name: passkeyName, credential: registered }),
    reply: { 201: passkeyReply },
  },
  removePasskey: {
    method: 'DELETE',
    path: '/auth/passkeys/:id',
    floor: 'guest',
    refuses: [404],
    summary: 'Remove a passkey from the own account',
    params: z.strictObject({ id: z.guid() }),
    reply: { 204: z.null() },
  },
  beginPasskeyLogin: {
    method: 'POST',
    path: '/auth/passkey-login/options',
    floor: 'viewer',
    refuses: [403],
    summary: 'What the browser needs to sign in by a passkey',
    ignoresCredential: true,
    rate: 'login',
    reply: { 200: options },
  },
  logInByPasskey: {
    method: 'POST',
    path: '/auth/passkey-login',
    floor: 'viewer',
    refuses: [401, 403],
    summary: 'Log in by a passkey; sets the session cookie',
    ignoresCredential: true,
    rate: 'login',
    body: z.strictObject({ credential: asserted }),
    reply: { 200: accountReply },
  },
});
