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
  await checks.check('the picture of the terms fits, grows, shows certainty, and is saved', () => draw(work));
  await checks.check('bars show what each source covers, and a sentence says what none does', () =>
    readCoverage({ ...work, context, run }),
  );
  await page.close();
}

/** The bars are those of the service's alignments, and stand where the words beside them say. */
async function readCoverage({ page, address, context, run }) {
  await page.goto(address);
  const part = page.getByRole('region', { name: 'What covers the sequence' });
  await part.getByText(/^(The sources cover the whole protein|No source covers residues)/).waitFor();
  const path = `/v1/embeddings/prediction-sets/${run}/proteins/Q9QZ82/coverage`;
  const { length, sources } = await (await context.request.get(path)).json();
  expect(sources.length > 0, 'no source is placed');
  const [{ accession, start, end }] = sources;
  await part.getByText(`${start} to ${end}, `).first().waitFor();
  const bar = await part
    .locator('a', { hasText: accession })
    .first()
    .evaluate((link) => {
      const whole = link.parentElement.nextElementSibling.firstElementChild.getBoundingClientRect();
      const filled =
        link.parentElement.nextElementSibling.firstElementChild.firstElementChild.getBoundingClientRect();
      return [(filled.left - whole.left) / whole.width, filled.width / whole.width];
    });
  const [left, width] = [(start - 1) / length, (end - start + 1) / length];
  expect(
    Math.abs(bar[0] - left) < 0.01 && Math.abs(bar[1] - width) < 0.01,
    `the bar of ${accession} is at ${bar}, not at ${[left, width]}`,
  );
  await part.getByText('No signatures of InterPro are loaded for this sequence.').waitFor();
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

/** Saves the picture of the terms, and returns the file's content. */
async function saved(page, name) {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function draw({ page, address }) {
  await page.goto(`${address}&graph=true`);
  const frame = page.getByRole('region', { name: /^Molecular function of/ });
  await frame.locator('rect[data-standing=likely]').first().waitFor();
  const sizes = () =>
    frame.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => ({
      ...{ scrollWidth, clientWidth, scrollHeight, clientHeight },
    }));
  const fitting = await sizes();
  const fits = fitting.scrollWidth <= fitting.clientWidth && fitting.scrollHeight <= fitting.clientHeight;
  expect(fits, `the picture does not fit: ${JSON.stringify(fitting)}`);
  const colour = (standing) =>
    frame
      .locator(`rect[data-standing=${standing}]`)
      .first()
      .evaluate((box) => getComputedStyle(box).fill);
  expect((await colour('likely')) !== (await colour('weak')), 'likely and weak have one colour');
  for (let step = 0; step < 3; step++) await page.getByRole('button', { name: 'Larger' }).click();
  const large = await sizes();
  expect(large.scrollWidth > large.clientWidth, `the picture does not grow: ${JSON.stringify(large)}`);
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  const drawing = (await saved(page, 'Save as SVG')).toString();
  expect(drawing.includes('heme binding') || drawing.includes('heme'), drawing.slice(0, 400));
  expect(!/var\(|color\(/.test(drawing), 'a colour that other programs do not know');
  const png = await saved(page, 'Save as PNG');
  expect(png.subarray(1, 4).toString() === 'PNG' && png.length > 10_000, `${png.length} bytes`);
}
