import { expect } from './checks.mjs';
import { twoProteins } from './as-visitor.mjs';
import { annotate, loaded, startRun } from './people.mjs';
import { slow } from './page-gates.mjs';

/** Checks reloads, networks that break or are slow, and the way back. */
export async function checkSteadiness({ checks, researcher, largeRun }) {
  const { context } = researcher;
  // Each check has a page of its own, so that a fault in one leaves no cut network to the next.
  const inNewPage = (work) => async () => {
    const page = await context.newPage();
    try {
      await work({ page, context, largeRun });
    } finally {
      await page.close();
    }
  };
  await checks.check('a run goes on after a reload in its middle', inNewPage(reload));
  await checks.check(
    'the result appears after the service was away in the middle of a run',
    inNewPage(breakOff),
  );
  await checks.check('the page says so to a visitor without a network, who asks again', inNewPage(goOffline));
  await checks.check('the run of somebody who is faster than the page is kept', inNewPage(hurry));
  await checks.check('a slow network shows what is read, and the answer in the end', inNewPage(slowDown));

  if (largeRun === undefined) {
    console.log('        not checked: the way back to a place in a large run (KINDRED_LARGE_RUN)');
    return;
  }
  await checks.check(
    'back from a term and a protein leads to the same place of a large run',
    inNewPage(wayBack),
  );
}

async function reload({ page }) {
  const hold = await holdJobs(page);
  await startRun(page, { fasta: twoProteins, name: 'Reloaded run' });
  await page.getByText('50 % done').first().waitFor();
  await page.reload();
  await page.getByText('50 % done').first().waitFor();
  await hold.release();
  await page.waitForURL(/\/results\//);
  await page.getByRole('heading', { level: 1, name: 'Reloaded run' }).waitFor();
}

async function breakOff({ page }) {
  const hold = await holdJobs(page);
  await startRun(page, { fasta: twoProteins, name: 'Run without a service' });
  await page.getByText('50 % done').first().waitFor();
  const cut = (route) => route.abort();
  await page.route('**/v1/**', cut);
  const alert = page.getByRole('alert').filter({ hasText: 'Could not refresh' });
  await alert.getByText(/did not answer/).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByText('50 % done').first().waitFor();
  await hold.release();
  await page.unroute('**/v1/**', cut);
  await page.waitForURL(/\/results\//);
  await page.getByText(/^2 proteins: /).waitFor();
}

async function goOffline({ page, context }) {
  await page.goto('/');
  await loaded(page);
  await context.setOffline(true);
  try {
    await page.getByLabel('Your proteins').fill(twoProteins);
    await page.getByRole('button', { name: 'Annotate', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Not started' })
      .getByText(/did not answer/)
      .waitFor();
  } finally {
    await context.setOffline(false);
  }
  expect((await page.getByLabel('Your proteins').inputValue()) === twoProteins, 'the text is lost');
  await page.getByRole('button', { name: 'Annotate', exact: true }).click();
  await page.waitForURL(/\/results\//, { timeout: 60_000 });
}

async function hurry({ page }) {
  let answer;
  const answered = new Promise((resolve) => {
    answer = resolve;
  });
  // The visitor's limits are not known before the run is sent.
  await page.route('**/v1/annotate/limits', async (route) => {
    await answered;
    await route.continue().catch(() => undefined);
  });
  try {
    await annotate(page, { fasta: twoProteins, name: 'Hasty run' });
  } finally {
    answer();
  }
  await page.goto('/results');
  await page.getByRole('link', { name: 'Hasty run' }).waitFor();
}

async function slowDown({ page, context }) {
  const device = await context.newCDPSession(page);
  await device.send('Network.enable');
  await slow(device, true);
  await annotate(page, { fasta: twoProteins, name: 'Slow run' });
  await page.getByText(/^2 proteins: /).waitFor();
  await slow(device, false);
  await device.detach();
}

async function wayBack({ page, largeRun }) {
  await page.goto(`/results/${largeRun.id}`);
  await page.locator('[data-row]').first().waitFor({ timeout: 120_000 });
  const accession = largeRun.accessions[2000];
  const link = page.getByRole('link', { name: accession, exact: true });
  await page.evaluate((top) => window.scrollTo(0, top), 2000 * 40);
  await link.click();
  await page.getByRole('heading', { level: 2, name: accession }).waitFor();
  const opener = page.locator('tr[data-line] button[aria-expanded]').first();
  await opener.click();
  const path = page.getByRole('navigation', { name: 'Path to the root' });
  await path.getByRole('link').first().click();
  await page.waitForURL(/\/go\/GO/);
  await page.goBack();
  await path.waitFor();
  await page.goBack();
  await link.waitFor();
  const top = await link.evaluate((element) => element.getBoundingClientRect().top);
  expect(top > 0 && top < 860, `the protein is at ${top} px of the window`);
  await page.goForward();
  await page.getByRole('heading', { level: 2, name: accession }).waitFor();
}

/** Shows jobs as half done until they are released; then the service's own replies pass. */
async function holdJobs(page) {
  const job = /\/v1\/jobs\/[0-9a-f-]{36}$/;
  const halfway = async (route) => {
    const reply = await route.fetch().catch(() => null);
    if (reply === null) return route.abort().catch(() => undefined);
    const detail = await reply.json();
    const json = { ...detail, status: 'RUNNING', progress_current: 1, progress_total: 2, result: null };
    // The error is ignored, because a page that is loaded again no longer waits for the reply.
    return route.fulfill({ response: reply, json }).catch(() => undefined);
  };
  await page.route(job, halfway);
  return { release: () => page.unroute(job, halfway) };
}
