import { readFileSync } from 'node:fs';
import { expect } from './checks.mjs';
import { findSubjects, pageList } from './page-list.mjs';
import { annotate, loaded, partsOffered } from './people.mjs';

/** The width of the smallest phones, and of a page that is magnified four times on a screen of 1,280 pixels (WCAG 1.4.10). */
const narrow = { width: 320, height: 640 };

/** Names have no place at which a line may break, because file names and accessions have none either. */
const longName = `Run_${'without_a_space_'.repeat(8)}end`;
const longAccession = (number) => `${'ACCESSION'.repeat(6)}.${number}`;

/**
 * Checks that no page is wider than the smallest window: the public pages, and all of the workbench with an open row, with names and
 * accessions as long as they may be.
 */
export async function checkNarrow({ checks, context }) {
  const page = await context.newPage();
  let pages = [];
  await checks.check('long names and accessions are taken everywhere', async () => {
    const several = runOf(await annotate(page, { fasta: longProteins(3), name: longName }));
    const single = runOf(await annotate(page, { fasta: longProteins(1), name: `${longName}_single` }));
    await nameRows(context.request);
    const keys = (await partsOffered(page)).map(({ href }) => href.split('/').at(-1));
    pages = pageList(await findSubjects(context.request, { several, single }), keys);
  });
  await page.setViewportSize(narrow);
  await checks.check('no page is wider than a window of 320 pixels', async () => {
    const wider = [];
    for (const { name, path, ready, whole } of pages) {
      await page.goto(path);
      await page.locator(ready).first().waitFor();
      if (whole !== undefined) await page.locator(whole).first().waitFor();
      await loaded(page);
      wider.push(...(await tooWide(page, name)));
      const open = page.getByRole('button', { name: 'Open', exact: true });
      if (!name.startsWith('workbench-') || (await open.count()) === 0) continue;
      await open.first().click();
      await loaded(page);
      wider.push(...(await tooWide(page, `${name}, a row of it`)));
    }
    expect(pages.length > 0, 'no page was looked at');
    expect(wider.length === 0, wider.join('\n'));
  });
  await checks.check(
    'a narrow window shows the link of the open page, and marks one part alone',
    async () => {
      for (const path of ['/', '/references/slims', '/people/audit']) await expectPlaceShown(page, path);
    },
  );
  await page.close();
}

/** Checks that the links say where the visitor is: the one of the page is in sight, and of the parts one is marked. */
async function expectPlaceShown(page, path) {
  await page.goto(path);
  await loaded(page);
  const current = page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current=page]');
  await current.waitFor();
  const { x, width } = await current.boundingBox();
  expect(x >= 0 && x + width <= narrow.width, `${path}: its link reaches from ${x} to ${x + width}`);
  const parts = page.getByRole('navigation', { name: 'Parts of this page' });
  const marked = await parts.locator('[aria-current=page]').count();
  expect(marked === (path === '/' ? 0 : 1), `${path}: ${marked} parts are marked`);
}

const runOf = (address) => /results\/([0-9a-f-]{36})/.exec(address)[1];

/** Returns the first example proteins, which have answers, under long names. */
function longProteins(count) {
  const examples = readFileSync(new URL('../../../examples/queries.fasta', import.meta.url), 'utf8');
  const records = examples.split(/^>.*\n/m).slice(1, count + 1);
  return records
    .map((sequence, at) => `>${longAccession(at)} ${'Protein-of-a-long-name-'.repeat(6)}\n${sequence}`)
    .join('');
}

/** Makes rows of the workbench that people name themselves. */
async function nameRows(request) {
  for (const [path, data] of [['/experiment-runs', { name: longName, hypothesis: longName }]]) {
    const reply = await request.post(`/v1${path}`, { data });
    expect(reply.ok() || reply.status() === 409, `${path}: ${await reply.text()}`);
  }
}

/** Says by how much a page is wider than its window, and what is in the way: the innermost elements whose content reaches out of them. */
async function tooWide(page, name) {
  const { width, elements } = await page.evaluate(() => {
    const most = document.documentElement.clientWidth;
    const out = [...document.querySelectorAll('body *')].filter(
      (one) =>
        one.clientWidth > 0 &&
        one.scrollWidth > one.clientWidth + 1 &&
        getComputedStyle(one).overflowX === 'visible',
    );
    const words = ({ tagName, className, textContent }) =>
      `${tagName.toLowerCase()}.${String(className?.baseVal ?? className)} "${textContent.slice(0, 30)}"`;
    return { width: document.documentElement.scrollWidth - most, elements: out.slice(-3).map(words) };
  });
  return width > 0 ? [`${name}: ${width} px too wide: ${elements.join(', ')}`] : [];
}
