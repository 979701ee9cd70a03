import { atLeast, ProblemError, type Role } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import {
  anonymous,
  authenticate,
  type Credential,
  development,
  type Principal,
} from '../../accounts/principal.js';
import type { Reader } from '../../store/postgres/fragments/visibility.js';
import type { RouteDeps } from '../deps.js';

export const cookieName = 'svc_session';

/** The credential that counts is the first of Bearer, ApiKey, X-Api-Key and the cookie. */
export function credentialOf(request: FastifyRequest): Credential | null {
  const { authorization } = request.headers;
  if (authorization !== undefined) {
    const match = /^(bearer|apikey) +(\S+) *$/i.exec(authorization);
    if (match === null) {
      throw new ProblemError(
        'credential_invalid',
        'Authorization must be "ApiKey <key>" or "Bearer <token>".',
      );
    }
    return { form: match[1].toLowerCase() === 'bearer' ? 'bearer' : 'api-key', value: match[2] };
  }
  const key = request.headers['x-api-key'];
  if (key !== undefined) return { form: 'api-key', value: String(key) };
  const cookie = request.cookies[cookieName];
  return cookie === undefined ? null : { form: 'cookie', value: cookie };
}

/** Finds out who is asking. An invalid credential is refused, never skipped. */
export async function principalOf(deps: RouteDeps, request: FastifyRequest): Promise<Principal> {
  if (!deps.settings.authnRequired) return developmentPrincipal(deps, request);
  const credential = credentialOf(request);
  if (credential === null) return anonymous;
  const principal = await authenticate(deps.db, deps.settings.jwtSecret, credential);
  if (credential.form === 'cookie') requireOrigin(request);
  return principal;
}

async function developmentPrincipal(deps: RouteDeps, request: FastifyRequest): Promise<Principal> {
  try {
    const credential = credentialOf(request);
    if (credential === null) return development;
    return {
      ...(await authenticate(deps.db, deps.settings.jwtSecret, credential)),
      role: 'admin',
      kind: 'development',
    };
  } catch (error) {
    if (error instanceof ProblemError) return development;
    throw error;
  }
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Browsers send an Origin with every write, and foreign ones were refused before. A request without an Origin
 * does not come from a browser.
 */
function requireOrigin({ method, headers }: FastifyRequest): void {
  if (reads.has(method) || headers.origin !== undefined) return;
  throw new ProblemError(
    'origin_refused',
    'A write with the session cookie needs an Origin header of this service. Programs use an API key instead.',
  );
}

/**
 * Checks the role; no other place does.
 * @throws ProblemError credential_missing (401), role_too_low (403, naming the role)
 */
export function requireRole(principal: Principal, floor: Role): void {
  if (atLeast(principal.role, floor)) return;
  if (principal.kind === 'anonymous') {
    throw new ProblemError(
      'credential_missing',
      `This needs the role ${floor}. Send Authorization: ApiKey <key> or Bearer <token>, or log in.`,
    );
  }
  throw new ProblemError(
    'role_too_low',
    `This needs the role ${floor}; the credential has ${principal.role}.`,
  );
}

/**
 * Gives the account of the caller, for rows that need an owner.
 * @throws ProblemError credential_missing
 */
export function requireAccount(principal: Principal) {
  if (principal.user === null)
    throw new ProblemError('credential_missing', 'This needs an account. Log in first.');
  return principal.user;
}

export function readerOf({ principal }: FastifyRequest): Reader {
  return { seesAll: atLeast(principal.role, 'operator'), userId: principal.user?.id ?? null };
}
