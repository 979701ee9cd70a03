import { ProblemError } from '@kindred/contracts';
import { authRoutes } from '@kindred/contracts/resources/auth';
import { logInByLink, resetPassword } from '../../../accounts/mail-links.js';
import type { Api, RouteDeps } from '../../deps.js';
import { sessionRequestOf, setSession } from '../auth/routes.js';
import { serve } from '../../serve.js';

/** Serves the routes of mails; without SVC_SMTP_* each of them answers 404. */
export function serveMail(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  const mail = () => {
    if (deps.mail !== null) return deps.mail;
    throw new ProblemError(
      'smtp_not_configured',
      'Mail is not set up here (SVC_SMTP_*). Log in with the password; if you lost it, ask an administrator.',
    );
  };
  serve(api, authRoutes.requestMagicLink, async (request, reply) => {
    mail().request('magic_link', request.body.email);
    return reply.code(204).send(null);
  });
  serve(api, authRoutes.requestPasswordReset, async (request, reply) => {
    mail().request('password_reset', request.body.email);
    return reply.code(204).send(null);
  });
  serve(api, authRoutes.consumeMagicLink, async (request, reply) => {
    mail();
    const { token } = await logInByLink(
      db,
      settings.jwtSecret,
      request.query.token,
      await sessionRequestOf(request, deps),
    );
    setSession(reply, token, settings);
    return reply.header('cache-control', 'no-store').redirect('/', 302);
  });
  serve(api, authRoutes.consumePasswordReset, async (request, reply) => {
    mail();
    const { token, new_password } = request.body;
    await resetPassword(db, { token, newPassword: new_password }, settings);
    return reply.code(204).send(null);
  });
}
