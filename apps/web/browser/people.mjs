import { expect } from './checks.mjs';

/** A text that a person could type to harm another one. It calls `ran` if a page takes it for markup. */
export const markup = '<img src="x" onerror="ran()"><script>ran()</script>';

/** The errors that the browser reports of refusals and of a service that is away. Other checks cover both. */
const expected = /status of (4\d\d|503)|ERR_FAILED|ERR_INTERNET_DISCONNECTED/;

/**
 * People at their browsers, each with a context of their own. All of them are watched for events that must never happen: a script in a
 * text runs, a dialog of the browser opens, the page throws, or the service refuses what a page offered.
 */
export class People {
  #browser;
  #baseUrl;
  complaints = [];

  constructor({ browser, baseUrl }) {
    this.#browser = browser;
    this.#baseUrl = baseUrl;
  }

  /** Opens a page for a visitor without an account, or for a person who signs in with `credentials` by the API. */
  async open(name, credentials) {
    const context = await this.#browser.newContext({
      baseURL: this.#baseUrl,
      viewport: { width: 1280, height: 860 },
      reducedMotion: 'reduce',
      // The header is the one that pages send, because the service accepts writes of a signed-in browser from its own pages alone.
      extraHTTPHeaders: { origin: this.#baseUrl },
    });
    // The limit is reached only by events that will never happen.
    context.setDefaultTimeout(45_000);
    await context.exposeBinding('ran', () => void this.complaints.push(`${name}: a text ran as a script`));
    context.on('dialog', (dialog) => {
      this.complaints.push(`${name}: a dialog says ${dialog.message()}`);
      return dialog.dismiss();
    });
    context.on('weberror', (error) => this.complaints.push(`${name}: threw ${error.error().message}`));
    context.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (message.type() === 'error' && !expected.test(text)) this.complaints.push(`${name}: ${text}`);
    });
    if (credentials !== undefined) {
      const reply = await context.request.post('/v1/auth/login', { data: credentials });
      expect(reply.ok(), `${name} can't sign in: ${reply.status()} ${await reply.text()}`);
    }
    const page = await context.newPage();
    return { name, context, page, credentials };
  }
}

export async function signIn(page, { email, password }) {
  await page.goto('/sign-in');
  await page.getByLabel('E-mail').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Waits until a page has its content, which means that neither the page nor a part of it is loading. */
export async function loaded(page) {
  await page.locator('main h1').waitFor();
  await page.waitForFunction(() => document.querySelector('main [aria-label^="Loading"]') === null);
}

/** Starts a run with the form. @returns {Promise<string>} the address of the run's progress or result */
export async function startRun(page, { fasta, name }) {
  await page.goto('/');
  await page.getByLabel('Your proteins').fill(fasta);
  await page.getByLabel('Name of this run').fill(name);
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.waitForURL(/\/(progress|results)\//);
  return page.url();
}

/** Starts a run as `startRun` does, and waits for the result. */
export async function annotate(page, run) {
  await startRun(page, run);
  await page.waitForURL(/\/results\/[0-9a-f-]{36}/, { timeout: 180_000 });
  await page.getByRole('heading', { level: 1, name: run.name, exact: true }).waitFor();
  return page.url();
}

/** Answers the question of a dialog with the button of that name. */
export async function answer(page, choice) {
  await page.getByRole('dialog').getByRole('button', { name: choice, exact: true }).click();
}

/** Returns the parts of References, Evaluate, Operation and People that the visitor of the page is offered. */
export async function partsOffered(page) {
  const parts = [];
  for (const path of ['/references', '/evaluate', '/operation', '/people']) {
    await page.goto(path);
    const links = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    await links.first().waitFor();
    await loaded(page);
    // The first part is in the list even where it needs another role, because it is open.
    const isRefused = (await page.getByText('This needs another role.').count()) > 0;
    const shown = await links.evaluateAll((all) =>
      all.map((link) => ({ href: link.getAttribute('href'), title: link.textContent })),
    );
    parts.push(...shown.filter(({ href }) => !isRefused || href !== path));
  }
  return parts;
}

/** Opens a part by its former address, which leads to the page that has it now. */
export async function openWorkbench(page, key) {
  await page.goto(`/workbench/${key}`);
  await page.getByRole('navigation', { name: 'Parts of this page' }).waitFor();
  await loaded(page);
}

/** Opens the row that has the text. @returns the details of the row */
export async function openRow(page, text) {
  const row = page.getByRole('row').filter({ hasText: text }).first();
  await row.getByRole('button', { name: 'Open', exact: true }).click();
  return chosenRow(page);
}

/** Returns the details of the open row of a list. */
export const chosenRow = (page) =>
  page.getByRole('region').filter({ has: page.getByRole('heading', { level: 2 }) });

export async function openAct(within, name) {
  await within.getByRole('button', { name, exact: true }).first().click();
}

/** Sends an open form, and waits until the service has carried out the act. */
export async function send(page, name) {
  const form = page.locator('form').filter({ has: page.getByRole('button', { name, exact: true }) });
  await form.getByRole('button', { name, exact: true }).first().click();
  await form
    .getByRole('status')
    .filter({ hasText: /^(Done|Queued)/ })
    .waitFor();
}

/** Follows a queued job from its form to its end. */
export async function followJob(page) {
  await page.getByRole('link', { name: 'Follow it' }).click();
  await page.getByText('job.succeeded').first().waitFor({ timeout: 120_000 });
}

/** Checks that no text that a person typed became an element. */
export async function expectNoMarkup(page) {
  const elements = await page.locator('img[src="x"], script:not([src])').count();
  expect(elements === 0, `${elements} elements came out of texts on ${page.url()}`);
}
