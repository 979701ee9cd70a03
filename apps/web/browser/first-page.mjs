import { expect } from './checks.mjs';

/** The maximum number of loads of the first page until the run of the first start is complete, which is computed meanwhile. */
const mostLoads = 60;

/** Checks that a visitor sees a real answer before they do anything. */
export async function checkFirstPage({ checks, context }) {
  await checks.check('shows a real answer on the first page', async () => {
    const page = await context.newPage();
    for (let loads = 0; loads < mostLoads; loads++) {
      await page.goto('/');
      await page.waitForLoadState('networkidle');
      if ((await page.getByRole('heading', { name: 'A result of this service' }).count()) > 0) break;
    }
    await page.getByRole('link', { name: 'The whole answer with its evidence' }).click();
    await page.getByRole('heading', { level: 1, name: 'Example proteins' }).waitFor();
    await page.getByText('The more certain come first').waitFor();
    await page.close();
  });
  await checkPastes({ checks, context });
}

/** Checks that a page reads sequences as databases and programs print them, and offers nothing that will be refused. */
async function checkPastes({ checks, context }) {
  await checks.check(
    'reads numbered sequences and alignments, and offers nothing that is refused',
    async () => {
      const page = await context.newPage();
      await page.goto('/');
      const field = page.getByLabel('Your proteins');
      const button = page.getByRole('button', { name: 'Annotate', exact: true });
      await field.fill('        1 MKPVTLYDVA EYAGVSYQTV SRVVNQASHV\n       31 SAKTREKVEA');
      await page.getByText('1 protein, 40 residues Positions are left out.').waitFor();
      await field.fill('>a\nMKPVTL--YDVAEYAGVSYQTVSRVVNQASHV\n>b\nMKPVTLYDVAEYAGVSY----QTVSRVVNQASHV\n');
      await page.getByText('2 proteins, 60 residues Gaps of the alignment are left out.').waitFor();
      expect(await button.isEnabled(), 'the button is off');
      await field.fill('>q1\nMKT4YIAKQRQISFVKSHFSRQ\n');
      await page.getByText("These can't be annotated yet").waitFor();
      expect(await button.isDisabled(), 'the button is on');
      await field.fill('>q1\nMKTYIAKQRQISFVKSHFSRQ\n');
      await page.getByText('1 protein, 21 residues').waitFor();
      await button.and(page.locator(':enabled')).waitFor();
      await page.setViewportSize({ width: 320, height: 700 });
      const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(wider <= 0, `${wider} px wider than a small phone`);
      await page.close();
    },
  );
}

/**
 * Checks the choice of further models. The service has one model, so replies are changed to say that its reference has vectors of two.
 */
export async function checkFurtherModels({ checks, context }) {
  await checks.check(
    'offers further models where the reference has vectors of several, and sends them',
    async () => {
      const page = await context.newPage();
      await page.goto('/');
      await page.getByText('Settings', { exact: true }).click();
      await page.getByLabel('Similarity model').waitFor();
      expect((await page.getByText('Further models').count()) === 0, 'offered with one model alone');
      const second = { id: crypto.randomUUID(), display_name: 'Second model' };
      await page.route('**/v1/embeddings/configs*', async (route) => {
        const configs = await (await route.fetch()).json();
        await route.fulfill({ json: [...configs, { ...configs[0], ...second }] });
      });
      await page.route('**/v1/references*', async (route) => {
        const references = await (await route.fetch()).json();
        const json = references.map((one) => ({
          ...one,
          vectors: [...one.vectors, { ...one.vectors[0], embedding_config_id: second.id }],
        }));
        await route.fulfill({ json });
      });
      let sent;
      await page.route('**/v1/annotate?*', (route) => {
        sent = new URL(route.request().url()).searchParams;
        return route.fulfill({
          status: 409,
          json: { title: 'Conflict', status: 409, detail: 'Stopped here.' },
        });
      });
      await page.reload();
      await page.getByLabel('Your proteins').fill('MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ');
      await page.getByText('Settings', { exact: true }).click();
      await page.getByRole('group', { name: 'Further models' }).getByLabel('Second model').check();
      await page.getByText('Settings (changed)').waitFor();
      await page.getByRole('button', { name: 'Annotate', exact: true }).click();
      await page.getByText('Stopped here.').waitFor();
      expect(sent.get('more_embedding_config_ids') === second.id, String(sent));
      await page.getByLabel('Similarity model').selectOption('Second model');
      await page.getByText('Further models').waitFor();
      expect((await page.getByLabel('Second model', { exact: true }).count()) === 0, 'offered twice');
      await page.close();
    },
  );
}

/** The minimum number of terms that are in view on a desktop. */
const leastTerms = 16;

/** @param run a run with the protein Q9QZ82, which has many terms */
export async function checkDensity({ checks, browser, baseUrl, run }) {
  await checks.check(`shows at least ${leastTerms} terms at once on a desktop`, async () => {
    const wide = await browser.newContext({ baseURL: baseUrl, viewport: { width: 1440, height: 900 } });
    const page = await wide.newPage();
    await page.goto(`/results/${run}?protein=Q9QZ82&aspect=P&implied=true`);
    const lines = page.locator('tr[data-line]');
    await lines.nth(leastTerms).waitFor();
    const seen = await lines.evaluateAll(
      (rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length,
    );
    expect(seen >= leastTerms, `${seen} terms`);
    await wide.close();
  });
}

/** Opens the address of a protein alone and goes on to the next one. Checks that one request brings everything of an answer. */
export async function checkAnswerRequests(page) {
  const other = await page.context().browser().newContext();
  const alone = await other.newPage();
  const asked = [];
  alone.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // The bar of what the sources cover stands below the answer, and comes after it.
    if (pathname.endsWith('/coverage')) return;
    if (/\/(embeddings\/prediction-sets\/[^/]+\/.|annotations\/snapshots)/.test(pathname))
      asked.push(pathname);
  });
  await alone.goto(page.url());
  const shown = async () =>
    (await alone.locator('section[aria-label^="Answer for "]').getAttribute('aria-label')).split(' ').at(-1);
  await alone.locator('tr[data-line]').first().waitFor();
  const protein = await shown();
  expect(asked.length === 1 && asked[0].endsWith(`/proteins/${protein}/answer`), asked.join(' '));
  await alone.keyboard.press('j');
  await alone.getByRole('heading', { level: 2, name: protein }).waitFor({ state: 'detached' });
  await alone.locator('tr[data-line]').first().waitFor();
  expect(asked.length === 2 && asked[1].endsWith(`/proteins/${await shown()}/answer`), asked.join(' '));
  await other.close();
}

/** Checks the first line of the table of terms of a protein, and that the printed report has the same columns. */
export async function checkFirstTerm(page) {
  const rows = await page.locator('tbody tr').all();
  expect(rows.length > 0, 'no term is shown');
  const headings = await page.locator('thead th').allInnerTexts();
  expect(headings[1].startsWith('Certainty'), `certainty is not first: ${headings}`);
  const cells = await rows[0].locator('td').allInnerTexts();
  const cell = (heading) => cells[headings.findIndex((text) => text.startsWith(heading))]?.trim();
  expect(/GO:\d{7}/.test(cell('Term')), `no GO id in ${cell('Term')}`);
  const words = /^(strong|likely|possible|weak|not calibrated)/;
  expect(words.test(cell('Certainty')), `certainty ${cell('Certainty')}`);
  expect(Number(cell('Score')) > 0 && Number(cell('Score')) <= 1, `score ${cell('Score')}`);
  const [, having, similar] = /^(\d+) of (\d+)$/.exec(cell('Similar')) ?? [];
  expect(Number(having) <= Number(similar), `similar proteins: ${cell('Similar')}`);
  expect(/^[A-Z0-9-]{6,}/.test(cell('Source')), `source ${cell('Source')}`);
  expect(/^\d+\s%$/.test(cell('Identity')), `identity ${cell('Identity')}`);
  expect(/^([A-Z]{2,3}|implied)$/.test(cell('Evidence')), `evidence ${cell('Evidence')}`);
  await page.emulateMedia({ media: 'print' });
  const paper = await page.locator('thead:visible').first().locator('th').allInnerTexts();
  await page.emulateMedia({ media: null });
  const [name, ...fields] = headings.slice(0, cells.length);
  const expected = [name, 'GO id', ...fields].map((text) => text.trim());
  expect(paper.map((text) => text.trim()).join() === expected.join(), `on paper: ${paper.join()}`);
}
