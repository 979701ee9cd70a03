import { ProblemError } from '@kindred/contracts';
import { noQuery } from '@kindred/contracts/fields';
import { linkQuery, mailBody, newPasswordBody } from '@kindred/contracts/resources/auth';
import { z } from 'zod';
import { logInByLink, resetPassword } from '../../../accounts/mail-links.js';
import { sessionSeconds } from '../../../accounts/tokens.js';
import type { Api, RouteDeps } from '../../deps.js';
import { cookieName } from '../../plugins/credentials.js';
import { cookieOptions } from '../auth/routes.js';

const done = { 204: z.null().meta({ description: 'The same whether the account exists or not' }) };

/** Without SVC_SMTP_* every one of these answers 404. */
export function mailRoutes(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  const mail = () => {
    if (deps.mail !== null) return deps.mail;
    throw new ProblemError(
      'smtp_not_configured',
      'Mail is not set up here (SVC_SMTP_*). Log in with the password; an administrator can help who lost it.',
    );
  };
  for (const [purpose, path] of [
    ['magic_link', '/auth/magic-link/request'],
    ['password_reset', '/auth/password-reset/request'],
  ] as const) {
    api.post(
      path,
      { schema: { body: mailBody, querystring: noQuery, response: done } },
      async (request, reply) => {
        mail().request(purpose, request.body.email);
        return reply.code(204).send(null);
      },
    );
  }
  api.get(
    '/auth/magic-link/consume',
    {
      // A HEAD, which programs send to look at a link, must not use it up.
      exposeHeadRoute: false,
      schema: {
        querystring: linkQuery,
        response: { 302: z.null().meta({ description: 'To /, with the session cookie' }) },
      },
    },
    async (request, reply) => {
      mail();
      const { token } = await logInByLink(db, settings.jwtSecret, request.query.token, {
        userAgent: request.headers['user-agent'] ?? null,
        clientHash: await deps.clients.hash(request.ip),
      });
      reply.setCookie(cookieName, token, { ...cookieOptions, maxAge: sessionSeconds });
      return reply.header('cache-control', 'no-store').redirect('/', 302);
    },
  );
  api.post(
    '/auth/password-reset/consume',
    { schema: { body: newPasswordBody, querystring: noQuery, response: { 204: z.null() } } },
    async (request, reply) => {
      mail();
      const { token, new_password } = request.body;
      await resetPassword(db, { token, newPassword: new_password }, settings.passwordMinLength);
      return reply.code(204).send(null);
    },
  );
}
