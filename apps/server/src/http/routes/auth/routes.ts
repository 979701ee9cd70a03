import { authRoutes } from '@kindred/contracts/resources/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { exchangeKey } from '../../../accounts/api-keys.js';
import { changePassword } from '../../../accounts/change-password.js';
import { logIn, logOut, type SessionRequest } from '../../../accounts/login.js';
import { signUp } from '../../../accounts/signup.js';
import { sessionSeconds } from '../../../accounts/tokens.js';
import { touchSession } from '../../../store/accounts/sessions.repository.js';
import type { Api, HttpSettings, RouteDeps } from '../../deps.js';
import { cookieName, requireAccount } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { developmentAccount, presentAccount, presentSignup } from './present.js';

/** The cookie of the session is limited to our path: other services of the host do not get it. */
export const cookieOptionsOf = ({ basePath }: Pick<HttpSettings, 'basePath'>) =>
  ({ path: basePath || '/', httpOnly: true, secure: true, sameSite: 'strict' }) as const;

/** Gives the facts of the browser that a session keeps. */
export const sessionRequestOf = async (
  request: FastifyRequest,
  { clients }: Pick<RouteDeps, 'clients'>,
): Promise<SessionRequest> => ({
  userAgent: request.headers['user-agent'] ?? null,
  clientHash: await clients.hash(request.ip),
});

/** Gives the browser the cookie of its session. */
export function setSession(
  reply: FastifyReply,
  token: string,
  settings: Pick<HttpSettings, 'basePath'>,
): void {
  reply.setCookie(cookieName, token, { ...cookieOptionsOf(settings), maxAge: sessionSeconds });
}

export function serveAuth(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  const cookieOptions = cookieOptionsOf(settings);
  serve(api, authRoutes.signUp, async (request, reply) => {
    const user = await signUp(db, request.body, settings.passwordMinLength);
    return reply.code(201).send(presentSignup(user));
  });
  serve(api, authRoutes.logIn, async (request, reply) => {
    const { user, token } = await logIn(db, settings.jwtSecret, {
      ...request.body,
      address: request.ip,
      ...(await sessionRequestOf(request, deps)),
    });
    setSession(reply, token, settings);
    reply.header('cache-control', 'no-store');
    return presentAccount(user);
  });
  serve(api, authRoutes.logOut, async (request, reply) => {
    await logOut(db, settings.jwtSecret, request.cookies[cookieName]);
    return reply.clearCookie(cookieName, cookieOptions).code(204).send(null);
  });
  serve(api, authRoutes.me, async (request, reply) => {
    const { principal } = request;
    if (principal.kind === 'development' && principal.user === null) return developmentAccount;
    const user = requireAccount(principal);
    if (request.principal.jti !== null) await touchSession(db, request.principal.jti);
    reply.header('cache-control', 'no-store');
    return presentAccount(user, request.principal.role);
  });
  serve(api, authRoutes.changePassword, async (request, reply) => {
    const user = requireAccount(request.principal);
    const { password, new_password: newPassword } = request.body;
    await changePassword(db, user, { password, newPassword, jti: request.principal.jti }, settings);
    return reply.code(204).send(null);
  });
  serve(api, authRoutes.exchangeKey, async (request, reply) => {
    const { api_key, ttl_seconds } = request.body;
    const exchanged = await exchangeKey(db, settings.jwtSecret, api_key, ttl_seconds);
    reply.header('cache-control', 'no-store');
    const { token, expiresIn, role, keyId } = exchanged;
    return { token, token_type: 'Bearer' as const, expires_in: expiresIn, role, sub: keyId };
  });
}
