// Takes pictures of the answers for seven proteins that textbooks name, and for two without relatives, into docs/images/answers. The
// service has only the starter reference, as after a first start.
//   node apps/web/browser/answer-pictures.mjs <base URL> [<folder of PNG>]
// CHROMIUM names the browser.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { annotateRun } from './annotate-run.mjs';

const [baseUrl, previews] = process.argv.slice(2);
if (baseUrl === undefined) {
  console.error('usage: answer-pictures.mjs <base URL> [<folder of PNG>]');
  process.exit(64);
}
const fromRoot = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const folder = fromRoot('docs/images/answers');

/** The protein of each picture. */
const proteins = {
  p53: 'P04637',
  insulin: 'P01308',
  'lac-repressor': 'P03023',
  'yeast-kinase': 'P00546',
  gfp: 'P42212',
  't7-lysozyme': 'P00806',
  'alpha-bungarotoxin': 'P60615',
  'sequence-alone': 'Q59LQ5',
  orphan: 'P11866',
};
/** The maximum size of a picture. */
const maxBytes = 100_000;
const maxHeight = 800;

const accessions = Object.values(proteins);
const records = readFileSync(fromRoot('examples/first-terms/proteins.fasta'), 'utf8')
  .split(/^(?=>)/m)
  .filter((record) => accessions.includes(/^>(\S+)/.exec(record)?.[1]));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const context = await browser.newContext({
  ...{ baseURL: baseUrl, reducedMotion: 'reduce', colorScheme: 'light' },
  viewport: { width: 1000, height: 760 },
});
const run = await annotateRun(context, baseUrl, { name: 'Textbook proteins', records });
const page = await context.newPage();
mkdirSync(folder, { recursive: true });
for (const [name, accession] of Object.entries(proteins)) {
  await page.goto(`/results/${run}?protein=${accession}`);
  const answer = page.locator('section[aria-label^="Answer for"]');
  await answer.locator('header + *').waitFor();
  await answer.getByRole('status').waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  const { x, y, width, height } = await answer.boundingBox();
  const clip = { x, y, width, height: Math.min(height, maxHeight) };
  const picture = await page.screenshot({ clip, fullPage: true, animations: 'disabled' });
  if (previews !== undefined) writeFileSync(`${previews}/${name}.png`, picture);
  const small = await asWebP(picture);
  if (small.length > maxBytes) throw new Error(`${name} has ${small.length} bytes, more than ${maxBytes}`);
  writeFileSync(`${folder}/${name}.webp`, small);
  console.log(`${name}.webp  ${small.length} bytes`);
}
await browser.close();

/** Writes a picture as WebP, which is a third as large as PNG, by the browser itself. */
async function asWebP(png) {
  const encoded = await page.evaluate(
    async (url) => {
      const image = Object.assign(new Image(), { src: url });
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.8);
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
  return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64');
}
