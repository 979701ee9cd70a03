import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from './checks.mjs';
import { axe } from './page-gates.mjs';
import { openWorkbench } from './people.mjs';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));
const sources = ['reference.fasta.gz', 'reference.gaf.gz', 'go-basic-2022-07-01.obo.gz'];

/** Builds a reference of the example's files in the page, reads its summary and chooses it. @returns its number of clicks */
export async function buildReference({ page, context }, name) {
  let clicks = 0;
  const click = async (role, label) => {
    clicks++;
    await page.getByRole(role, { name: label }).click();
  };
  const before = (await (await context.request.get('/v1/references')).json()).find((one) => one.is_default);
  await openWorkbench(page, 'references');
  await click('radio', 'Your own files');
  await page.getByLabel('Files of the reference').setInputFiles(join(examples, sources[0]));
  await page.getByText('Still missing: their annotations (GAF or GPAD), the ontology (OBO).').waitFor();
  await page.getByLabel('Files of the reference').setInputFiles(sources.map((file) => join(examples, file)));
  clicks++;
  await page.getByText('4,000 proteins, 77,317 annotation rows').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  const faults = await axe(page, 'build a reference');
  expect(faults.length === 0, faults.join('\n'));
  await click('button', 'Build the reference');
  await page.getByRole('progressbar', { name: 'Progress of the build' }).waitFor();
  const summary = page.getByLabel('Summary of the reference');
  await summary.waitFor({ timeout: 300_000 });
  const text = await summary.innerText();
  for (const words of [
    /releases\/2022-07-01/,
    /4,000, [\d,]+ of them annotated/,
    /of kmer-1024/,
    /reliability/,
  ])
    expect(words.test(text), `the summary lacks ${words}: ${text}`);
  await click('button', 'Use it for runs');
  await page.getByText('Runs use it where their owner names nothing.').waitFor();
  const chosen = await (await context.request.get(`/v1/references/${name}`)).json();
  expect(chosen.is_default, `${name} is not the default`);
  if (before !== undefined) {
    await context.request.post(`/v1/references/${before.name}@${before.version}/use`);
    await context.request.delete(`/v1/references/${name}`);
  }
  return clicks;
}
