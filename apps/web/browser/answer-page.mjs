import { expect } from './checks.mjs';

/**
 * Checks the page of a protein of a run.
 * @param run a run with the protein Q9QZ82
 */
export async function checkAnswerPage({ checks, context, run }) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  const address = `/results/${run}?protein=Q9QZ82&aspect=F`;
  const work = { page, address };
  await checks.check('a click anywhere on a row opens and closes its evidence', () => clickRow(work));
  await checks.check('the answer leads to the pages of its source in other databases', () => leadOn(work));
  await checks.check('the run says how to cite it', () => cite(work));
  await page.close();
}

async function clickRow({ page, address }) {
  await page.goto(address);
  const row = page.locator('tr[data-line]').first();
  const score = row.locator('td').nth(2);
  await score.click();
  await page.getByRole('navigation', { name: 'Path to the root' }).waitFor();
  expect((await row.getAttribute('data-open')) === 'true', 'the row is not marked as open');
  await score.click();
  await page.getByRole('navigation', { name: 'Path to the root' }).waitFor({ state: 'detached' });
  await row.getByRole('link', { name: /^GO:/ }).click();
  await page.waitForURL(/\/go\/GO/);
}

async function leadOn({ page, address }) {
  await page.goto(address);
  const links = page.locator('[data-elsewhere] a');
  await links.first().waitFor();
  const found = await links.evaluateAll((all) => all.map(({ textContent, href }) => [textContent, href]));
  const names = ['UniProt', 'AlphaFold DB', 'InterPro', 'QuickGO'];
  expect(found.map(([name]) => name).join() === names.join(), JSON.stringify(found));
  for (const [, href] of found) expect(/\bP05108\b/.test(href), href);
}

async function cite({ page, address }) {
  await page.goto(address);
  await page.getByText('Cite this', { exact: true }).click();
  await page.getByText(/^Gene Ontology terms of \d+ proteins were predicted with Kindred \d+\.\d+/).waitFor();
  const entries = await page.locator('pre', { hasText: '@software{kindred' }).innerText();
  expect(entries.includes('doi = {10.1038/75556}'), entries);
  await page.getByRole('button', { name: 'Copy BibTeX' }).waitFor();
}
