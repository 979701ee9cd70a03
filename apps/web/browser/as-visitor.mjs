import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from './checks.mjs';
import { axe } from './page-gates.mjs';
import { annotate, expectNoMarkup, loaded, markup, signIn } from './people.mjs';

export const twoProteins = `>one\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ
>two\nMALWMRLLPLLALLALWGPDPAAAFVNQHLCGSHLVEALYLVCGERGFFYTPKTRREAEDLQVGQVELGGGPGAGSLQPLALEGSLQKR\n`;
export const visitorsRun = 'Run of a visitor';

const owners = ['Rename', 'Delete', 'List it for everyone', 'Take it off the list'];

/** Checks the tasks of a visitor without an account. @returns {Promise<string>} the address of the run */
export async function checkVisitor({ checks, people, visitor, administrator }) {
  const { page } = visitor;
  let run = '';
  await checks.check('a visitor annotates, sees the run and nothing that only its owner may do', async () => {
    run = await annotate(page, { fasta: twoProteins, name: visitorsRun });
    await page.getByText(/^2 proteins: /).waitFor();
    await expectNoOwnersActs(page);
  });

  await checks.check('the console of a visitor, who signs in and out, holds no refusal', () =>
    readConsole({ people, administrator }),
  );

  await checks.check('a visitor says on a result that it helps', async () => {
    const critics = page
      .getByRole('form', { name: 'Feedback' })
      .getByRole('link', { name: 'comment on this run' });
    expect(/^\/jobs\/[0-9a-f-]{36}$/.test(await critics.getAttribute('href')), 'criticism has no place');
    await page.getByLabel('Does this result help you?').fill(`it does ${markup}`);
    await page.getByRole('button', { name: 'Yes, thumbs up' }).click();
    await page.getByText(/^Thank you\. That is number \d+\.$/).waitFor();
    await expectNoMarkup(page);
  });

  await checks.check('the private link opens in another browser without an account', async () => {
    const other = await people.open('the other visitor');
    await other.page.goto(run);
    await other.page.getByRole('heading', { level: 1, name: visitorsRun }).waitFor();
    await other.page.getByText(/^2 proteins: /).waitFor();
    await expectNoOwnersActs(other.page);
    // The run is not found without the link, either.
    await expectUnlisted(other.page, [visitorsRun]);
    await other.context.close();
  });

  await checks.check('a packed file gets its repeated names numbered and its DNA translated', () =>
    rewriteFile(page),
  );

  await checks.check('a visitor reads all figures with intervals, and compares two methods', () =>
    compareMethods(page),
  );

  await checks.check('a list that the service refuses is empty, and the console says why', () =>
    readRefusedLists(page),
  );
  return run;
}

/** The tabs show who is signed in, whichever of them signs in or out, and whenever their document was sent. */
async function readConsole({ people, administrator: { credentials } }) {
  const { page, context } = await people.open('a quiet visitor');
  const errors = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  for (const path of ['/', '/results', '/jobs', '/data', '/evaluation', '/help', '/workbench/feedback']) {
    await page.goto(path);
    await loaded(page);
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  }
  const other = await context.newPage();
  await other.goto('/data');
  await signIn(page, credentials);
  const leave = { name: 'Sign out' };
  await page.getByRole('button', leave).waitFor();
  // The other tab hears of it, and so does a document that was sent before the login.
  await other.getByRole('button', leave).waitFor();
  await other.goto('/problems');
  await other.goBack();
  await other.getByRole('button', leave).waitFor();
  await page.getByRole('button', leave).click();
  for (const one of [page, other])
    await one.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
  expect(errors.length === 0, errors.join('\n'));
  await context.close();
}

async function rewriteFile(page) {
  const gene = 'ATGGCCCTGTGGATGCGCCTCCTGCCCCTGCTGGCGCTGCTGGCCCTCTGGGGACCTGACCCAGCCTAA';
  // The number of sequences is larger than the number that the service names for looking like DNA.
  const text = `>gene of a kind\n${gene}\n`.repeat(6);
  const file = { name: 'genes.fasta.gz', mimeType: 'application/gzip', buffer: gzipSync(text) };
  await page.goto('/');
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('Several sequences have the same name: gene.').waitFor();
  await page.getByRole('button', { name: 'Number the sequences of the same name' }).click();
  const translate = page.getByRole('button', { name: 'Translate the longest reading frame' });
  await translate.click();
  await translate.waitFor({ state: 'detached' });
  await page.getByText('6 proteins, 132 residues').waitFor();
  await page.getByRole('button', { name: 'Do not use genes.fasta' }).click();
  await page.getByLabel('Your proteins').waitFor();
}

/** Compares methods by the shipped figures of the accuracy page. */
async function compareMethods(page) {
  await page.goto('/evaluation');
  await readEukaryotes(page);
  await page.getByText('All figures with intervals, and two methods compared').first().click();
  await page
    .getByLabel('Proteins', { exact: true })
    .selectOption({ label: 'Molecular function, more of the same aspect (625 proteins)' });
  const figures = page.getByRole('region', { name: /^Figures with intervals/ });
  const combined = await figures.getByRole('row').filter({ hasText: 'combined' }).innerText();
  const [first, low, high] = shippedFmax('combined', { category: 'PK', aspect: 'F' });
  expect(new RegExp(`${first} \\(${low}\\sto\\s${high}\\)`).test(combined), combined);
  const differences = page.getByRole('region', { name: /^Differences of two methods/ });
  const forward = await differences.locator('tbody tr').first().innerText();
  await page.getByLabel('Method', { exact: true }).selectOption('sequence similarity');
  await page.getByText('Choose two methods.').waitFor();
  await page.getByLabel('minus').selectOption('combined');
  const back = await differences.locator('tbody tr').first().innerText();
  const gain = shippedGain('combined', 'sequence similarity');
  expect(forward.includes(`+${gain}`) && back.includes(`−${gain}`), `${forward} / ${back}`);
  const faults = await axe(page, 'accuracy');
  expect(faults.length === 0, faults.join('\n'));
}

/** Reads the tables of the models of eukaryotes: each row of the document, with its figures. */
async function readEukaryotes(page) {
  const kinds = { known: 'Proteins that the reference knows', bare: 'Bare sequences' };
  for (const [kind, title] of Object.entries(kinds)) {
    const rows = page.getByRole('region', { name: `${title} of eukaryotes` }).locator('tbody tr');
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    const written = eukaryotes.filter((row) => row.kind === kind);
    expect(texts.length === written.length, `${title}: ${texts.length} rows`);
    for (const [at, { proteins, hasOwnOrganism, fmax, f_micro_w: weighted }] of written.entries()) {
      const text = texts[at];
      const says = (words) => expect(text.toLowerCase().includes(words), `${text} lacks ${words}`);
      says(proteins.toLowerCase());
      expect(text.includes('without their organism') === !hasOwnOrganism, text);
      for (const { now, before, above, below } of [fmax, weighted]) {
        says(`${now.toFixed(3)} instead of ${before.toFixed(3)}`);
        says(`better in ${above}, worse in ${below}`);
      }
    }
  }
}

const json = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { eukaryotes } = json('../src/features/evaluation/measured.generated.json');
const shipped = json('../../../models/combined/figures.json');

/** Returns Fmax of the first table with its interval, as the page shows them. */
function shippedFmax(method, { category, aspect }) {
  const { tests, figures } = shipped;
  const [{ columns, methods }] = tests;
  const cell = columns.findIndex((column) => column.category === category && column.aspect === aspect);
  const { cells } = methods.find(({ name }) => name === method);
  return cells[cell][figures.indexOf('fmax')].map((value) => value.toFixed(3));
}

/** Returns by how much a method's Fmax is above that of another one in the first cell of the first table. */
function shippedGain(method, other) {
  const pair = shipped.tests[0].differences.find((one) => one.method === other && one.other === method);
  return (-pair.cells[0][shipped.figures.indexOf('fmax')][0]).toFixed(3);
}

async function readRefusedLists(page) {
  const problem = { type: '/problems/forbidden', title: 'Forbidden', code: 'role_too_low', errors: [] };
  const lists = [
    { path: '/jobs', route: '**/v1/jobs?*', status: 403, words: 'No job has been queued yet.' },
    { path: '/results', route: '**/v1/embeddings/prediction-sets?*', status: 401, words: /No run to show/ },
    {
      path: '/workbench/ontologies',
      route: '**/v1/annotations/snapshots*',
      status: 401,
      words: 'None is there yet.',
    },
  ];
  for (const { path, route, status, words } of lists) {
    const refuse = (asked) => asked.fulfill({ status, json: { ...problem, status, detail: 'Not for you.' } });
    await page.route(route, refuse);
    try {
      const [warning] = await Promise.all([
        page.waitForEvent('console', (message) => message.type() === 'warning'),
        page.goto(path),
        page.getByText(words).waitFor(),
      ]);
      expect(/empty list is shown.*Not for you/.test(warning.text()), warning.text());
      expect((await page.getByRole('alert').count()) === 0, `${path} shows an error`);
    } finally {
      await page.unroute(route, refuse);
    }
  }
}

/** Expects that nobody else finds the names, with or without an account. */
export async function expectUnlisted(page, names) {
  for (const path of [
    '/results',
    '/jobs',
    '/workbench/uploads',
    '/workbench/runs',
    '/workbench/experiments',
  ]) {
    await page.goto(path);
    await loaded(page);
    const text = await page.locator('main').innerText();
    const found = names.filter((name) => text.includes(name));
    expect(found.length === 0, `${path} names ${found.join(', ')}`);
    await expectNoMarkup(page);
  }
}

async function expectNoOwnersActs(page) {
  for (const name of owners)
    expect((await page.getByRole('button', { name }).count()) === 0, `a visitor is offered: ${name}`);
}
