import { expect } from './checks.mjs';

/** Loads of the first page until the run of the first start is complete, which is computed beside the others. */
const mostLoads = 60;

/** What somebody sees before they do anything: a real answer. */
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
    await page.getByText('Certain and specific terms come first').waitFor();
    await page.close();
  });
}

/** Terms that are in view on a desktop. */
const leastTerms = 18;

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
