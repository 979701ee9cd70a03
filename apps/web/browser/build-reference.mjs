import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from './checks.mjs';
import { axe } from './page-gates.mjs';
import { openWorkbench } from './people.mjs';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const sources = ['reference.fasta.gz', 'reference.gaf.gz', 'go-basic-2022-07-01.obo.gz'];

/** Builds a reference of the example's files in the page, reads its summary and chooses it. @returns its number of clicks */
export async function buildReference({ page, context }, name) {
  let clicks = 0;
  const click = async (role, label) => {
    clicks++;
    await page.getByRole(role, { name: label }).click();
  };
  const [before] = await (await context.request.get('/v1/references')).json();
  await openWorkbench(page, 'references');
  await click('radio', 'Your own files');
  await page.getByLabel('Files of the reference').setInputFiles(join(examples, sources[0]));
  await page.getByText('Still missing: their annotations (GAF or GPAD), the ontology (OBO).').waitFor();
  await page.getByLabel('Files of the reference').setInputFiles(sources.map((file) => join(examples, file)));
  clicks++;
  await page.getByText('4,000 proteins, 77,317 annotation rows').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  const faults = await axe(page, 'build a reference');
  expect(faults.length === 0, faults.join('\n'));
  await click('button', 'Build the reference');
  await page.getByRole('progressbar', { name: 'Progress of the build' }).waitFor();
  const summary = page.getByLabel('Summary of the reference');
  await summary.waitFor({ timeout: 300_000 });
  const text = await summary.innerText();
  for (const words of [
    /releases\/2022-07-01/,
    /4,000, [\d,]+ of them annotated/,
    /of kmer-1024/,
    /reliability/,
  ])
    expect(words.test(text), `the summary lacks ${words}: ${text}`);
  await click('button', 'Use it for runs');
  await page.getByText('Runs use it where their owner names nothing.').waitFor();
  const chosen = await (await context.request.get(`/v1/references/${name}`)).json();
  expect(chosen.is_default, `${name} is not the default`);
  return { clicks, before };
}

/**
 * Compares a reference with an older one, packs it, deletes it, installs the pack and deletes it again, all by the buttons of the list. The
 * older one becomes the default meanwhile.
 */
export async function manageReference({ page, context }, name, before) {
  const card = (title) => page.getByRole('heading', { level: 2, name: title }).locator('..');
  const press = (within, label) => within.getByRole('button', { name: label, exact: true }).click();
  const built = card(new RegExp(`^${name}@[\\d.-]+$`));
  const old = `${before.name}@${before.version}`;
  await openWorkbench(page, 'references');
  await built.getByText('The default of runs.').waitFor();
  await press(built, 'Compare');
  await built.getByLabel(/^What changed from/).selectOption(old);
  await built.getByText(/^\d+ proteins? more and \d+ fewer/).waitFor();
  await press(built, 'Pack it');
  await press(built, 'Make the file');
  const link = built.getByRole('link', { name: 'Download the pack' });
  await link.waitFor({ timeout: 120_000 });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  const path = await download.path();
  await press(card(old), 'Make it the default');
  await card(old).getByText('The default of runs.').waitFor();
  const remove = async () => {
    await press(built, 'Delete');
    await press(page.getByRole('dialog'), 'Delete');
    await built.waitFor({ state: 'detached' });
  };
  await remove();
  await page.getByRole('radio', { name: 'A packed reference' }).click();
  await page.getByLabel('File of the pack').setInputFiles(path);
  await page.getByRole('button', { name: /^Install / }).click();
  await page.getByText(/ is installed\. It is in the list below\.$/).waitFor({ timeout: 120_000 });
  await press(built, 'What is in it');
  await built.getByText('4,000, ').waitFor();
  const faults = await axe(page, 'references');
  expect(faults.length === 0, faults.join('\n'));
  await remove();
  const left = await (await context.request.get('/v1/references')).json();
  expect(!left.some((one) => one.name === name), `${name} is still there`);
  // The service chooses again, as it did before.
  await context.request.patch('/v1/annotate/reference', {
    data: { annotation_set_id: null, embedding_config_id: null },
  });
}

/** Plans a download that never ends: the page gives up after a minute and says what to do. */
export async function waitInVain({ page }) {
  let cancelled = 0;
  await page.clock.install();
  const running = { id: '00000000-0000-4000-8000-000000000001', status: 'RUNNING', result: null };
  await page.route('**/v1/jobs', (asked) =>
    asked.request().method() === 'POST' ? asked.fulfill({ status: 201, json: running }) : asked.fallback(),
  );
  await page.route(`**/v1/jobs/${running.id}`, (asked) => asked.fulfill({ json: running }));
  await page.route(`**/v1/jobs/${running.id}/cancel`, (asked) => {
    cancelled++;
    return asked.fulfill({ json: running });
  });
  await openWorkbench(page, 'references');
  await page.getByRole('button', { name: 'See what is downloaded' }).click();
  await page
    .getByRole('button', { name: 'See what is downloaded' })
    .and(page.locator('[data-loading]'))
    .waitFor();
  await page.clock.fastForward(61_000);
  await page.getByText(/did not answer within 60 seconds\. Check that the machine/).waitFor();
  expect(cancelled === 1, `the job was cancelled ${cancelled} times`);
  await page.unrouteAll();
  await page.clock.resume();
}
