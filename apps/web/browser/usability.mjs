// Does ten tasks as a new user would, with the labels on the page alone, and counts the acts: a click, a paste, a choice of files.
//   node apps/web/browser/usability.mjs <base URL> [--write]
// KINDRED_EMAIL and KINDRED_PASSWORD are those of an administrator. With --write the counts go into docs/reference/usability.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Checks, expect } from './checks.mjs';
import { rerankerFiles } from './reranker-files.mjs';
import { People } from './people.mjs';

const [baseUrl, flag] = process.argv.slice(2);
const {
  KINDRED_EMAIL: email,
  KINDRED_PASSWORD: password,
  CHROMIUM: executablePath = '/usr/bin/chromium',
} = process.env;
if ([baseUrl, email, password].includes(undefined)) {
  console.error('usage: KINDRED_EMAIL= KINDRED_PASSWORD= usability.mjs <base URL> [--write]');
  process.exit(64);
}
const file = fileURLToPath(new URL('../../../docs/reference/usability.md', import.meta.url));
const examples = new URL('../../../examples/queries.fasta', import.meta.url);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const people = new People({ browser, baseUrl: new URL(baseUrl).origin });
const checks = new Checks();
const visitor = await people.open('a visitor');
const operator = await people.open('an operator', { email, password });
let { page } = visitor;
let acts = 0;

const press = async (role, name) => {
  acts++;
  await page.getByRole(role, { name }).first().click();
};
const see = (text) => page.getByText(text).first().waitFor({ timeout: 120_000 });
const saved = async (name) => {
  const [download] = await Promise.all([page.waitForEvent('download'), press('button', name)]);
  return readFileSync(await download.path());
};

/** The tasks, in the order in which they are done. Each goes on where the one before has ended, unless it opens a page. */
const tasks = {
  'You have one sequence. What does the protein do?': async () => {
    await page.goto('/');
    acts++;
    await page.getByLabel('Your proteins').fill(
      readFileSync(examples, 'utf8')
        .split(/^(?=>)/m)
        .find((one) => one.includes('Q9QZ82')),
    );
    await press('button', 'Annotate');
    await see(/Q9QZ82/);
    await page
      .getByRole('region', { name: /^Answer for/ })
      .locator('tr[data-line]')
      .first()
      .waitFor();
  },
  'Can you trust its first term, and which paper says so?': async () => {
    acts++;
    await page.locator('tr[data-line] td').nth(2).click();
    await page.getByRole('navigation', { name: 'Path to the root' }).waitFor();
    await page.locator('[aria-label="Its annotations"]').first().waitFor();
  },
  'Which part of the protein does the answer rest on?': () =>
    see(/^(The sources cover the whole|No source covers)/),
  'Give me a figure for my talk': async () => {
    acts++;
    await page.getByRole('switch', { name: /^Graph/ }).click();
    const drawing = await saved('Save as SVG');
    expect(drawing.toString().startsWith('<svg') || drawing.includes('<svg'), 'the figure is not an SVG');
  },
  'How do you cite it?': async () => {
    acts++;
    await page.getByText('Cite this', { exact: true }).click();
    await see(/^Gene Ontology terms of \d+ proteins? (was|were) predicted with Kindred/);
  },
  'You have a FASTA file of 25 proteins. What do they do?': async () => {
    // A visitor may annotate ten sequences a day, so this needs an account.
    ({ page } = operator);
    await page.goto('/');
    acts++;
    await page.locator('input[type=file]').setInputFiles(fileURLToPath(examples));
    await press('button', 'Annotate');
    await page.locator('[data-row]').first().waitFor({ timeout: 180_000 });
  },
  'Take all terms home as a table': async () => {
    await press('button', 'Export');
    acts++;
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('dialog')
        .getByRole('link', { name: /^Download/ })
        .click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8').includes('GO:'), 'the table has no terms');
  },
  'How often is the service right?': async () => {
    await page.goto('/');
    await press('link', 'Accuracy');
    await page.locator('main h2').first().waitFor();
  },
  'You run the service. Which reference do runs use, and which model?': async () => {
    await page.goto('/');
    await see(/^(The default that an operator chose|No default is chosen)/);
  },
  'You trained a re-ranker. Import it': async () => {
    await press('link', 'Evaluate');
    await press('link', 'Re-rankers');
    acts++;
    const files = Object.entries(rerankerFiles).map(([name, text]) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(text),
    }));
    await page.getByLabel('Files of the re-ranker').setInputFiles(files);
    await press('button', 'Import it');
    await see(/ is imported: /);
    const found = await (await operator.context.request.get('/v1/scoring/rerankers')).json();
    for (const { id, name } of found)
      if (name === 'browser-run') await operator.context.request.delete(`/v1/scoring/rerankers/${id}`);
  },
};

let text = readFileSync(file, 'utf8');
for (const [task, work] of Object.entries(tasks))
  await checks.check(`a new user: ${task}`, async () => {
    acts = 0;
    await work();
    const row = text.split('\n').find((line) => line.startsWith(`| ${task} |`));
    expect(row !== undefined, `${file} has no row for it`);
    if (flag === '--write') text = text.replace(row, row.replace(/\| \d+ \|/, `| ${acts} |`));
    else
      expect(
        Number(row.split('|')[2]) === acts,
        `${acts} acts; the page of figures says ${row.split('|')[2].trim()}`,
      );
  });
if (flag === '--write') writeFileSync(file, text);
await browser.close();
process.exit(checks.finish());
