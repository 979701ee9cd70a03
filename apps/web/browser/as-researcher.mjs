import { expect } from './checks.mjs';
import { compareWithOthers } from './other-programs.mjs';
import { expectUnlisted, twoProteins } from './as-visitor.mjs';
import {
  annotate,
  answer,
  expectNoMarkup,
  loaded,
  markup,
  openAct,
  openRow,
  openWorkbench,
  send,
  signIn,
} from './people.mjs';

/** The texts that the researcher writes. Each could harm a page that takes it for markup. */
export const written = {
  // The name has no markup, because the service refuses markup in names of users.
  user: "rosalind o'neil-franklin",
  purpose: `Enzymes of soil ${markup}`,
  upload: `upload ${markup}`,
  uploadAgain: `upload again ${markup}`,
  run: `run ${markup}`,
  runAgain: `run again ${markup}`,
  compared: `compared run ${markup}`,
  kept: `kept run ${markup}`,
  experiment: `experiment ${markup}`,
  hypothesis: `hypothesis ${markup}`,
  findings: `findings ${markup}`,
  key: `pipeline ${markup}`,
  comment: `comment ${markup}`,
  feedback: `feedback ${markup}`,
};

/** Checks the tasks of a researcher: an account, uploads, runs, keys, an experiment, feedback. */
export async function checkResearcher({ checks, people, researcher, administrator, visitor, credentials }) {
  const given = { page: researcher.page, people, administrator, visitor, credentials };
  await checks.check('a researcher asks for an account, and waits for an administrator', () =>
    askForAccount(given),
  );
  await checks.check('an administrator approves it, and the researcher signs in', () => enter(given));
  await checks.check('a researcher uploads, renames and deletes', () => upload(given));
  await checks.check('a researcher renames, repeats and lists a run, and an administrator deletes it', () =>
    changeRun(given),
  );
  await checks.check('a researcher puts the terms of other programs beside a run', () =>
    compareWithOthers(given, { fasta: twoProteins, name: written.compared, markup }),
  );
  await checks.check('a researcher makes a key, which works until it is revoked', () => useKey(given));
  await checks.check('a researcher sees the use of today, and changes the password', () =>
    changePassword(given),
  );
  await checks.check('a researcher starts an experiment, writes it down and finishes it', () =>
    experiment(given),
  );
  await checks.check('a researcher gives feedback that everyone reads', () => praise(given));
  await checks.check('nobody else finds what a researcher did not list', () => stayPrivate(given));
}

async function askForAccount({ page, credentials }) {
  await page.goto('/sign-up');
  await page.getByLabel('E-mail').fill(credentials.email);
  await page.getByLabel('User name').fill(written.user);
  await page.locator('input[type=password]').fill(credentials.password);
  await page.getByLabel('What will you use it for?').fill(written.purpose);
  await page.getByRole('button', { name: 'Request an account' }).click();
  await page.getByText(/waits for an administrator/).waitFor();
  await signIn(page, credentials);
  const refusal = page.getByRole('alert').filter({ hasText: 'Not signed in' });
  await refusal.waitFor();
  expect(/approv/.test(await refusal.innerText()), await refusal.innerText());
}

async function enter({ page, administrator, credentials }) {
  const { page: office } = administrator;
  await office.goto('/administration');
  const row = office.getByRole('row').filter({ hasText: credentials.email });
  await row.getByText(written.purpose).waitFor();
  await row.getByRole('button', { name: 'Approve' }).click();
  await row.getByRole('button', { name: 'Deactivate' }).waitFor();
  await expectNoMarkup(office);
  await signIn(page, credentials);
  await page.getByRole('link', { name: written.user }).waitFor();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Operation' }).waitFor();
  expect((await pages.getByRole('link', { name: 'Accounts' }).count()) === 0, 'Accounts is offered');
}

async function upload({ page }) {
  await openWorkbench(page, 'uploads');
  await openAct(page.locator('main'), 'Upload a file');
  const buffer = Buffer.from(`>q1 ${markup}\nMKTAYIAKQRQISFVKSHFSRQ\n`);
  await page.locator('input[type=file]').setInputFiles({ name: 'a.fasta', mimeType: 'text/plain', buffer });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(written.upload);
  await send(page, 'Upload a file');
  let chosen = await openRow(page, written.upload);
  await openAct(chosen, 'Entries');
  await chosen.getByText(`q1 ${markup}`).waitFor();
  await openAct(chosen, 'Rename or share');
  await chosen.getByRole('textbox', { name: 'Name', exact: true }).fill(written.uploadAgain);
  await send(page, 'Rename or share');
  await page.getByRole('cell', { name: written.uploadAgain }).waitFor();
  await expectNoMarkup(page);
  await openWorkbench(page, 'uploads');
  chosen = await openRow(page, written.uploadAgain);
  await openAct(chosen, 'Delete');
  await chosen.locator('form').getByRole('button', { name: 'Delete', exact: true }).click();
  await answer(page, 'Delete');
  await page.getByRole('cell', { name: written.uploadAgain }).waitFor({ state: 'detached' });
}

async function changeRun({ page, visitor, administrator }) {
  const header = `one ${markup}`;
  await annotate(page, { fasta: twoProteins.replace('>one', `>${header}`), name: written.run });
  const rename = page.getByRole('button', { name: 'Rename', exact: true });
  await rename.click();
  await answer(page, 'Keep the name');
  expect(await hasFocus(rename), 'the focus is not on the button that opened the dialog');
  await rename.click();
  await page.getByRole('dialog').getByLabel('Name of this run').fill(written.runAgain);
  await answer(page, 'Rename');
  await page.getByRole('heading', { level: 1, name: written.runAgain, exact: true }).waitFor();
  const address = page.url();
  await page.getByRole('button', { name: 'List it for everyone' }).click();
  await page.getByText('Everyone finds this run in the list.').waitFor();
  await visitor.page.goto('/results');
  await visitor.page.getByRole('link', { name: written.runAgain }).waitFor();
  await expectNoMarkup(visitor.page);
  await page.getByRole('button', { name: 'Take it off the list' }).click();
  await page.getByText('Whoever has the link can read this run.').waitFor();
  await page.getByRole('link', { name: 'Repeat with changes' }).click();
  await page.waitForURL(/repeat=/);
  await page.waitForFunction((text) => document.querySelector('textarea')?.value.includes(text), header);
  // The settings count as changed, because the reference of the repeated run is chosen.
  await page.getByText('Settings (changed)').waitFor();
  await expectNoMarkup(page);
  await page.goto(address);
  await page.getByRole('button', { name: 'Rename', exact: true }).waitFor();
  const remove = (person) => person.getByRole('button', { name: 'Delete', exact: true });
  expect((await remove(page).count()) === 0, 'a researcher is offered to delete a run');
  await administrator.page.goto(address);
  await remove(administrator.page).click();
  await answer(administrator.page, 'Keep it');
  await remove(administrator.page).click();
  await answer(administrator.page, 'Delete');
  await administrator.page.waitForURL(/\/results$/);
  await page.goto('/results');
  await loaded(page);
  expect((await page.getByRole('link', { name: written.runAgain }).count()) === 0, 'it is still listed');
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: 'Result not found' }).waitFor();
}

async function useKey({ page, people }) {
  await page.goto('/account');
  await page.getByLabel('Name of a new key').fill(written.key);
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = await page.getByRole('status').locator('code').textContent();
  const program = await people.open('a program');
  const ask = async () =>
    (await program.context.request.get('/v1/auth/me', { headers: { 'x-api-key': key } })).status();
  expect((await ask()) === 200, 'the key does not work');
  const revoke = page
    .getByRole('row')
    .filter({ hasText: key.slice(0, 8) })
    .getByRole('button');
  await revoke.click();
  await page.getByRole('dialog').getByText(`Revoke the key “${written.key}”?`).waitFor();
  await answer(page, 'Keep it');
  expect(await hasFocus(revoke), 'the focus is not on the button that opened the question');
  expect((await ask()) === 200, 'the key was revoked before the answer');
  await revoke.click();
  await answer(page, 'Revoke the key');
  await page.getByText(/revoked/).waitFor();
  expect((await ask()) === 401, 'the revoked key works');
  await program.context.close();
  await expectNoMarkup(page);
}

async function changePassword({ page, credentials: { password } }) {
  await page.goto('/account');
  await page.getByText(/of 1,000 sequences annotated today/).waitFor();
  const change = async (from, to) => {
    await page.getByLabel('Present password').fill(from);
    await page.getByLabel('New password').fill(to);
    await page.getByRole('button', { name: 'Change the password' }).click();
  };
  const other = `${password}, another one`;
  await change('not the password', other);
  await page
    .getByRole('alert')
    .filter({ hasText: 'Not changed' })
    .getByText(/not right/)
    .first()
    .waitFor();
  const isSet = page.getByRole('status').filter({ hasText: 'The new password is set' });
  await change(password, other);
  await isSet.waitFor();
  // The old password is set again for later sign-ins.
  await page.reload();
  await change(other, password);
  await isSet.waitFor();
}

async function experiment({ page }) {
  await openWorkbench(page, 'experiments');
  await openAct(page.locator('main'), 'Start one');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(written.experiment);
  await page.getByLabel('Hypothesis').fill(written.hypothesis);
  await send(page, 'Start one');
  for (const [status, findings] of [
    ['running', ''],
    ['done', written.findings],
  ]) {
    await openWorkbench(page, 'experiments');
    const chosen = await openRow(page, written.experiment);
    await openAct(chosen, 'Write down');
    await chosen.getByLabel('Findings').fill(findings);
    await chosen.getByLabel('Status').selectOption(status);
    await send(page, 'Write down');
  }
  await openWorkbench(page, 'experiments');
  await page.getByText(written.findings).first().waitFor();
  await expectNoMarkup(page);
}

async function praise({ page, visitor }) {
  await openWorkbench(page, 'feedback');
  await openAct(page.locator('main'), 'Thumbs up');
  await page.getByLabel('Comment').fill(written.feedback);
  await send(page, 'Thumbs up');
  await openWorkbench(visitor.page, 'feedback');
  await visitor.page.getByText(written.feedback).waitFor();
  await expectNoMarkup(visitor.page);
}

async function stayPrivate({ page, visitor }) {
  await annotate(page, { fasta: twoProteins, name: written.kept });
  await page.goto('/results');
  await page.getByRole('link', { name: written.kept }).waitFor();
  await expectUnlisted(visitor.page, [written.kept, written.experiment]);
}

function hasFocus(locator) {
  return locator.evaluate((element) => element === document.activeElement);
}
