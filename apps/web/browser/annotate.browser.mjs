// Annotates the example without an account in a real browser, and checks every page. CHROMIUM names the browser.
//   node apps/web/browser/annotate.browser.mjs <base URL> <folder for screenshots>
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { Checks, expect } from './checks.mjs';
import {
  checkAnswerRequests,
  checkDensity,
  checkFirstPage,
  checkFirstTerm,
  checkFurtherModels,
} from './first-page.mjs';
import { checkLaboratory } from './laboratory.mjs';
import { checkLargeRun } from './large-run.mjs';
import { axe, checkPages } from './page-gates.mjs';
import { findSubjects, pageList } from './page-list.mjs';
import { checkPrivate } from './private.mjs';
import { checkRunPages } from './run-pages.mjs';

const [baseUrl, shots] = process.argv.slice(2);
if (baseUrl === undefined || shots === undefined) {
  console.error('usage: annotate.browser.mjs <base URL> <folder for screenshots>');
  process.exit(64);
}
mkdirSync(shots, { recursive: true });

const desktop = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const context = await browser.newContext({
  baseURL: baseUrl,
  viewport: desktop,
  colorScheme: 'light',
  acceptDownloads: true,
});
const page = await context.newPage();
page.setDefaultTimeout(30_000);
const complaints = watch(page);
const checks = new Checks();
/** The prediction sets of this run: one of several proteins, and one of a single protein. */
const runs = {};
const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
const heading = (name) => page.getByRole('heading', { level: 1, name }).waitFor();

await checks.check('tells the limits and the reference before anything is sent', async () => {
  await page.goto('/');
  await heading('What does your protein do?');
  await page.getByText(/sequences? a day/).waitFor();
  await page.getByRole('heading', { name: 'Compared with' }).waitFor();
  await shot('annotate');
});

await checks.check('says what is missing instead of sending nothing', async () => {
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.getByText('Paste a sequence or accessions, choose a file, or load the example.').waitFor();
});

await checks.check('looks at what is typed: a bare sequence, accessions, repeated names, DNA', async () => {
  const field = page.getByLabel('Your proteins');
  await field.fill('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ');
  await page.getByText('1 protein, 33 residues').waitFor();
  await page.getByText(/Leaves \d+ of your 10 sequences for today/).waitFor();
  await field.fill('P05108, P99999');
  await page.getByText('Not in this catalogue: P99999').waitFor();
  await page.getByText(/known exactly/).waitFor();
  await field.fill('Entry\n"sp|P05108|CP11A_HUMAN"\nUniProtKB:P99998.2\n');
  await page.getByText('Not in this catalogue: P99998').waitFor();
  await field.fill('P05108\nmine\n');
  await page.getByText(/line 2: "mine" is not a UniProt accession/).waitFor();
  await field.fill('>a\nMKTAYIAKQRQISFVKSHFSRQ\n>a\nMKTAYIAKQRQISFVKSHFSRQ\n');
  await page.getByText('Several sequences have the same name: a.').waitFor();
  await page.getByRole('button', { name: 'Number the sequences of the same name' }).click();
  await page.waitForFunction(() => document.querySelector('textarea').value.includes('>a_2'));
  await field.fill('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ');
  const organism = page.getByLabel('Organism, where the header has no OX=');
  await organism.fill('homo sapiens');
  await page.getByText('Organism: Homo sapiens.').waitFor();
  await organism.fill('h. sapiens');
  await page.getByText('Organism: Homo sapiens.').waitFor();
  await organism.fill('human');
  await page.getByText(/knows scientific names alone/).waitFor();
  await organism.fill('Homo errans');
  await page.getByText(/has no Homo errans/).waitFor();
  await organism.fill('');
  await field.fill('ATGGCCCTGTGGATGCGCCTCCTGCCCCTGCTGGCGCTGCTGGCCCTCTGGGGACCTGACCCAGCCTAA');
  await page.getByRole('button', { name: 'Translate the longest reading frame' }).click();
  await page.waitForFunction(
    (protein) => document.querySelector('textarea').value.includes(protein),
    'MALWMRLLPLLALLALWGPDPA',
  );
});

await checks.check('says what the service would refuse, with the line, and offers no run of it', async () => {
  await page.getByLabel('Your proteins').fill('>q1\nMKT4YIAK\n');
  const refusal = page.getByRole('alert').filter({ hasText: "can't be annotated yet" });
  await refusal.waitFor();
  expect(/line 2/.test(await refusal.innerText()), `no line number in: ${await refusal.innerText()}`);
  await page.getByRole('button', { name: 'Annotate', exact: true, disabled: true }).waitFor();
  await shot('annotate-refused');
});

await checks.check('annotates the example without an account', async () => {
  await page.getByRole('button', { name: 'Load an example' }).click();
  await page.getByText('3 proteins, 1,171 residues').waitFor();
  await page.getByLabel('Name of this run').fill('Browser test');
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.waitForURL(/\/(progress|results)\//);
  await shot('progress');
  await page.waitForURL(/\/results\/[0-9a-f-]{36}/, { timeout: 180_000 });
  runs.first = runOf(page.url());
  await heading('Browser test');
  expect((await page.title()).startsWith('Browser test'), await page.title());
});

await checkFirstPage({ checks, context });
await checkFurtherModels({ checks, context });
await checkPrivate({ checks, browser, baseUrl, shots });
await checkDensity({ checks, browser, baseUrl, run: runs.first });
await checkRunPages({ checks, context, run: runs.first });

await checks.check('shows terms with certainty, score, source and evidence', async () => {
  await page.getByText(/^3 proteins: /).waitFor();
  await shot('run');
  await page.getByRole('link', { name: 'Q9QZ82' }).click();
  await page.getByRole('heading', { level: 2, name: 'Q9QZ82' }).waitFor();
  const title = 'Cholesterol side-chain cleavage enzyme, mitochondrial (Q9QZ82)';
  await page.getByRole('heading', { level: 2, name: title }).waitFor();
  await page.getByRole('tab', { name: /Molecular function/ }).click();
  await page.getByText('The more certain come first').waitFor();
  await checkFirstTerm(page);
  await shot('result');
});

await checks.check('links terms and sources to their own pages, and these outwards', async () => {
  const links = page.locator('tbody a');
  const addresses = await links.evaluateAll((all) => all.map((link) => new URL(link.href).pathname));
  expect(
    addresses.some((address) => /^\/go\/GO(:|%3A)\d{7}$/.test(address)),
    addresses.join(' '),
  );
  expect(
    addresses.some((address) => /^\/proteins\/\w+$/.test(address)),
    addresses.join(' '),
  );
});

await checks.check('says what a term means and what its score rests on, down to the alignment', async () => {
  const opener = page.locator('tr[data-line] button[aria-expanded]').first();
  await opener.click();
  await page.getByRole('navigation', { name: 'Path to the root' }).waitFor();
  await page.getByText(/similar proteins? ha(s|ve) the term/).waitFor({ timeout: 60_000 });
  await page
    .getByText(/without it the score would be/)
    .first()
    .waitFor();
  const papers = page.getByRole('list', { name: 'Its annotations' }).first();
  await papers.waitFor();
  const [annotation] = await papers.getByRole('listitem').allInnerTexts();
  expect(/^[A-Z]{2,3} \S+/.test(annotation), `evidence and paper: ${annotation}`);
  await page
    .getByRole('button', { name: /^Alignment with/ })
    .first()
    .click();
  await page
    .getByText(/\d+ to \d+ of \d+/)
    .first()
    .waitFor();
  const letters = await page.locator('pre').first().innerText();
  expect(/^This protein +\d+ [A-Z-]{10,} \d+\n[ |]+\n\w+ +\d+ [A-Z-]{10,} \d+$/.test(letters), letters);
  expect(/open=GO/.test(page.url()), page.url());
  await shot('evidence');
  await opener.click();
  await page.locator('pre').first().waitFor({ state: 'detached' });
});

await checks.check(
  'strikes a contradicted term through with its rule, and says what replaces it',
  async () => {
    const address = page.url();
    const rule = 'never in fungi (test)';
    const obsolete = {
      obo_version: 'releases/2026-01-01',
      replaced_by: ['GO:0005515'],
      consider: ['GO:0005488'],
    };
    // The service has no rules here, so the reply gets one.
    const doctored = async (route) => {
      const reply = await route.fetch();
      const answer = await reply.json();
      const [first, ...terms] = answer.terms;
      const contradicted = [{ ...first, contradiction: rule, obsolete }];
      await route.fulfill({ response: reply, json: { ...answer, terms, contradicted } });
    };
    await page.route('**/answer', doctored);
    await page.goto(address);
    const row = page.locator('tr', { hasText: `Against it: ${rule}` });
    await row.getByText('obsolete', { exact: true }).waitFor();
    expect((await row.locator('s').count()) === 1, 'the name is not struck through');
    await row.locator('button').click();
    await page
      .getByText(
        'no longer has this term. Its replacement: GO:0005515. Terms to consider instead: GO:0005488.',
      )
      .waitFor();
    await page.unroute('**/answer', doctored);
    await page.goto(address);
    await page.getByText('The more certain come first').waitFor();
  },
);

await checks.check('shows less certain terms when asked, and explains evidence by keyboard', async () => {
  const before = await page.locator('tr[data-line]').count();
  await page.getByRole('button', { name: /less certain term/ }).click();
  await page.getByRole('button', { name: 'Show only the answer' }).waitFor();
  await page.locator('tr[data-line]').nth(before).waitFor();
  await page.locator('tbody abbr').filter({ visible: true }).first().focus();
  // The keyboard leaves the element and returns, because an element that a script or the mouse focused shows no tooltip.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.getByRole('tooltip').waitFor();
});

await checks.check('the address alone leads to the same protein and aspect', async () => {
  const address = page.url();
  expect(/protein=Q9QZ82/.test(address) && /aspect=F/.test(address), address);
  const other = await browser.newContext({ viewport: desktop });
  const shared = await other.newPage();
  await shared.goto(address);
  await shared.getByRole('heading', { level: 2, name: 'Q9QZ82' }).waitFor();
  await shared.getByRole('tab', { name: /Molecular function/, selected: true }).waitFor();
  await other.close();
});

await checks.check('the page of a protein asks once for its answer, and once more for the next one', () =>
  checkAnswerRequests(page),
);

await checks.check('searches and narrows down the proteins of a run, by keyboard', async () => {
  await page.getByRole('link', { name: 'All 3 proteins' }).click();
  await page.getByRole('searchbox').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('p546');
  await page.getByText('1 protein of 3 proteins').waitFor();
  expect(/q=p546/.test(page.url()), page.url());
  await page.getByRole('searchbox').fill('');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  const focused = await page.evaluate(() => document.activeElement?.closest('[data-row]')?.ariaRowIndex);
  expect(focused === '3', `row ${focused} has the focus`);
  const facet = page.getByRole('complementary', { name: 'Narrow down' }).getByRole('button').first();
  await facet.click();
  await page.waitForURL(/certainty=/);
  await page.reload();
  await page.locator('[data-row]').first().waitFor();
  expect((await facet.getAttribute('aria-pressed')) === 'true', 'the filter is lost');
  await facet.click();
  await page.getByRole('tab', { name: 'Terms' }).click();
  await page.locator('tbody tr').first().waitFor();
  await page.getByRole('tab', { name: 'Proteins' }).click();
});

await checks.check('says where the result comes from', async () => {
  const made = page.locator('section', { has: page.getByRole('heading', { name: 'Sources' }) });
  await made.getByText('All sources and versions').click();
  const text = await made.innerText();
  for (const fact of ['Annotations', 'Gene Ontology', 'Similarity model', 'Compared with'])
    expect(text.includes(fact), `${fact} is missing in ${text}`);
});

await checks.check('downloads the files', async () => {
  const contents = {};
  await page.getByRole('button', { name: 'Export' }).click();
  const formats = page.getByLabel('Format', { exact: true });
  await formats.waitFor();
  for (const value of await formats.locator('option').evaluateAll((all) => all.map((one) => one.value))) {
    await formats.selectOption(value);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    contents[value] = Buffer.concat(chunks).toString();
    // In a packed file only a mark of its format is readable.
    await page.locator('dialog pre').filter({ hasText: /\S/ }).waitFor();
    const marks = { xlsx: 'xl/worksheets/', parquet: 'PAR1', parquet_wide: 'PAR1', turtle: 'obo:GO_' };
    const mark = marks[value] ?? 'GO:';
    expect(contents[value].includes(mark), `${value} has no ${mark}: ${contents[value].slice(0, 200)}`);
  }
  await shot('export');
  await page.keyboard.press('Escape');
  const columns = contents['predictions.tsv'].split('\n', 1)[0].split('\t').length;
  expect(columns === 32, `${columns} columns`);
  const line = contents['predictions-cafa.tsv'].split('\n', 1)[0];
  expect(/^\S+\tGO:\d{7}\t[0-9.e-]+$/.test(line), line);
});

await checks.check('a result or a job that is not there is explained', async () => {
  await page.goto('/results/00000000-0000-4000-8000-000000000000');
  await heading('Result not found');
  await page.goto('/jobs/not-an-id');
  await heading('This job is not here');
});

await checks.check('asks again when the service is back', async () => {
  await page.route('**/v1/jobs*', (route) => route.abort());
  await page.goto('/jobs');
  await page.getByText('Kindred is not responding').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute('**/v1/jobs*');
  await page.locator('tbody tr').first().waitFor();
});

await checks.check('goes back and forward between a run, a protein and a term', async () => {
  await page.goto(`/results/${runs.first}`);
  await page.getByRole('link', { name: 'Q9QZ82' }).click();
  await page.getByRole('heading', { level: 2, name: 'Q9QZ82' }).waitFor();
  await page.locator('tr[data-line] button[aria-expanded]').first().click();
  const path = page.getByRole('navigation', { name: 'Path to the root' });
  await path.getByRole('link').first().click();
  await page.waitForURL(/\/go\/GO/);
  await page.goBack();
  await path.waitFor();
  await page.goBack();
  await page.getByText(/^3 proteins: /).waitFor();
  await page.goForward();
  await page.getByRole('heading', { level: 2, name: 'Q9QZ82' }).waitFor();
});

await checks.check('a result that is read while the service is away comes when it is back', async () => {
  await page.goto(`/results/${runs.first}`);
  await page.getByText(/^3 proteins: /).waitFor();
  await page.route('**/v1/**', (route) => route.abort());
  await page.getByRole('link', { name: 'P54654' }).click();
  await page.getByText('Kindred is not responding').first().waitFor();
  await page.unroute('**/v1/**');
  await page.getByText('The more certain come first').waitFor();
});

await checks.check('opens a page, a term and a word of the glossary by keyboard alone', async () => {
  await page.goto('/');
  await heading('What does your protein do?');
  await page.keyboard.press('Control+k');
  const field = page.getByLabel('Search pages, runs, terms and words');
  await field.waitFor();
  expect((await axe(page, 'commands')).length === 0, (await axe(page, 'commands')).join('\n'));
  await page.keyboard.type('fmax');
  await page.getByText(/harmonic mean of precision and recall/).waitFor();
  expect((await axe(page, 'commands')).length === 0, (await axe(page, 'commands')).join('\n'));
  await shot('commands');
  await field.fill('GO:0005515');
  await page.getByText('Term GO:0005515').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading('protein binding');
  await page.keyboard.press('?');
  await field.waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
});

await checks.check('shows markup in names and headers as text, and goes on after a reload', async () => {
  const markup = '<img src=x onerror="window.ran=1">';
  await page.goto('/');
  await page
    .getByLabel('Your proteins')
    .fill(
      `>a"onload=1' ${markup}<script>window.ran=1</script>\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ\n`,
    );
  await page.getByLabel('Name of this run').fill(`${markup} run`);
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.waitForURL(/\/(progress|results)\//);
  await page.reload();
  await page.waitForURL(/\/results\/[0-9a-f-]{36}/, { timeout: 180_000 });
  await heading(`${markup} run`);
  await page.getByRole('heading', { level: 2, name: `a"onload=1'` }).waitFor();
  await page.getByText(`${markup}<script>window.ran=1</script>`).waitFor();
  expect((await page.evaluate('window.ran')) === undefined, 'a script of an upload ran');
  await page.goto('/');
  await page.getByRole('link', { name: `${markup} run` }).waitFor();
});

await checks.check('finds the run again in this browser', async () => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Browser test' }).click();
  await page.waitForURL(/\/results\//);
});

await checks.check('takes a packed file, and tells what is left of the quota', async () => {
  await page.goto('/');
  const content = gzipSync('>packed one\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n');
  const file = { name: 'one.fasta.gz', mimeType: 'application/gzip', buffer: content };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('one.fasta.gz').waitFor();
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.waitForURL(/\/results\/[0-9a-f-]{36}/, { timeout: 180_000 });
  runs.single = runOf(page.url());
  await page.getByRole('heading', { level: 2, name: 'packed' }).waitFor();
  await page.getByRole('link', { name: 'Annotate' }).click();
  await page.getByText(/a day \(\d+ left today\)/).waitFor();
});

await checks.check('shows jobs, a job with its timeline, results, data and the account forms', async () => {
  await page.goto('/jobs');
  await heading('Operation');
  await page.locator('tbody tr').first().waitFor();
  await shot('jobs');
  await page.locator('tbody a').first().click();
  await page.getByText('job.succeeded').first().waitFor();
  await shot('job');
  for (const name of ['Runs', 'References']) {
    await page.getByRole('link', { name }).click();
    await heading(name);
  }
  await page.getByRole('link', { name: 'Similarity models' }).click();
  await page.locator('tbody tr').first().waitFor();
});

await checks.check('a wrong password is refused in words', async () => {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill('nobody@example.org');
  await page.locator('input[type=password]').fill('wrong password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'Not signed in' }).waitFor();
  await shot('sign-in');
});

await checks.check('a mailed link that is over is refused in words, and leaves the address', async () => {
  await page.goto(`/password-reset#token=${'x'.repeat(43)}`);
  await heading('Choose a new password');
  await page.waitForURL((url) => url.hash === '');
  await page.locator('input[type=password]').fill('a new password');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('alert').filter({ hasText: 'Not changed' }).waitFor();
});

const { KINDRED_EMAIL: email, KINDRED_PASSWORD: password } = process.env;
if (email === undefined || password === undefined) {
  console.log('        not checked: an account (KINDRED_EMAIL, KINDRED_PASSWORD)');
} else {
  await checks.check('asks for an account, which waits for an administrator', async () => {
    await page.goto('/sign-up');
    await page.getByLabel('E-mail').fill('newcomer@example.org');
    await page.getByLabel('User name').fill('newcomer');
    await page.locator('input[type=password]').fill('a long password of hers');
    await page.getByLabel('What will you use it for?').fill('Enzymes of soil bacteria');
    await page.getByRole('button', { name: 'Request an account' }).click();
    await page
      .getByText(/administrator/)
      .first()
      .waitFor();
  });

  await checks.check('signs in, keeps a result, cancels a job', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByLabel('E-mail').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('radio', { name: 'Private link' }).waitFor();
    await page.getByRole('button', { name: 'Load an example' }).click();
    await page.getByRole('button', { name: 'Annotate', exact: true }).click();
    await page.waitForURL(/\/results\/[0-9a-f-]{36}/, { timeout: 180_000 });
    runs.several = runOf(page.url());
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.locator(`tbody a[href*="${runs.several}"]`).waitFor();
    await shot('results');
    await cancelJob();
  });

  await checks.check('an administrator lets an account in, and reads it in the audit log', async () => {
    await page.getByRole('link', { name: 'People' }).click();
    await heading('People');
    const row = page.locator('tr', { hasText: 'newcomer@example.org' });
    await row.getByText('Enzymes of soil bacteria').waitFor();
    await row.getByLabel('Role of newcomer').selectOption('operator');
    await row.getByRole('button', { name: 'Approve' }).click();
    await row.getByRole('button', { name: 'Deactivate' }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    const entry = page.locator('tr[data-action=user_approve]').first();
    await entry.waitFor();
    // The page shows names in words, and ids only on demand.
    expect(/Account approved\s+newcomer/.test(await entry.innerText()), await entry.innerText());
    const ids = /[0-9a-f]{8}-[0-9a-f]{4}/.exec(await page.locator('main').innerText());
    expect(ids === null, `an id on the page: ${ids}`);
    await page.getByRole('searchbox').fill('newcom');
    await page.locator('tr[data-action=login_ok]').first().waitFor({ state: 'detached' });
    await entry.waitFor();
    expect(/q=newcom/.test(page.url()), page.url());
    await shot('accounts');
  });

  await checks.check('makes a key that is shown once, and revokes it', async () => {
    await page.goto('/account');
    await page.getByLabel('Name of a new key').fill('browser key');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = await page.getByRole('status').locator('code').textContent();
    expect(/^[\w-]{43}$/.test(key), 'the key has another form');
    await shot('account');
    const row = page.locator('tr', { hasText: key.slice(0, 8) });
    await row.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await row.getByText(/revoked/).waitFor();
    await page.reload();
    await row.getByText(/revoked/).waitFor();
    expect(!(await page.content()).includes(key), 'the key is shown again');
  });

  await checkLaboratory({ checks, page, shot });

  const subjects = await findSubjects(context.request, runs);
  // The pages are one list with rows, one without, and a grid, because the others are drawn from the same parts.
  const pages = pageList(subjects, ['ontologies', 'experiments', 'benchmark', 'quotas']);
  await checkPages({ checks, context, baseUrl, pages });

  await checks.check('signs out, in the other tab too', async () => {
    const other = await context.newPage();
    await other.goto('/account');
    await other.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await other.getByText('You are not signed in').waitFor();
    await other.close();
  });
}

const { KINDRED_LARGE_RUN: largeRun } = process.env;
if (largeRun === undefined) console.log('        not checked: a large run (KINDRED_LARGE_RUN)');
else await checkLargeRun({ checks, context, facts: JSON.parse(readFileSync(largeRun, 'utf8')) });

await checks.check('works on a phone and in the dark', async () => {
  await page.setViewportSize(phone);
  await page.goto('/');
  await heading('What does your protein do?');
  await page.getByRole('button', { name: 'Use dark colours' }).click();
  await shot('phone-annotate');
  await page.getByRole('link', { name: 'Browser test' }).click();
  await page.getByRole('link', { name: 'Q9QZ82' }).click();
  await page.getByText('The more certain come first').waitFor();
  await page.getByRole('button', { name: /less certain term/ }).click();
  await page.getByRole('button', { name: 'Show only the answer' }).waitFor();
  await shot('phone-result');
  for (const path of ['/', '/jobs', '/data', page.url()]) {
    await page.goto(path);
    await page.locator('main h1').waitFor();
    await page.waitForTimeout(400);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow <= 0, `${path} is ${overflow} px wider than the screen`);
  }
});

await checks.check('no script, style or request was refused, and nothing threw', () => {
  expect(complaints.length === 0, complaints.join('\n'));
});

await browser.close();
process.exit(checks.finish());

/** Returns the prediction set of a result's address. */
function runOf(url) {
  return /results\/([0-9a-f-]{36})/.exec(url)[1];
}

/** Cancels a prediction that waits for the vectors of sequences that the service never saw before. */
async function cancelJob() {
  const letters = 'ACDEFGHIKLMNPQRSTVWY';
  const residue = () => letters[Math.floor(Math.random() * letters.length)];
  const sequence = () => Array.from({ length: 900 }, residue).join('');
  await page.getByRole('link', { name: 'Annotate' }).click();
  const fasta = Array.from({ length: 400 }, (_, i) => `>random${i}\n${sequence()}\n`).join('');
  const file = { name: 'random.fasta', mimeType: 'text/plain', buffer: Buffer.from(fasta) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('radio', { name: 'Not kept' }).check();
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.getByRole('link', { name: 'Technical log' }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Let it run' }).click();
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel the job' }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
}

/** Collects the errors that the browser reports, except the refusals that the test provokes. */
function watch(watched) {
  const found = [];
  watched.on('pageerror', (error) => found.push(`threw: ${error.message}`));
  watched.on('console', (message) => {
    if (message.type() !== 'error') return;
    const text = `${message.text()} ${message.location().url}`;
    const provoked = /status of (401|404|422)|ERR_FAILED/.test(text);
    if (!provoked) found.push(text);
  });
  return found;
}
