import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deactivateUser } from '../../../accounts/administration.js';
import { StandInAuthenticator } from '../../../testing/authenticator.js';
import { problemIn, startTestApp, type TestApp, testPassword } from '../../../testing/test-app.js';

const origin = 'https://kindred.lab.example';
let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ allowedOrigins: [origin] });
});
afterAll(() => test?.close());

interface Sent {
  cookies?: (string | undefined)[];
  payload?: object;
}
const cookieIn = (headers: Record<string, unknown>, name: string) =>
  [headers['set-cookie']]
    .flat()
    .map(String)
    .find((cookie) => cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}=;`))
    ?.split(';')[0];

const post = (url: string, { cookies = [], payload }: Sent = {}) =>
  test.call({
    method: 'POST',
    url: `/v1/auth/${url}`,
    payload,
    headers: { origin, cookie: cookies.filter((cookie) => cookie !== undefined).join('; ') },
  });

/** Makes an account, signs it in by its password, and returns the cookie of its session. */
async function somebody() {
  const { user, key } = await test.account('researcher');
  const entered = await post('login', { payload: { email: user.email, password: testPassword } });
  return { user, key, session: cookieIn(entered.headers, 'svc_session') as string };
}

async function addTo(session: string, device: StandInAuthenticator, name = 'Laptop') {
  const begun = await post('passkeys/options', { cookies: [session] });
  expect(begun.status).toBe(200);
  const state = cookieIn(begun.headers, 'svc_passkey');
  const payload = { name, credential: device.create(begun.body, origin) };
  return post('passkeys', { cookies: [session, state], payload });
}

async function begin() {
  const begun = await post('passkey-login/options');
  return { options: begun.body, state: cookieIn(begun.headers, 'svc_passkey') };
}

async function signIn(device: StandInAuthenticator) {
  const { options, state } = await begin();
  return post('passkey-login', { cookies: [state], payload: { credential: device.get(options, origin) } });
}

function refused(response: Awaited<ReturnType<typeof post>>, status: number): { code: string } {
  expect(response.status).toBe(status);
  return problemIn(response);
}

const actionsOf = async (userId: string) =>
  (
    await test.db
      .selectFrom('audit.audit_log')
      .select(['action', 'payload'])
      .where('actor_user_id', '=', userId)
      .where('action', '!=', 'api_key_mint')
      .orderBy('id')
      .execute()
  ).map(({ action, payload }) => [action, payload]);

describe('a passkey', () => {
  it('is made in a session, signs in, and is removed', async () => {
    const { user, session } = await somebody();
    const device = new StandInAuthenticator();
    const added = await addTo(session, device);
    expect(added).toMatchObject({ status: 201, body: { name: 'Laptop', host: 'kindred.lab.example' } });
    const entered = await signIn(device);
    expect(entered).toMatchObject({ status: 200, body: { id: user.id, email: user.email } });
    const own = cookieIn(entered.headers, 'svc_session') as string;
    expect((await test.call({ url: '/v1/auth/me', headers: { cookie: own } })).body.id).toBe(user.id);
    const list = () => test.call({ url: '/v1/auth/passkeys', headers: { cookie: own } });
    expect((await list()).body).toMatchObject([{ name: 'Laptop', last_used_at: expect.any(String) }]);
    const remove = () =>
      test.call({
        method: 'DELETE',
        url: `/v1/auth/passkeys/${added.body.id}`,
        headers: { cookie: own, origin },
      });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(404);
    expect((await list()).body).toEqual([]);
    const gone = await signIn(device);
    expect(gone.body.detail).toContain('No account');
    expect(refused(gone, 401).code).toBe('invalid_credentials');
    expect(await actionsOf(user.id)).toEqual([
      ['login_ok', {}],
      ['passkey_add', { name: 'Laptop' }],
      ['login_ok', { by: 'passkey Laptop' }],
      ['passkey_remove', { name: 'Laptop' }],
    ]);
  });

  it('belongs to one account, and another device has its own', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const device = new StandInAuthenticator();
    expect((await addTo(one.session, device)).status).toBe(201);
    refused(await addTo(other.session, device), 409);
    const begun = await post('passkeys/options', { cookies: [one.session] });
    expect(begun.body.excludeCredentials).toHaveLength(1);
    expect((await post('passkeys/options', { cookies: [other.session] })).body.excludeCredentials).toEqual(
      [],
    );
    expect((await addTo(other.session, new StandInAuthenticator())).status).toBe(201);
  });

  it('signs in once by an answer, and never by the answer to another question', async () => {
    const { session, user } = await somebody();
    const device = new StandInAuthenticator();
    await addTo(session, device);
    const { options, state } = await begin();
    const payload = { credential: device.get(options, origin) };
    const other = await begin();
    refused(await post('passkey-login', { cookies: [other.state], payload }), 401);
    refused(await post('passkey-login', { payload }), 401);
    expect((await post('passkey-login', { cookies: [state], payload })).status).toBe(200);
    refused(await post('passkey-login', { cookies: [state], payload }), 401);
    const elsewhere = await begin();
    const stolen = { credential: device.get(elsewhere.options, 'https://other.example') };
    refused(await post('passkey-login', { cookies: [elsewhere.state], payload: stolen }), 401);
    const stranger = new StandInAuthenticator();
    const forged = await begin();
    const own = device.get(forged.options, origin);
    const { signature } = stranger.get(forged.options, origin).response;
    const credential = { ...own, response: { ...own.response, signature } };
    refused(await post('passkey-login', { cookies: [forged.state], payload: { credential } }), 401);
    await deactivateUser(test.db, { actorId: null, userId: user.id });
    expect(refused(await signIn(device), 403).code).toBe('account_deactivated');
  });

  it('is not made by the state of another account, by a key, or by a program', async () => {
    const [one, other] = [await somebody(), await somebody()];
    const begun = await post('passkeys/options', { cookies: [one.session] });
    const state = cookieIn(begun.headers, 'svc_passkey');
    const payload = { name: 'x', credential: new StandInAuthenticator().create(begun.body, origin) };
    refused(await post('passkeys', { cookies: [other.session, state], payload }), 422);
    refused(await post('passkeys', { cookies: [one.session], payload }), 422);
    refused(await post('passkeys', { cookies: [state], payload }), 401);
    const byKey = { authorization: `ApiKey ${other.key}`, origin };
    const keyed = await test.call({ method: 'POST', url: '/v1/auth/passkeys/options', headers: byKey });
    expect(refused(keyed, 403).code).toBe('origin_refused');
    const program = await test.call({ method: 'POST', url: '/v1/auth/passkey-login/options' });
    expect(refused(program, 403).code).toBe('origin_refused');
  });
});
