import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './checks.mjs';
import { answer, expectNoMarkup, openAct, openRow, openWorkbench, send, signIn } from './people.mjs';
import { written } from './as-researcher.mjs';

/** Checks the tasks of an administrator: keys of others, the audit log, dead letters, maintenance, and the end of an account. */
export async function checkAdministrator({ checks, people, administrator, researcher, operator }) {
  const given = { page: administrator.page, people, researcher, operator };
  await checks.check(
    'the header of an administrator is one line, and no click is needed to see the default',
    () => readFirstPage(administrator),
  );

  await checks.check('an administrator revokes the key of somebody else after a question', () =>
    revokeKey(given),
  );
  await checks.check('an administrator finds an act in the audit log by a name', () => searchAudit(given));
  await checks.check('an administrator looks at dead letters and sends them back', () =>
    replayDeadLetters(given),
  );
  await checks.check('an administrator sees what applies, and who used how much of it', () =>
    readQuotas(given),
  );
  await checks.check('an administrator looks at unused sequences before they are deleted', () =>
    deleteUnused(given),
  );
  await checks.check('an administrator sets the password of somebody who lost theirs', () =>
    setPassword(given),
  );
  await checks.check('an administrator changes a role, signs somebody out and closes an account', () =>
    closeAccount(given),
  );
}

async function revokeKey({ page, people, researcher }) {
  const made = await researcher.context.request.post('/v1/auth/api-keys', { data: { name: written.key } });
  const { key, prefix } = await made.json();
  await openWorkbench(page, 'keys');
  await expectNoMarkup(page);
  const chosen = await openRow(page, prefix);
  await openAct(chosen, 'Revoke');
  await chosen.locator('form').getByRole('button', { name: 'Revoke', exact: true }).click();
  await answer(page, 'Keep it');
  await chosen.locator('form').getByRole('button', { name: 'Revoke', exact: true }).click();
  await answer(page, 'Revoke');
  await page.getByRole('cell', { name: prefix }).waitFor({ state: 'detached' });
  const program = await people.open('a program');
  const reply = await program.context.request.get('/v1/auth/me', { headers: { 'x-api-key': key } });
  expect(reply.status() === 401, `the revoked key: ${reply.status()}`);
  await program.context.close();
}

async function searchAudit({ page }) {
  await page.goto('/people/audit');
  await page.getByRole('searchbox').fill('pipeline');
  await page.waitForURL(/q=pipeline/);
  await page.getByLabel('What was done').selectOption({ label: 'Key revoked' });
  const entries = page.locator('tr[data-action]');
  await page.locator('tr[data-action=user_approve]').first().waitFor({ state: 'detached' });
  await entries.first().waitFor();
  const text = await entries.first().innerText();
  expect(text.includes(written.key), text);
  expect(/admin/i.test(text), `who did it: ${text}`);
  await expectNoMarkup(page);
}

async function replayDeadLetters({ page }) {
  // A working service has no dead letters, so the reply with the empty list gets one; the request itself goes to the service.
  const letter = { from_queue: 'svc.jobs', died_at: '2026-01-01T00:00:00Z', size_bytes: 120, job_id: null };
  const list = '**/v1/admin/dlq';
  await page.route(list, async (route) => {
    const reply = await route.fetch();
    const [first = letter] = await reply.json();
    await route.fulfill({ response: reply, json: [{ ...letter, ...first }] });
  });
  await openWorkbench(page, 'dead-letters');
  await page.getByRole('cell', { name: 'svc.jobs' }).waitFor();
  await page.unroute(list);
  await openAct(page.locator('main'), 'Send back to their queues');
  await send(page, 'Send back to their queues');
  await page.getByText('Replayed').waitFor();
  // The page reads the list again after the act.
  await page.getByText('None is there: the workers could handle every message.').waitFor();
}

async function readQuotas({ page, researcher }) {
  const data = { fasta_text: `>used\n${'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ'.repeat(2)}\n` };
  const reply = await researcher.context.request.post('/v1/annotate', { data });
  expect(reply.ok(), await reply.text());
  const { email } = await (await researcher.context.request.get('/v1/auth/me')).json();
  await openWorkbench(page, 'quotas');
  const row = page.getByRole('row').filter({ hasText: email }).first();
  await row.getByText('1,000', { exact: true }).first().waitFor();
  await page.getByRole('row').filter({ hasText: 'POST /jobs' }).getByText('/minute').first().waitFor();
  await expectNoMarkup(page);
}

async function deleteUnused({ page }) {
  const preview = async () => {
    await openWorkbench(page, 'maintenance');
    await openAct(page.locator('main'), 'Unused sequences');
    return Number((await page.getByRole('definition').first().innerText()).replaceAll(',', ''));
  };
  await untilNoJobRuns(page);
  const before = await preview();
  await openAct(page.locator('main'), 'Delete unused sequences');
  const open = page.locator('form').getByRole('button', { name: 'Delete unused sequences' }).first();
  await open.click();
  await answer(page, 'Keep it');
  expect((await preview()) === before, 'something was deleted without an answer');
  await openAct(page.locator('main'), 'Delete unused sequences');
  await open.click();
  await answer(page, 'Delete unused sequences');
  await page.locator('form').getByRole('status').filter({ hasText: 'Deleted' }).waitFor();
  expect((await preview()) === 0, 'some are left');
}

/** Waits at most five minutes until no job runs that may need the sequences, because nothing is deleted before that. */
async function untilNoJobRuns({ request }) {
  const has = async (status) => (await (await request.get(`/v1/jobs?status=${status}`)).json()).length > 0;
  for (let tries = 0; tries < 1000 && ((await has('running')) || (await has('queued'))); tries++)
    await sleep(300);
}

async function setPassword({ page, operator }) {
  const { email, password: lost } = operator.credentials;
  const found = 'a quiet heron over 7 reeds';
  await page.goto('/administration');
  const row = page.getByRole('row').filter({ hasText: email });
  const say = async (password, choice) => {
    await row.getByRole('button', { name: 'Set a password' }).click();
    await row.getByRole('textbox', { name: 'New password' }).fill(password);
    await answer(page, choice);
  };
  await say(found, 'Keep the old one');
  await operator.page.goto('/account');
  await operator.page.getByRole('heading', { name: 'API keys' }).waitFor();
  await say('1234', 'Set the password');
  await row.getByRole('alert').filter({ hasText: 'Not set' }).waitFor();
  await say(found, 'Set the password');
  await row.getByRole('status').filter({ hasText: 'The new password is set' }).waitFor();
  await operator.page.goto('/account');
  await operator.page.getByText('You are not signed in').waitFor();
  const logIn = (password) => operator.context.request.post('/v1/auth/login', { data: { email, password } });
  expect((await logIn(lost)).status() === 401, 'the lost password still works');
  expect((await logIn(found)).ok(), 'the new password does not work');
  operator.credentials.password = found;
}

async function closeAccount({ page, operator }) {
  const { email } = operator.credentials;
  await page.goto('/administration');
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByRole('combobox').selectOption('researcher');
  await row.getByRole('button', { name: 'Change the role' }).click();
  await row.getByRole('button', { name: 'Change the role' }).waitFor({ state: 'detached' });
  await openWorkbench(page, 'accounts');
  const chosen = await openRow(page, email);
  await openAct(chosen, 'Sign out everywhere');
  await chosen.locator('form').getByRole('button', { name: 'Sign out everywhere' }).click();
  await answer(page, 'Sign out everywhere');
  await chosen.locator('form').getByRole('status').waitFor();
  await operator.page.goto('/account');
  await operator.page.getByText('You are not signed in').waitFor();
  await page.goto('/administration');
  await row.getByRole('button', { name: 'Deactivate' }).click();
  await answer(page, 'Leave it active');
  await row.getByRole('button', { name: 'Deactivate' }).click();
  await answer(page, 'Deactivate');
  await row.getByRole('button', { name: 'Reactivate' }).waitFor();
  await signIn(operator.page, operator.credentials);
  const refusal = operator.page.getByRole('alert').filter({ hasText: 'Not signed in' });
  await refusal.waitFor();
  expect(/deactivated/.test(await refusal.innerText()), await refusal.innerText());
}

/** The lines of the header are counted by its links and buttons, at widths from a phone on its side to a desktop. */
async function readFirstPage({ page }) {
  const before = page.viewportSize();
  await page.goto('/');
  await page.getByText(/^(The default that an operator chose|No default is chosen)/).waitFor();
  await page.getByRole('definition').filter({ hasText: 'Combined evidence' }).waitFor();
  const broken = [];
  for (const width of [700, 900, 1024, 1200, 1440]) {
    await page.setViewportSize({ width, height: 860 });
    const middles = await page
      .locator('header')
      .locator('a, button')
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
      );
    if (Math.max(...middles) - Math.min(...middles) > 12) broken.push(width);
    const { scrolled, shown } = await page
      .getByRole('navigation', { name: 'Pages' })
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrolled: scrollWidth, shown: clientWidth }));
    if (width >= 1200 && scrolled > shown) broken.push(`${width}: links are out of sight`);
  }
  await page.setViewportSize(before);
  expect(broken.length === 0, `at ${broken.join(', ')} pixels`);
}
