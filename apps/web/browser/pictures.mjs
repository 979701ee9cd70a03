// Annotates example proteins and takes a picture of every page and part in both themes, on desktop, tablet and phone, into the folder.
//   node apps/web/browser/pictures.mjs <base URL> <folder> [--keep]
// --keep writes a chosen few into docs/images. CHROMIUM names the browser; KINDRED_EMAIL and KINDRED_PASSWORD add the pages of an account.
import { copyFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { annotateRun, sent } from './annotate-run.mjs';
import { desktop, phone, tablet } from './page-gates.mjs';
import { findSubjects, pageList } from './page-list.mjs';

const [baseUrl, folder, keep] = process.argv.slice(2);
if (baseUrl === undefined || folder === undefined || (keep !== undefined && keep !== '--keep')) {
  console.error('usage: pictures.mjs <base URL> <folder> [--keep]');
  process.exit(64);
}
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The pictures for README and the documentation: the name in docs/images, and the picture. */
const chosen = {
  run: 'run-desktop-light',
  evidence: 'evidence-desktop-light',
  phone: 'protein-of-run-phone-dark',
};
/** The maximum size of a chosen picture. */
const maxBytes = 200_000;

/** The number of proteins: the daily quota of a visitor without an account, less one for the run of a single protein. */
const several = 9;
/** The example whose pictures show most. */
const shown = 'Q9QZ82';

const sizes = { desktop, tablet, phone };
const themes = ['light', 'dark'];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const context = await browser.newContext({ baseURL: baseUrl, reducedMotion: 'reduce' });
const records = readFileSync(join(root, 'examples', 'queries.fasta'), 'utf8')
  .split(/^(?=>)/m)
  .filter((record) => record.startsWith('>'));
const runs = {
  several: await annotateRun(context, baseUrl, {
    name: 'Example proteins',
    records: records.slice(0, several),
  }),
  single: await annotateRun(context, baseUrl, {
    name: 'One protein',
    records: records.slice(several, several + 1),
  }),
};
const pages = pageList(await findSubjects(context.request, { ...runs, shown }), []);
for (const one of pages.filter(({ signedIn }) => !signedIn)) await takePictures(context, one);
const { KINDRED_EMAIL: email, KINDRED_PASSWORD: password } = process.env;
if (email !== undefined && password !== undefined) {
  await sent(context, new URL('/v1/auth/login', baseUrl), { data: { email, password } });
  // The run is kept, because the list of results has only kept runs.
  await annotateRun(context, baseUrl, {
    name: 'Kept proteins',
    records: records.slice(0, several),
    kept: true,
  });
  for (const one of pages.filter(({ signedIn }) => signedIn)) await takePictures(context, one);
  for (const one of await partsOfPages(context)) await takePictures(context, one);
}
await browser.close();
if (keep !== undefined) keepChosen();

/** Lists the parts of the pages that have some, as their links say. */
async function partsOfPages(visitor) {
  const page = await visitor.newPage();
  const found = [];
  for (const name of ['references', 'evaluate', 'operation', 'people']) {
    await page.goto(`/${name}`);
    const links = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
    await links.first().waitFor();
    const paths = await links.evaluateAll((all) => all.map((link) => new URL(link.href).pathname));
    found.push(...paths.filter((path) => path !== `/${name}`));
  }
  await page.close();
  return found.map((path) => ({
    name: path.slice(1).replace('/', '-'),
    path,
    ready: 'nav[aria-label="Parts of this page"] a',
  }));
}

async function takePictures(visitor, { name, path, ready, whole = ready }) {
  const page = await visitor.newPage();
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(path);
    await page.locator(whole).first().waitFor();
    await page.waitForLoadState('networkidle');
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      await page.screenshot({
        path: join(folder, `${name}-${size}-${colorScheme}.png`),
        animations: 'disabled',
      });
    }
  }
  await page.close();
}

function keepChosen() {
  mkdirSync(join(root, 'docs', 'images'), { recursive: true });
  for (const [name, picture] of Object.entries(chosen)) {
    const from = join(folder, `${picture}.png`);
    const { size } = statSync(from);
    if (size > maxBytes) throw new Error(`${picture} has ${size} bytes, more than ${maxBytes}`);
    copyFileSync(from, join(root, 'docs', 'images', `${name}.png`));
    console.log(`docs/images/${name}.png  ${size} bytes`);
  }
}
