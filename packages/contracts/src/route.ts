import type { Role } from './roles.js';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/** Named rate limits (SVC_RATELIMIT_*). */
export const rateNames = [
  'jobs',
  'datasets',
  'imports',
  'api_keys',
  'api_key_login',
  'signup',
  'login',
  'support',
] as const;
export type RateName = (typeof rateNames)[number];

/**
 * One row per route of the API: the gate, the OpenAPI `security` and the reference are made from it. A route without
 * a row, or a row without a route, stops the server at its start.
 */
export interface RouteRow {
  method: HttpMethod;
  /** Relative to the mount (`/v1` and bare); parameters as `:name`. */
  path: string;
  /** Lowest role that passes. `viewer`: anonymous callers too. */
  floor: Role;
  tag: string;
  summary: string;
  /** What the floor alone does not say: own rows, heavier operations. */
  access?: string;
  /** A credential is not looked at, so that a stale cookie can't stop a login. */
  ignoresCredential?: true;
  rate?: RateName;
}

export const ownRows = 'A researcher acts on his own rows, an operator on any.';

/** The routes of a resource by name, with their tag. */
export function routesOf<const Routes extends Record<string, Omit<RouteRow, 'tag'> & { tag?: string }>>(
  tag: string,
  routes: Routes,
): { [Name in keyof Routes]: Routes[Name] & { tag: string } } {
  return Object.fromEntries(Object.entries(routes).map(([name, row]) => [name, { tag, ...row }])) as never;
}
