import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveUser, deactivateUser } from '../../../accounts/administration.js';
import { createInstitutions } from '../../../accounts/institutions.js';
import type { InstitutionSettings } from '../../../accounts/settings.js';
import { startInstitution, type StandInInstitution } from '../../../testing/institution.js';
import { problemIn, startTestApp, type TestApp, testPassword } from '../../../testing/test-app.js';

const baseUrl = 'https://kindred.lab.example';
let institution: StandInInstitution;
let settings: InstitutionSettings;
let test: TestApp;

beforeAll(async () => {
  institution = await startInstitution(baseUrl, 'lab');
  settings = {
    name: 'lab',
    title: 'The Laboratory',
    issuer: institution.issuer,
    clientId: 'kindred',
    clientSecret: 'the secret of the client',
    scope: 'openid email profile groups',
    roleClaim: 'groups',
    roles: { 'kindred-operators': 'operator', 'kindred-admins': 'admin', visitors: 'guest' },
  };
  const nowhere = { ...settings, name: 'nowhere', title: 'Nowhere', issuer: 'http://127.0.0.1:9' };
  const institutions = createInstitutions({
    institutions: [settings, nowhere],
    jwtSecret: 'a secret of the tests with 32 bytes and more',
    baseUrl,
  });
  test = await startTestApp({ allowedOrigins: [baseUrl] }, null, { institutions });
  await test.account('admin');
});
afterAll(async () => {
  await test?.close();
  await institution?.close();
});

interface Visit {
  /** The cookie of a session, for linking. */
  session?: string;
  /** Changes the address that the institution leads back to. */
  change?: (address: string) => string;
}

const cookieIn = (headers: Record<string, unknown>, name: string) =>
  [headers['set-cookie']]
    .flat()
    .map(String)
    .find((cookie) => cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}=;`));

/** Signs in at the institution, and returns where the service leads the browser then, and its session. */
async function signIn(who: string, { session, change = (address) => address }: Visit = {}) {
  const begun = await test.call({
    url: `/v1/auth/institutions/lab/login${session === undefined ? '' : '?link=true'}`,
    headers: session === undefined ? {} : { cookie: session },
  });
  expect(begun.status).toBe(302);
  const state = cookieIn(begun.headers, 'svc_login') as string;
  expect(state).toMatch(/HttpOnly; Secure; SameSite=Lax/);
  const back = change(await institution.visit(String(begun.headers.location), who));
  const ended = await test.call({
    url: back.slice(baseUrl.length),
    headers: { cookie: state.split(';')[0] },
  });
  return {
    leadsTo: ended.headers.location,
    session: cookieIn(ended.headers, 'svc_session')?.split(';')[0],
    back,
    state: state.split(';')[0],
  };
}

const userOf = async (email: string) =>
  (await test.db.selectFrom('user_account').selectAll().where('email', '=', email).executeTakeFirst()) ??
  null;
const me = (cookie: string | undefined) => test.call({ url: '/v1/auth/me', headers: { cookie } });

describe('a login by an institution', () => {
  it('asks for an account, which an administrator approves, and then signs in', async () => {
    institution.people.set('ada', { email: 'Ada@Lab.example', preferred_username: 'ada', name: 'Ada L.' });
    expect((await test.call({ url: '/v1/auth/institutions' })).body).toEqual([
      { name: 'lab', title: 'The Laboratory' },
      { name: 'nowhere', title: 'Nowhere' },
    ]);
    for (let i = 0; i < 2; i++)
      expect(await signIn('ada')).toMatchObject({ leadsTo: '/sign-in?outcome=pending', session: undefined });
    const user = await userOf('ada@lab.example');
    expect(user).toMatchObject({
      username: 'ada',
      display_name: 'Ada L.',
      status: 'pending',
      role: 'researcher',
    });
    await approveUser(test.db, { actorId: null, userId: user?.id as string }, 'researcher');
    const { leadsTo, session } = await signIn('ada');
    expect(leadsTo).toBe('/');
    expect((await me(session)).body).toMatchObject({ username: 'ada', status: 'active' });
    const identities = await test.call({ url: '/v1/auth/identities', headers: { cookie: session } });
    expect(identities.body).toMatchObject([{ institution: 'The Laboratory', email: 'ada@lab.example' }]);
    expect(identities.body[0].logout_url).toContain(`${institution.issuer}/session/end`);
    const audit = await test.db
      .selectFrom('audit.audit_log')
      .select(['action', 'payload'])
      .where('actor_user_id', '=', user?.id as string)
      .orderBy('id')
      .execute();
    expect(audit).toMatchObject([
      { action: 'signup', payload: { by: 'institution lab' } },
      { action: 'login_ok', payload: { by: 'institution lab' } },
    ]);
    await deactivateUser(test.db, { actorId: null, userId: user?.id as string });
    expect((await signIn('ada')).leadsTo).toBe('/sign-in?outcome=deactivated');
  });

  it('takes the role of the table at each login, and never the last administrator', async () => {
    const person = { email: 'olga@lab.example', name: 'Olga', groups: ['staff', 'kindred-operators'] };
    institution.people.set('olga', person);
    await signIn('olga');
    const user = await userOf('olga@lab.example');
    expect(user).toMatchObject({ username: 'Olga', role: 'operator', status: 'pending' });
    await approveUser(test.db, { actorId: null, userId: user?.id as string }, 'operator');
    const roleWith = async (groups: string[]) => {
      institution.people.set('olga', { ...person, groups });
      return (await me((await signIn('olga')).session)).body.role;
    };
    expect(await roleWith(['kindred-operators', 'kindred-admins'])).toBe('admin');
    expect(await roleWith(['visitors'])).toBe('guest');
    expect(await roleWith([])).toBe('researcher');
    expect(await roleWith(['kindred-admins'])).toBe('admin');
    await test.db
      .updateTable('user_account')
      .set({ role: 'researcher' })
      .where('id', '!=', user?.id as string)
      .execute();
    expect(await roleWith([])).toBe('admin');
    await test.account('admin');
    expect(await roleWith([])).toBe('researcher');
  });

  it('never takes over an account of the same e-mail; its owner links and unlinks it', async () => {
    const { user } = await test.account('researcher');
    institution.people.set('eve', { email: user.email, email_verified: true, preferred_username: 'eve' });
    expect((await signIn('eve')).leadsTo).toBe('/sign-in?outcome=email_taken');
    const entered = await test.call({
      method: 'POST',
      url: '/v1/auth/login',
      payload: { email: user.email, password: testPassword },
    });
    const own = cookieIn(entered.headers, 'svc_session')?.split(';')[0] as string;
    expect((await signIn('eve', { session: own })).leadsTo).toBe('/account');
    expect((await me((await signIn('eve')).session)).body.id).toBe(user.id);
    const another = await test.account('researcher');
    expect(another.user.id).not.toBe(user.id);
    const [{ id }] = (await test.call({ url: '/v1/auth/identities', headers: { cookie: own } })).body;
    const unlink = () =>
      test.call({
        method: 'DELETE',
        url: `/v1/auth/identities/${id}`,
        headers: { cookie: own, origin: baseUrl },
      });
    const removed = await unlink();
    expect([removed.status, (await unlink()).status]).toEqual([204, 404]);
    expect((await signIn('eve')).leadsTo).toBe('/sign-in?outcome=email_taken');
  });

  it('refuses a forged, foreign, used or late answer, and who has no e-mail', async () => {
    institution.people.set('mallory', { email: 'mallory@lab.example' });
    const refused = '/sign-in?outcome=refused';
    const forged = (address: string) => address.replace(/state=[^&]+/, 'state=forged');
    expect((await signIn('mallory', { change: forged })).leadsTo).toBe(refused);
    const { back, state } = await signIn('mallory');
    const again = await test.call({ url: back.slice(baseUrl.length), headers: { cookie: state } });
    expect(again.headers.location).toBe(refused);
    const without = await test.call({ url: back.slice(baseUrl.length) });
    expect(without.headers.location).toBe(refused);
    const denied = await test.call({
      url: '/v1/auth/institutions/lab/callback?error=access_denied&state=x',
      headers: { cookie: state },
    });
    expect(denied.headers.location).toBe(refused);
    institution.people.set('anon', { preferred_username: 'anon' });
    expect((await signIn('anon')).leadsTo).toBe('/sign-in?outcome=no_email');
    const nowhere = await test.call({ url: '/v1/auth/institutions/nowhere/login' });
    expect(nowhere.headers.location).toBe('/sign-in?outcome=unreachable');
    expect(problemIn(await test.call({ url: '/v1/auth/institutions/other/login' }))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    expect((await test.call({ url: '/v1/auth/institutions/lab/login?link=true' })).status).toBe(401);
  });
});
