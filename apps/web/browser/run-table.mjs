import { expect } from './checks.mjs';

const headings = [
  'Protein',
  'Name',
  'Certainty',
  'Function',
  'Process',
  'Component',
  'Best source',
  'Identity',
  'Organism',
  'Length',
];

/**
 * Checks that the table of a run sorts by every column, that its columns can be chosen, and that a phone shows what the proteins do.
 * @param run a run of several proteins
 */
export async function checkRunTable({ checks, context, run }) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  const table = page.getByRole('table', { name: 'Proteins' });
  const work = { page, table, run };
  await checks.check('the columns of the table of a run are chosen, and the browser keeps them', () =>
    chooseColumns(work),
  );
  await checks.check('the table of a run sorts by every column, in both directions', () => sortColumns(work));
  await checks.check('on a phone each protein is a card with its functions', () => showCards(work));
  await page.setViewportSize({ width: 1440, height: 900 });
  await checks.check('the terms of a run do not begin with one that says little', () => orderTerms(work));
  await checks.check('a run that loads shows its places', () => showPlaces(work));
  await page.close();
}

/** Returns the texts of a column, from the top. */
async function cellsOf(table, heading) {
  const shown = await table.getByRole('columnheader').allInnerTexts();
  const at = shown.findIndex((text) => text.startsWith(heading));
  return table
    .locator('[data-row]')
    .evaluateAll((rows, column) => rows.map((row) => row.children[column].innerText.trim()), at);
}

async function chooseColumns({ page, table, run }) {
  await page.goto(`/results/${run}`);
  await table.locator('[data-row]').first().waitFor();
  expect(
    (await table.getByRole('columnheader', { name: 'Length' }).count()) === 0,
    'Length is shown at first',
  );
  await page.getByText('Columns', { exact: true }).click();
  for (const name of ['Identity', 'Organism', 'Length']) await page.getByLabel(name, { exact: true }).check();
  await page.reload();
  await table.getByRole('columnheader', { name: 'Length' }).waitFor();
  const shown = await table.getByRole('columnheader').allInnerTexts();
  expect(shown.join() === headings.join(), shown.join());
  for (const length of await cellsOf(table, 'Length')) expect(/^[\d,]+$/.test(length), `length ${length}`);
}

async function sortColumns({ table }) {
  for (const heading of headings) {
    const button = table.getByRole('columnheader', { name: heading }).getByRole('button');
    await button.click();
    await table.locator('[aria-sort=ascending]', { hasText: heading }).waitFor();
    const up = await cellsOf(table, heading);
    await button.click();
    await table.locator('[aria-sort=descending]', { hasText: heading }).waitFor();
    const down = await cellsOf(table, heading);
    const valued = (cells) => cells.filter((text) => text !== '' && text !== '–');
    expect(valued(up).join('|') === valued(down).reverse().join('|'), `${heading}: ${up} and ${down}`);
    if (heading !== 'Length') continue;
    const lengths = up.map((text) => Number(text.replaceAll(',', '')));
    expect(lengths.join() === lengths.toSorted((a, b) => a - b).join(), lengths.join());
    expect(new Set(lengths).size > 1, 'the lengths do not differ');
  }
}

async function showCards({ page, table }) {
  await page.setViewportSize({ width: 390, height: 844 });
  const card = table.locator('[data-row]').first();
  await card.locator('[data-column=F] a').waitFor();
  const { width } = await card.locator('[data-column=F] a').boundingBox();
  expect(width > 40, `a function has ${width} px`);
  await page.getByLabel('Sort by').selectOption('By protein');
  await table.locator('[role=columnheader][aria-sort=ascending]').waitFor({ state: 'attached' });
  const proteins = await table.locator('[data-column=protein]').allInnerTexts();
  const names = new Intl.Collator('en', { numeric: true });
  expect(proteins.join() === proteins.toSorted(names.compare).join(), proteins.join());
  const boxes = await table
    .locator('[data-row]')
    .evaluateAll((rows) =>
      rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
    );
  boxes.sort((a, b) => a.top - b.top);
  for (let at = 1; at < boxes.length; at++)
    expect(boxes[at].top >= boxes[at - 1].bottom - 1, `card ${at} lies on the one before`);
}

async function orderTerms({ page, run }) {
  await page.goto(`/results/${run}?view=terms`);
  const first = page.locator('tbody tr').first();
  await first.waitFor();
  const names = await page.locator('tbody td[data-label=Term] a').allInnerTexts();
  const little = names.findIndex((name) => /^(protein )?binding\b|^catalytic activity\b/.test(name));
  expect(little !== 0, `first: ${names[0]}`);
  await page.getByRole('columnheader', { name: 'Term' }).getByRole('button').click();
  await page.locator('th[aria-sort=ascending]').waitFor();
  const sorted = await page.locator('tbody td[data-label=Term] a').allInnerTexts();
  expect(sorted.join() !== names.join(), 'a click on Term sorts nothing');
}

async function showPlaces({ page, table, run }) {
  let go;
  const held = new Promise((resolve) => {
    go = resolve;
  });
  await page.route('**/overview*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/results/${run}`);
  await page.locator('[data-skeleton]').waitFor();
  go();
  await table.locator('[data-row]').first().waitFor();
  await page.locator('[data-skeleton]').waitFor({ state: 'detached' });
}
