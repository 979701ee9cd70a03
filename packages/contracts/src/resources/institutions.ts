import { z } from 'zod';
import { booleanQuery } from '../fields.js';
import { institutionNamePattern, institutionNameWords } from '../institutions.js';
import { routesOf } from '../route.js';

const institutionName = z.string().regex(institutionNamePattern, `expected ${institutionNameWords}`);

const institution = z.object({
  name: institutionName,
  title: z.string().meta({ description: 'For the button' }),
});
const params = z.strictObject({ institution: institutionName });

export const identityReply = z.object({
  id: z.guid(),
  institution: z
    .string()
    .meta({ description: 'Its title, or its address where the settings no longer have it' }),
  email: z.string().nullable().meta({ description: 'As the institution gave it at the last login' }),
  created_at: z.string(),
  last_login_at: z.string().nullable(),
  logout_url: z.string().nullable().meta({ description: 'Ends the session at the institution, too' }),
});

const toPage = z.null().meta({
  description: 'To /, with the session cookie; to /sign-in?outcome=... where nobody was signed in',
});

export const institutionRoutes = routesOf('authentication', {
  listInstitutions: {
    method: 'GET',
    path: '/auth/institutions',
    floor: 'viewer',
    summary: 'Institutions whose accounts can sign in (OpenID Connect)',
    ignoresCredential: true,
    reply: { 200: z.array(institution) },
  },
  startInstitutionLogin: {
    method: 'GET',
    path: '/auth/institutions/:institution/login',
    floor: 'viewer',
    refuses: [404],
    summary: 'Sign in by an institution: leads a browser to its page',
    rate: 'login',
    params,
    query: z.strictObject({
      link: booleanQuery
        .optional()
        .meta({ description: 'Links the institution to the account that is signed in' }),
    }),
    head: false,
    reply: { 302: z.null().meta({ description: 'To the page of the institution' }) },
  },
  finishInstitutionLogin: {
    method: 'GET',
    path: '/auth/institutions/:institution/callback',
    floor: 'viewer',
    refuses: [404],
    summary: 'Where the institution sends the browser back',
    ignoresCredential: true,
    rate: 'login',
    params,
    // Institutions may add parameters of their own; the client library checks those of the protocol.
    query: z.looseObject({ state: z.string().max(2000).optional(), code: z.string().max(4000).optional() }),
    head: false,
    reply: { 302: toPage },
  },
  listIdentities: {
    method: 'GET',
    path: '/auth/identities',
    floor: 'guest',
    summary: 'Institutions that are linked to the own account',
    reply: { 200: z.array(identityReply) },
  },
  removeIdentity: {
    method: 'DELETE',
    path: '/auth/identities/:id',
    floor: 'guest',
    refuses: [404],
    summary: 'Unlink an institution from the own account',
    params: z.strictObject({ id: z.guid() }),
    reply: { 204: z.null() },
  },
});
