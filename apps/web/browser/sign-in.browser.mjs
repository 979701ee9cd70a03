// Signs in by an institution, against a real OpenID provider, and by a passkey of the browser, at a service of its own.
//   node apps/web/browser/sign-in.browser.mjs
// CHROMIUM names the browser. Nothing else needs to run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Provider from 'oidc-provider';
import { chromium } from 'playwright-core';
import { freePort } from '../../../.ci/suites/free-port.mjs';
import { Checks, expect } from './checks.mjs';

const main = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));
const secret = 'the secret of the client';

async function listening() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

const provider = await listening();
// Service and provider must know each other's address before they start.
// Browsers make passkeys for names, not for numbers.
const baseUrl = `http://localhost:${await freePort()}`;
const identity = new Provider(provider.address, {
  clients: [
    {
      client_id: 'kindred',
      client_secret: secret,
      redirect_uris: [`${baseUrl}/v1/auth/institutions/lab/callback`],
      post_logout_redirect_uris: [`${baseUrl}/sign-in`],
    },
  ],
  claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@lab.example`, name: 'Rosalind F.' }),
  }),
});
const answer = identity.callback();
provider.server.on('request', (request, response) => void answer(request, response));

const folder = mkdtempSync(join(tmpdir(), 'institution-'));
const service = spawn(process.execPath, [main, 'start'], {
  env: {
    ...process.env,
    SVC_DATA_DIR: folder,
    SVC_PORT: new URL(baseUrl).port,
    SVC_BASE_URL: baseUrl,
    SVC_LOAD_EXAMPLES: 'none',
    SVC_BOOTSTRAP_ADMIN_EMAIL: 'admin@lab.example',
    SVC_BOOTSTRAP_ADMIN_PASSWORD: 'the password of the administrator',
    SVC_OIDC_PROVIDERS: JSON.stringify([
      {
        name: 'lab',
        title: 'The Laboratory',
        issuer: provider.address,
        client_id: 'kindred',
        client_secret: secret,
      },
    ]),
  },
  stdio: ['ignore', 'inherit', 'pipe'],
});
await new Promise((ready, fail) => {
  service.once('exit', () => fail(new Error('the service did not become ready')));
  createInterface({ input: service.stderr }).on('line', (line) => line.includes('is ready') && ready());
});

const checks = new Checks();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const context = await browser.newContext({ baseURL: baseUrl });
const page = await context.newPage();

async function signInThere() {
  await page.goto('/sign-in');
  await page.getByRole('link', { name: 'Continue with The Laboratory' }).click();
  // The institution knows its visitor the second time.
  const name = page.getByPlaceholder('Enter any login');
  const back = page.waitForURL(`${baseUrl}/**`);
  if (await Promise.race([name.waitFor().then(() => true), back.then(() => false)])) {
    await name.fill('rosalind');
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await back;
  }
}

await checks.check('somebody new learns that an administrator has to approve the account', async () => {
  await signInThere();
  await page.getByText('An administrator has to approve it').waitFor();
});
await checks.check('after the approval, two clicks sign in', async () => {
  const administrator = await browser.newContext({
    baseURL: baseUrl,
    extraHTTPHeaders: { origin: baseUrl },
  });
  const data = { email: 'admin@lab.example', password: 'the password of the administrator' };
  await administrator.request.post('/v1/auth/login', { data });
  const users = await (await administrator.request.get('/v1/admin/users?status=pending')).json();
  const approved = await administrator.request.post(`/v1/admin/users/${users[0].id}/approve`, {
    data: { role: 'researcher' },
  });
  expect(approved.ok(), `not approved: ${approved.status()} ${await approved.text()}`);
  await administrator.close();
  await signInThere();
  await page.getByText('Rosalind').first().waitFor();
});
await checks.check(
  'the page of the account lists the institution, unlinks it, and offers to link it',
  async () => {
    await page.goto('/account');
    const panel = page.getByRole('table').filter({ hasText: 'E-mail there' });
    await panel.getByText('rosalind@lab.example').waitFor();
    await panel.getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('link', { name: 'Link The Laboratory' }).click();
    await page.waitForURL(`${baseUrl}/account`);
    await panel.getByText('rosalind@lab.example').waitFor();
  },
);

await checks.check(
  'a passkey is made on the page of the account, and signs in without a password',
  async () => {
    const protocol = await context.newCDPSession(page);
    await protocol.send('WebAuthn.enable');
    const device = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    };
    const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true };
    const { authenticatorId } = await protocol.send('WebAuthn.addVirtualAuthenticator', { options });
    await page.goto('/account');
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    const panel = page.getByRole('table').filter({ hasText: 'Last used' });
    await panel.getByRole('cell', { name: 'Laptop' }).waitFor();
    await page.getByLabel('Name of the passkey').fill('The same again');
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('This device has a passkey of your account already.').waitFor();
    await context.clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Rosalind').first().waitFor();
    await page.goto('/account');
    await panel.getByRole('cell', { name: 'localhost' }).waitFor();
    await panel.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await panel.waitFor({ state: 'detached' });
    await context.clearCookies();
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('No account here has this passkey.').waitFor();
    await protocol.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  },
);

await browser.close();
service.kill('SIGTERM');
await once(service, 'exit');
provider.server.closeAllConnections();
rmSync(folder, { recursive: true, force: true });
process.exit(checks.finish());
