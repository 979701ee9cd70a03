import {
  type ProblemCode,
  type ProblemStatus,
  problemSlugs,
  type RateName,
  type Role,
  type Route,
} from '@kindred/contracts';
import { routeRow, routeRows } from '@kindred/contracts/routes';
import { refusalsOf } from '@kindred/contracts/route';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { anonymous } from '../../accounts/principal.js';
import { parseRates, type Rate, returnRate, takeRate } from '../../accounts/limits.js';
import type { Api, RouteDeps } from '../deps.js';
import { problemMediaType, problemOf, problemSchema } from '../problems.js';
import { principalOf, requireRole } from './credentials.js';
import type { UploadsAtOnce } from './uploads-at-once.js';

/**
 * Puts the gate before every route of the scope, as the table of route floors says, and writes the same into
 * OpenAPI. A route without a row throws while the server is built.
 * @param uploads one for all scopes of the process
 */
export function guardRoutes(api: Api, deps: RouteDeps, visible: boolean, uploads: UploadsAtOnce): void {
  const seen = new Set<string>();
  const ratesFor = ratesOf(deps);
  const anonymousAddress = async ({ principal, ip }: FastifyRequest) =>
    principal.kind === 'anonymous' ? await deps.clients.hash(ip) : null;
  api.addHook('onRoute', (route) => {
    for (const method of [route.method].flat()) {
      const row = routeRow(method === 'HEAD' ? 'GET' : method, route.routePath);
      if (row === undefined) {
        throw new Error(`route ${method} ${route.routePath} has no row in packages/contracts/src/resources/`);
      }
      seen.add(`${row.method} ${row.path}`);
      describe(route, row, visible && method !== 'HEAD');
      const gate = [gateOf(deps, row)];
      if (row.rate !== undefined) gate.push(limitRate(route, deps, row.rate, ratesFor));
      if (row.rate === 'uploads') gate.push(uploads.bound(route, anonymousAddress));
      route.onRequest = [...gate, ...[route.onRequest ?? []].flat()];
    }
  });
  api.addHook('onReady', async () => {
    const missing = routeRows.filter((row) => !seen.has(`${row.method} ${row.path}`));
    if (missing.length === 0) return;
    throw new Error(`rows without a route: ${missing.map((row) => `${row.method} ${row.path}`).join(', ')}`);
  });
}

/** The rates belong to a role, or to everyone. */
type RatesOf = (name: RateName, role: Role) => Rate[];

function ratesOf({ settings }: RouteDeps): RatesOf {
  const parsed = (rates: Partial<Record<RateName, string>>) =>
    new Map(Object.entries(rates).map(([name, text]) => [name as RateName, parseRates(text)]));
  const common = parsed(settings.rateLimits);
  const byRole = new Map(
    Object.entries(settings.roleRates ?? {}).map(([role, rates]) => [role as Role, parsed(rates)]),
  );
  return (name, role) => byRole.get(role)?.get(name) ?? common.get(name) ?? [];
}

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function gateOf(deps: RouteDeps, row: Route): Gate {
  return async (request) => {
    request.principal = row.ignoresCredential ? anonymous : await principalOf(deps, request);
    requireRole(request.principal, row.floor);
  };
}

/** These refusals answer impossible requests, which did no work and do not count. */
const uncounted: readonly ProblemCode[] = ['role_too_low'];
const uncountedStatuses = new Set([400, 404, 413, 415, 422]);

/**
 * Counts a request before its body is read. The count is taken back if the request turns out to be impossible
 * (its body, a form, a payload, a missing row), so that ten mistakes do not stop the first right request. It
 * is also taken back if the answer repeats an earlier one. A wrong password counts, and so does a wrong
 * upload, which takes as long to read as a right one.
 */
function limitRate(route: RouteOptions, deps: RouteDeps, name: RateName, ratesFor: RatesOf): Gate {
  const keyOf = async ({ principal, ip }: FastifyRequest) =>
    principal.limitKey ?? `ip:${await deps.clients.hash(ip)}`;
  const taken = new WeakSet<FastifyRequest>();
  const giveBack = async (request: FastifyRequest): Promise<void> => {
    if (!taken.delete(request)) return;
    await returnRate(deps.db, name, ratesFor(name, request.principal.role), await keyOf(request));
  };
  const afterError = async (request: FastifyRequest, _reply: FastifyReply, error: Error): Promise<void> => {
    const { code, status } = problemOf(error);
    if (name !== 'uploads' && (uncounted.includes(code) || uncountedStatuses.has(status)))
      await giveBack(request);
  };
  const afterReplay = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.hasHeader('idempotency-replayed')) await giveBack(request);
  };
  route.onError = [afterError, ...[route.onError ?? []].flat()];
  route.onSend = [afterReplay, ...[route.onSend ?? []].flat()];
  return async (request, reply) => {
    if (request.principal.kind === 'development') return;
    const rates = ratesFor(name, request.principal.role);
    reply.headers(await takeRate(deps.db, name, rates, await keyOf(request)));
    taken.add(request);
  };
}

const credentialSchemes: Record<string, string[]>[] = [
  { apiKey: [] },
  { apiKeyHeader: [] },
  { bearer: [] },
  { session: [] },
];

function describe(route: RouteOptions, row: Route, visible: boolean): void {
  const access = row.floor === 'viewer' ? 'Open to anonymous callers.' : `Lowest role: ${row.floor}.`;
  route.schema = {
    ...route.schema,
    hide: !visible,
    tags: [row.tag],
    summary: row.summary,
    description: row.access === undefined ? access : `${access} ${row.access}`,
    operationId: operationId(row),
    security: row.ignoresCredential
      ? []
      : row.floor === 'viewer'
        ? [{}, ...credentialSchemes]
        : credentialSchemes,
    response: {
      ...(route.schema?.response as object | undefined),
      ...refusalReplies(refusalsOf(row)),
    },
  };
}

const titles = new Map<number, string>(
  Object.values(problemSlugs).map(({ status, title }) => [status, title]),
);

/** Describes the problem document as the reply of each status. */
export function refusalReplies(statuses: readonly ProblemStatus[]): Record<string, object> {
  const content = { [problemMediaType]: { schema: problemSchema } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: titles.get(status) ?? 'Refused', content }]),
  );
}

/** Makes the id of an operation: `GET /jobs/:id/events` -> `getJobsIdEvents`. */
function operationId(row: Route): string {
  const words = row.path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return row.method.toLowerCase() + words.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
}
