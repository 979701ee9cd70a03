// The overview of a run of 10,000 proteins with half a million predictions, in Chromium: the time from the last
// reply to a usable table, compared with the time to only parse the same replies as JSON.
//
//   CHROMIUM=/usr/bin/chromium node benchmarks/large-run.bench.mjs [loads]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { scrollThrough, watchStart } from '../apps/web/browser/large-run.mjs';
import { fillLargeRun } from './large-run-data.mjs';
import { startService } from './service.mjs';

const [loads = 5] = process.argv.slice(2).map(Number);
const limitMs = 2000;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const shown = (ms) => `${Math.round(ms).toLocaleString('en').padStart(6)} ms`;

/** One load from an empty cache. Times are in ms of the page's clock. */
async function load(browser, url, facts) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watchStart);
  await page.goto(`/results/${facts.id}`);
  await page.locator('[data-row]').first().waitFor({ timeout: 120_000 });
  // The browser reports long tasks some time after they end.
  await page.waitForTimeout(1500);
  const times = await page.evaluate(() => {
    const loaded = /** @type {PerformanceResourceTiming[]} */ (performance.getEntriesByType('resource'));
    const replies = loaded.filter(({ name }) => name.includes('/overview'));
    const { starts } = /** @type {any} */ (window);
    const arrived = Math.max(...replies.map((one) => one.responseEnd));
    const usable = Math.max(
      starts.drawn,
      ...starts.longTasks.filter(({ to }) => to > arrived).map(({ to }) => to),
    );
    return {
      asked: Math.min(...replies.map((one) => one.startTime)),
      arrived,
      usable,
      packed: replies.reduce((sum, one) => sum + one.encodedBodySize, 0),
      plain: replies.reduce((sum, one) => sum + one.decodedBodySize, 0),
      replies: replies.length,
    };
  });
  // The baseline: the same texts, read as JSON and nothing else.
  const parsing = await page.evaluate(async (id) => {
    let spent = 0;
    for (let after = null; ; ) {
      const address = `/v1/embeddings/prediction-sets/${id}/overview?limit=500${after === null ? '' : `&after=${after}`}`;
      const text = await (await fetch(address)).text();
      const from = performance.now();
      const { next } = JSON.parse(text);
      spent += performance.now() - from;
      if (next === null) return spent;
      after = next;
    }
  }, facts.id);
  const { faults, longest } = await scrollThrough(page, facts.accessions);
  const search = await page.evaluate(async (accession) => {
    const field = document.querySelector('input[type=search]');
    const from = performance.now();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, accession);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    while (document.querySelectorAll('[data-row]').length !== 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - from;
  }, facts.accessions[5000]);
  await context.close();
  return { ...times, parsing, blank: faults.length, longest, search };
}

const folder = mkdtempSync(join(tmpdir(), 'kindred-large-run-'));
const service = await startService(folder, folder);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const facts = await fillLargeRun(folder);
  console.log(
    `${facts.proteins.toLocaleString('en')} proteins, ${facts.predictions.toLocaleString('en')} predictions`,
  );
  const found = [];
  for (let n = 0; n < loads; n++) found.push(await load(browser, service.url, facts));
  const [{ replies, plain, packed }] = found;
  const of = (value) => median(found.map(value));
  const after = of(({ usable, arrived }) => usable - arrived);
  const parsing = of((one) => one.parsing);
  console.log(
    `${replies} replies, ${(plain / 1e6).toFixed(1)} MB plain, ${(packed / 1e6).toFixed(1)} MB packed`,
  );
  console.log(
    `from the first question to the last reply  ${shown(of(({ arrived, asked }) => arrived - asked))}`,
  );
  console.log(
    `from the last reply to a usable table      ${shown(after)}  (limit ${limitMs} ms; ${(after / parsing).toFixed(2)} of reading the replies as JSON: ${shown(parsing).trim()})`,
  );
  console.log(`longest frame of a jump while scrolling    ${shown(of((one) => one.longest))}`);
  console.log(`from a search to its rows                  ${shown(of((one) => one.search))}`);
  console.log(
    `blank rows after the frame that follows    ${found.reduce((sum, { blank }) => sum + blank, 0)}`,
  );
  if (after > limitMs) process.exitCode = 1;
} finally {
  await browser.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
