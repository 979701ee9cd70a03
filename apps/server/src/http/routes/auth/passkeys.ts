import { ProblemError } from '@kindred/contracts';
import { passkeyRoutes } from '@kindred/contracts/resources/passkeys';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  addPasskey,
  type BegunPasskey,
  beginPasskey,
  beginPasskeyLogin,
  logInByPasskey,
  passkeySeconds,
  removePasskey,
} from '../../../accounts/passkeys.js';
import { type PasskeyRow, passkeysOf } from '../../../store/accounts/passkeys.repository.js';
import type { Api, RouteDeps } from '../../deps.js';
import { requireAccount } from '../../plugins/credentials.js';
import { serve } from '../../serve.js';
import { presentAccount } from './present.js';
import { cookieOptionsOf, sessionRequestOf, setSession } from './routes.js';

const stateCookie = 'svc_passkey';

/** Serves the passkeys of an account, and the login by one. */
export function servePasskeys(api: Api, deps: RouteDeps): void {
  const { db, settings } = deps;
  const { jwtSecret: secret } = settings;
  const cookieOptions = cookieOptionsOf(settings);
  const begin = (reply: FastifyReply, { options, state }: BegunPasskey) => {
    reply.setCookie(stateCookie, state, { ...cookieOptions, maxAge: passkeySeconds });
    reply.header('cache-control', 'no-store');
    return options;
  };
  const answered = (request: FastifyRequest, reply: FastifyReply) => {
    reply.clearCookie(stateCookie, cookieOptions);
    return { state: request.cookies[stateCookie], origin: originOf(request) };
  };

  serve(api, passkeyRoutes.listPasskeys, async (request) =>
    (await passkeysOf(db, requireAccount(request.principal).id)).map(present),
  );
  serve(api, passkeyRoutes.beginPasskey, async (request, reply) => {
    const user = requireSession(request);
    return begin(reply, await beginPasskey(db, secret, { user, origin: originOf(request) }));
  });
  serve(api, passkeyRoutes.addPasskey, async (request, reply) => {
    const user = requireSession(request);
    const credential = request.body.credential as RegistrationResponseJSON;
    const { name } = request.body;
    const added = await addPasskey(db, secret, { user, name, credential, ...answered(request, reply) });
    return reply.code(201).send(present(added));
  });
  serve(api, passkeyRoutes.removePasskey, async (request, reply) => {
    await removePasskey(db, { id: request.params.id, userId: requireAccount(request.principal).id });
    return reply.code(204).send(null);
  });
  serve(api, passkeyRoutes.beginPasskeyLogin, async (request, reply) =>
    begin(reply, await beginPasskeyLogin(secret, originOf(request))),
  );
  serve(api, passkeyRoutes.logInByPasskey, async (request, reply) => {
    const { user, token } = await logInByPasskey(db, secret, {
      credential: request.body.credential as AuthenticationResponseJSON,
      ...answered(request, reply),
      request: await sessionRequestOf(request, deps),
    });
    setSession(reply, token, settings);
    reply.header('cache-control', 'no-store');
    return presentAccount(user);
  });
}

/** A key of a program makes no passkey: who finds one could otherwise keep the account. */
function requireSession({ principal }: FastifyRequest) {
  const user = requireAccount(principal);
  if (principal.form === 'cookie') return user;
  throw new ProblemError(
    'origin_refused',
    'Passkeys are made on the page of the account, by who is signed in there.',
  );
}

/** Foreign origins were refused before; a program has none. */
function originOf({ headers: { origin } }: FastifyRequest): string {
  if (origin !== undefined) return origin;
  throw new ProblemError('origin_refused', 'A passkey belongs to a browser, which sends an Origin header.');
}

const present = ({ id, name, host, created_at, last_used_at }: PasskeyRow) => ({
  ...{ id, name, host },
  ...{ created_at, last_used_at },
});
