import { randomUUID } from 'node:crypto';
import { atLeast, type Role, type Route } from '@kindred/contracts';
import { routeRows } from '@kindred/contracts/routes';
import { institutionRoutes } from '@kindred/contracts/resources/institutions';
import { SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultQuotas } from '../accounts/settings.js';
import { problemIn, startTestApp, type TestApp, testPassword, testSettings } from '../testing/test-app.js';

/** A caller sends a credential that represents a role; null means that the service must refuse it. */
interface Caller {
  name: string;
  headers: Record<string, string>;
  role: Role | null;
}

let test: TestApp;
let callers: Caller[];
let operations: { method: Route['method']; path: string }[];
beforeAll(async () => {
  // The limit is so high that the gate always answers before it.
  const rate = '1000000/minute';
  test = await startTestApp({
    rateLimits: Object.fromEntries(
      Object.keys(testSettings.rateLimits).map((name) => [name, rate]),
    ) as typeof testSettings.rateLimits,
    quotas: defaultQuotas,
  });
  callers = await makeCallers();
  const { paths } = (await test.call({ url: '/v1/openapi.json' })).body;
  // Health is served at the root alone, before every gate.
  const mounted = Object.entries(paths as Record<string, object>).filter(
    ([path]) => !path.startsWith('/health'),
  );
  operations = mounted.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase() as Route['method'], path })),
  );
});
afterAll(() => test?.close());

const secret = (text: string) => new TextEncoder().encode(text);
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function token(userId: string, role: string, changes: { secret?: string; iat?: number } = {}) {
  const issuedAt = changes.iat ?? Math.floor(Date.now() / 1000);
  return new SignJWT({ role })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(userId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + 3600)
    .sign(secret(changes.secret ?? testSettings.jwtSecret));
}

/** Opens a session of the account, as a browser sends it. */
async function session(email: string): Promise<Record<string, string>> {
  const payload = { email, password: testPassword };
  const answer = await test.call({ method: 'POST', url: '/v1/auth/login', payload });
  return { cookie: String(answer.headers['set-cookie']).split(';')[0], origin: 'http://localhost:80' };
}

async function makeCallers(): Promise<Caller[]> {
  const [guest, researcher, operator, admin] = await Promise.all(
    (['guest', 'researcher', 'operator', 'admin'] as const).map((role) => test.account(role)),
  );
  const root = await test.account('admin');
  const act = (url: string, payload?: object) =>
    test.call({ method: 'POST', url, headers: root.headers, payload });
  const stopped = await test.account('admin');
  const stoppedToken = bearer(await token(stopped.user.id, 'admin'));
  await act(`/v1/admin/users/${stopped.user.id}/deactivate`);
  const demoted = await test.account('admin');
  await act(`/v1/admin/users/${demoted.user.id}/role`, { role: 'researcher' });
  const left = await test.account('admin');
  const over = await session(left.user.email);
  await act(`/v1/auth/admin/revoke-sessions/${left.user.id}`);
  const revoked = await test.account('admin');
  const keys = await test.call({ url: '/v1/auth/me/api-keys', headers: revoked.headers });
  const url = `/v1/auth/api-keys/${keys.body[0].id}`;
  await test.call({ method: 'DELETE', url, headers: revoked.headers });
  const { id } = admin.user;
  const unsigned = new UnsecuredJWT({ role: 'admin' }).setSubject(id).setIssuedAt().setExpirationTime('1h');
  return [
    { name: 'anonymous', headers: {}, role: 'viewer' },
    { name: 'guest', headers: guest.headers, role: 'guest' },
    { name: 'researcher', headers: researcher.headers, role: 'researcher' },
    { name: 'operator, X-Api-Key', headers: { 'x-api-key': operator.key }, role: 'operator' },
    { name: 'admin, Bearer', headers: bearer(await token(id, 'admin')), role: 'admin' },
    { name: 'admin, session', headers: await session(admin.user.email), role: 'admin' },
    { name: 'deactivated, key', headers: stopped.headers, role: null },
    { name: 'deactivated, Bearer', headers: stoppedToken, role: null },
    { name: 'revoked session', headers: over, role: null },
    { name: 'revoked key', headers: revoked.headers, role: null },
    { name: 'malformed token', headers: bearer('not.a.token'), role: null },
    { name: 'unknown role', headers: bearer(await token(id, 'emperor')), role: 'researcher' },
    { name: 'expired', headers: bearer(await token(id, 'admin', { iat: 1_700_000_000 })), role: null },
    {
      name: 'wrong signature',
      headers: bearer(await token(id, 'admin', { secret: 'another secret of thirty-two bytes!!' })),
      role: null,
    },
    { name: 'alg none', headers: bearer(unsigned.encode()), role: null },
    { name: 'key of a demoted owner', headers: demoted.headers, role: 'researcher' },
  ];
}

/**
 * The expected answer comes from the gate alone: the handlers behind it refuse the unknown query key of every
 * call.
 */
function expected(row: Route, role: Role | null): { status: number; code: string } {
  // Institutions may add parameters of their own; none is set up here.
  if (row.path === institutionRoutes.finishInstitutionLogin.path) return { status: 404, code: 'not_found' };
  if (row.ignoresCredential) return { status: 422, code: 'validation_failed' };
  if (role === null) return { status: 401, code: 'credential_invalid' };
  if (atLeast(role, row.floor)) return { status: 422, code: 'validation_failed' };
  if (role === 'viewer') return { status: 401, code: 'credential_missing' };
  return { status: 403, code: 'role_too_low' };
}

function rowOf({ method, path }: { method: string; path: string }): Route {
  const relative = path.replace(/^\/v1/, '').replaceAll(/\{([a-z_]+)\}/g, ':$1');
  const row = routeRows.find((candidate) => candidate.method === method && candidate.path === relative);
  if (row === undefined) throw new Error(`${method} ${path} is described but has no row in contracts`);
  return row;
}

describe('every described route, for every kind of caller, at both mounts', () => {
  it('has a row, and a row has a route', () => {
    expect(operations.map(rowOf)).toHaveLength(routeRows.length);
    expect(operations.every(({ path }) => path.startsWith('/v1/'))).toBe(true);
  });

  it.each(Array.from({ length: 16 }, (_, index) => index))(
    'answers caller %i as the table says',
    async (index) => {
      const { name, headers, role } = callers[index];
      for (const operation of operations) {
        const row = rowOf(operation);
        const path = operation.path.replaceAll(/\{[a-z_]+\}/g, randomUUID());
        for (const url of [path, path.slice('/v1'.length)]) {
          const answer = await test.call({
            method: row.method,
            url: `${url}?no_route_has_this=1`,
            headers,
          });
          const { status, code, detail } = { ...problemIn(answer), detail: String(answer.body.detail) };
          expect([name, row.method, url, status, code]).toEqual([
            name,
            row.method,
            url,
            ...Object.values(expected(row, role)),
          ]);
          if (status === 401) expect(answer.headers['www-authenticate']).toBe('ApiKey, Bearer');
          if (status === 403) expect(detail).toContain(`needs the role ${row.floor}`);
          expect(answer.headers.deprecation === undefined).toBe(url.startsWith('/v1/'));
        }
      }
    },
  );

  it('has as many kinds of callers as are tried', () => {
    expect(callers).toHaveLength(16);
  });
});
describe('every list of what people make, for every kind of caller', () => {
  type Row = { id: string };
  const lists = ['/query-sets', '/jobs', '/embeddings/prediction-sets', '/experiment-runs'];
  const made: Record<'link' | 'listed', string[]> = { link: [], listed: [] };
  beforeAll(async () => {
    const snapshot = await test.db.pool.query(
      `insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
       values ('matrix', 'https://example.org/go.obo', repeat('0', 64), '{}', 0, 0) returning id`,
    );
    for (const visibility of ['link', 'listed'] as const) {
      const inserts = [
        `query_set (name, entry_count, visibility) values ('matrix', 0, $1)`,
        `job (operation, queue_name, visibility) values ('ping', 'svc.ping', $1)`,
        `prediction_set (method, ontology_snapshot_id, limit_per_entry, visibility) values ('test', '${snapshot.rows[0].id}', 1, $1)`,
        `experiment_run (name, visibility) values ('matrix ' || $1::text, $1::text)`,
      ];
      for (const insert of inserts) {
        const { rows } = await test.db.pool.query(`insert into ${insert} returning id`, [visibility]);
        made[visibility].push(rows[0].id);
      }
    }
  });

  it.each(Array.from({ length: 16 }, (_, index) => index))(
    'shows caller %i the rows of both visibilities as its role says',
    async (index) => {
      const { name, headers, role } = callers[index];
      for (const mount of ['/v1', '']) {
        for (const [place, list] of lists.entries()) {
          const { status, body } = await test.call({ url: `${mount}${list}?limit=500`, headers });
          if (role === null) {
            expect([name, list, status]).toEqual([name, list, 401]);
            continue;
          }
          const ids = body.map((row: Row) => row.id);
          const found = [made.link, made.listed].map((rows) => ids.includes(rows[place]));
          expect([name, list, found]).toEqual([name, list, [atLeast(role, 'operator'), true]]);
        }
      }
    },
  );
});
