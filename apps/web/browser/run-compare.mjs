import { expect } from './checks.mjs';

/**
 * Checks the comparison of two runs, whose overviews are changed on their way to the page.
 * @param run a run of several proteins
 */
export async function checkRunComparison({ checks, context, run }) {
  const page = await context.newPage();
  const other = crypto.randomUUID();
  const overview = await (
    await context.request.get(`/v1/embeddings/prediction-sets/${run}/overview?limit=500`)
  ).json();
  /** Serves the other run as this one with changed proteins. */
  const serve = async (proteins) => {
    await page.unroute(`**/prediction-sets/${other}**`);
    await page.route(`**/prediction-sets/${other}**`, async (route) => {
      const url = route.request().url().replace(other, run);
      const json = await (await context.request.get(url)).json();
      await route.fulfill({
        json: url.includes('/overview') ? { ...json, proteins } : { ...json, id: other },
      });
    });
    await page.goto(`/results/${run}?view=compare&compare=${other}`);
  };
  await checks.check(
    'two runs without a common protein are said to have none, and nothing is lost',
    async () => {
      await serve(overview.proteins.map((one) => ({ ...one, accession: `other-${one.accession}` })));
      await page.getByText('No protein in common').waitFor();
      expect((await page.getByText('Lost terms').count()) === 0, 'terms are called lost');
    },
  );
  await checks.check('the comparison of two runs groups what changed, and is saved whole', async () => {
    const [first, second, ...rest] = overview.proteins;
    const [gone, ...kept] = first.terms;
    await serve([{ ...first, terms: kept }, second, ...rest.slice(1)]);
    await page.getByText(/^\d+ proteins? in common with/).waitFor();
    await page.getByText('Only in this run: 1 protein').waitFor();
    await page.getByRole('button', { name: 'Lost terms 1' }).click();
    const row = page.locator('tbody tr:not(section[aria-label="New in what is known"] *)');
    expect((await row.count()) === 1, `${await row.count()} proteins`);
    await row.getByText(overview.terms[gone.go_id].name).waitFor();
    expect(await page.getByRole('button', { name: /^New terms/ }).isDisabled(), 'an empty group is offered');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as TSV' }).click(),
    ]);
    const chunks = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    expect(lines.length === 3, lines.join('\n'));
    expect(lines[1].startsWith(`${first.accession}\tLost terms\t${gone.go_id}\t`), lines[1]);
    expect(lines[2].startsWith(`${rest[0].accession}\tOnly in this run`), lines[2]);
  });
  await checks.check('beside it stands what became known of the proteins, the newest first', async () => {
    const days = page.getByRole('region', { name: 'New in what is known' }).locator('tbody tr');
    await days.first().waitFor();
    const found = (await days.allInnerTexts()).map((line) =>
      Date.parse(/\d+ [A-Z][a-z]+ \d{4}/.exec(line)?.[0]),
    );
    const isSorted = found.every((day, at) => at === 0 || day <= found[at - 1]);
    expect(found.length > 0 && isSorted, found.join(' '));
  });
  await page.close();
}
