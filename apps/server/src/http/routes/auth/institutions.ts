import { ProblemError } from '@kindred/contracts';
import { institutionRoutes } from '@kindred/contracts/resources/institutions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  linkInstitution,
  logInByInstitution,
  unlinkInstitution,
} from '../../../accounts/institution-login.js';
import { type Institutions, LoginFailure, stateSeconds } from '../../../accounts/institutions.js';
import { identitiesOf } from '../../../store/accounts/identities.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireAccount } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { cookieOptionsOf, sessionRequestOf, setSession } from './routes.js';

const stateCookie = 'svc_login';

/** Serves the login by an institution, and the institutions of an account. */
export function serveInstitutions(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  // The institution's page leads the browser back, and a strict cookie would not come along.
  const stateOptions = { ...cookieOptionsOf(settings), sameSite: 'lax' } as const;
  const institutions = (): Institutions => {
    if (deps.institutions !== undefined) return deps.institutions;
    throw new ProblemError('not_found', 'No institution is set up here (SVC_OIDC_PROVIDERS).');
  };
  const toPage = (reply: FastifyReply, path: string) =>
    reply.header('cache-control', 'no-store').redirect(`${settings.basePath}${path}`, 302);
  /** Sends the browser to the page that says why nobody was signed in. */
  const orWhyNot = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<FastifyReply>,
  ) => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LoginFailure)) throw error;
      // A message of the client library has no secret; the replies of the institution stay out of the log.
      const { message, code } = (error.cause ?? {}) as { message?: string; code?: string };
      request.log.info({ outcome: error.outcome, message, code }, 'no login by an institution');
      return toPage(reply, `/sign-in?outcome=${error.outcome}`);
    }
  };

  serve(api, institutionRoutes.listInstitutions, async () => [...(deps.institutions?.listed ?? [])]);
  serve(api, institutionRoutes.startInstitutionLogin, async (request, reply) => {
    const { institution } = request.params;
    const userId = request.query.link === true ? requireAccount(request.principal).id : null;
    return orWhyNot(request, reply, async () => {
      const { address, state } = await institutions().begin(institution, userId);
      reply.setCookie(stateCookie, state, { ...stateOptions, maxAge: stateSeconds });
      return reply.header('cache-control', 'no-store').redirect(address, 302);
    });
  });
  serve(api, institutionRoutes.finishInstitutionLogin, async (request, reply) => {
    const { institution } = request.params;
    reply.clearCookie(stateCookie, stateOptions);
    return orWhyNot(request, reply, async () => {
      const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1));
      const { person, userId } = await institutions().finish(
        institution,
        query,
        request.cookies[stateCookie],
      );
      if (userId !== null) {
        await linkInstitution(db, institution, { person, userId });
        return toPage(reply, '/account');
      }
      const { token } = await logInByInstitution(db, settings.jwtSecret, institution, {
        person,
        request: await sessionRequestOf(request, deps),
      });
      setSession(reply, token, settings);
      return toPage(reply, '/');
    });
  });
  serveIdentities(api, deps);
}

function serveIdentities(api: Api, { db, institutions }: RouteDeps): void {
  serve(api, institutionRoutes.listIdentities, async (request) => {
    const rows = await identitiesOf(db, requireAccount(request.principal).id);
    return Promise.all(
      rows.map(async ({ id, institution, issuer, email, created_at, last_login_at }) => ({
        ...{ id, email, created_at, last_login_at },
        institution: institutions?.listed.find(({ name }) => name === institution)?.title ?? issuer,
        logout_url: (await institutions?.logoutAddress(institution)) ?? null,
      })),
    );
  });
  serve(api, institutionRoutes.removeIdentity, async (request, reply) => {
    await unlinkInstitution(db, { id: request.params.id, userId: requireAccount(request.principal).id });
    return reply.code(204).send(null);
  });
}
