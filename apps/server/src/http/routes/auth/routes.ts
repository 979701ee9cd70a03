import { noBody, noQuery } from '@kindred/contracts/fields';
import {
  accountReply,
  exchangeBody,
  exchangeReply,
  loginBody,
  signupBody,
  signupReply,
} from '@kindred/contracts/resources/auth';
import { exchangeKey } from '../../../accounts/api-keys.js';
import { logIn, logOut } from '../../../accounts/login.js';
import { signUp } from '../../../accounts/signup.js';
import { sessionSeconds } from '../../../accounts/tokens.js';
import { touchSession } from '../../../store/accounts/sessions.repository.js';
import { z } from 'zod';
import type { Api, RouteDeps } from '../../deps.js';
import { cookieName, requireAccount } from '../../plugins/credentials.js';
import { presentAccount, presentSignup } from './present.js';

export const cookieOptions = { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } as const;

export function authRoutes(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  api.post(
    '/auth/signup',
    { schema: { body: signupBody, querystring: noQuery, response: { 201: signupReply } } },
    async (request, reply) => {
      const user = await signUp(db, request.body, settings.passwordMinLength);
      return reply.code(201).send(presentSignup(user));
    },
  );
  api.post(
    '/auth/login',
    { schema: { body: loginBody, querystring: noQuery, response: { 200: accountReply } } },
    async (request, reply) => {
      const { user, token } = await logIn(db, settings.jwtSecret, {
        ...request.body,
        userAgent: request.headers['user-agent'] ?? null,
        clientHash: await deps.clients.hash(request.ip),
      });
      reply.setCookie(cookieName, token, { ...cookieOptions, maxAge: sessionSeconds });
      reply.header('cache-control', 'no-store');
      return presentAccount(user);
    },
  );
  api.post(
    '/auth/logout',
    { schema: { body: noBody, querystring: noQuery, response: { 204: z.null() } } },
    async (request, reply) => {
      await logOut(db, settings.jwtSecret, request.cookies[cookieName]);
      return reply.clearCookie(cookieName, cookieOptions).code(204).send(null);
    },
  );
  api.get(
    '/auth/me',
    { schema: { querystring: noQuery, response: { 200: accountReply } } },
    async (request, reply) => {
      const user = requireAccount(request.principal);
      if (request.principal.jti !== null) await touchSession(db, request.principal.jti);
      reply.header('cache-control', 'no-store');
      return presentAccount(user, request.principal.role);
    },
  );
  api.post(
    '/auth/api-key-login',
    { schema: { body: exchangeBody, querystring: noQuery, response: { 200: exchangeReply } } },
    async (request, reply) => {
      const { api_key, ttl_seconds } = request.body;
      const exchanged = await exchangeKey(db, settings.jwtSecret, api_key, ttl_seconds);
      reply.header('cache-control', 'no-store');
      const { token, expiresIn, role, keyId } = exchanged;
      return { token, token_type: 'Bearer' as const, expires_in: expiresIn, role, sub: keyId };
    },
  );
}
