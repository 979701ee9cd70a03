import { expect } from './checks.mjs';

const rowPixels = 40;
const jumps = 60;

/** Notes when the first row was drawn, and when the long tasks ended. It runs in the page, before the page's scripts. */
export function watchStart() {
  const starts = { drawn: null, longTasks: [] };
  Object.assign(window, { starts });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      starts.longTasks.push({ from: startTime, to: startTime + duration });
  }).observe({ type: 'longtask', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('[data-row]') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      starts.drawn = performance.now();
    });
  }).observe(document, { childList: true, subtree: true });
}

/**
 * Jumps to places of the table, and checks each after the one frame that follows. It runs in the page, and returns the faults, and the
 * longest time of such a frame in ms.
 */
async function jump({ jumps, rowPixels, accessions }) {
  const body = document.querySelector('[role=table][aria-label=Proteins] > [role=rowgroup]:last-child');
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const faults = [];
  let longest = 0;
  for (let at = 0; at < jumps; at++) {
    const height = document.documentElement.scrollHeight - window.innerHeight;
    // Every second jump moves by a little more than a window, as a wheel does; the others go anywhere.
    const share = ((at * 7919) % 1000) / 1000;
    window.scrollTo({
      top: at % 2 === 0 ? share * height : window.scrollY + 1.2 * window.innerHeight,
      behavior: 'instant',
    });
    const from = performance.now();
    await frame();
    const { top, bottom } = body.getBoundingClientRect();
    const seen = [Math.max(0, top), Math.min(window.innerHeight, bottom)];
    const first = Math.floor((seen[0] - top) / rowPixels);
    const last = Math.min(accessions.length, Math.ceil((seen[1] - top) / rowPixels)) - 1;
    const shown = new Map(
      [...body.querySelectorAll('[data-row]')].map((row) => [Number(row.ariaRowIndex) - 2, row]),
    );
    for (let index = first; index <= last; index++) {
      const row = shown.get(index);
      if (row === undefined) faults.push(`row ${index} is blank at ${Math.round(window.scrollY)} px`);
      else if (Math.abs(row.getBoundingClientRect().top - top - index * rowPixels) > 1)
        faults.push(`row ${index} is at another place`);
      else if (row.querySelector('a')?.textContent !== accessions[index])
        faults.push(`row ${index} has ${row.textContent.slice(0, 20)} instead of ${accessions[index]}`);
    }
    longest = Math.max(longest, performance.now() - from);
  }
  window.scrollTo(0, 0);
  return { faults, longest };
}

/** Scrolls through the whole table. @param accessions the proteins of the table, in the order of the file */
export function scrollThrough(page, accessions) {
  return page.evaluate(jump, { jumps, rowPixels, accessions });
}

/**
 * Checks the overview of a run of many proteins: its sentence, its facets, the order of the file, a search, and no blank row.
 * @param facts the facts of the run that .ci/suites/browser-large-run.mjs prints
 */
export async function checkLargeRun({ checks, context, facts }) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1440, height: 900 });
  const english = (count) => count.toLocaleString('en');
  const { id, proteins, standings, accessions } = facts;
  await checks.check(`a run of ${english(proteins)} proteins says how certain they are`, async () => {
    await page.goto(`/results/${id}`);
    await page.locator('[data-row]').first().waitFor({ timeout: 300_000 });
    const sentence = await page.getByText(new RegExp(`^${english(proteins)} proteins: `)).innerText();
    const words = { known: 'known exactly', none: 'without an answer' };
    for (const [standing, count] of Object.entries(standings))
      expect(sentence.includes(`${english(count)} ${words[standing] ?? standing}`), sentence);
    const facets = await page
      .locator('aside [data-standing]')
      .evaluateAll((all) =>
        Object.fromEntries(
          all.map((one) => [one.dataset.standing, Number(one.lastChild.textContent.replace(/\D/g, ''))]),
        ),
      );
    expect(JSON.stringify(sorted(facets)) === JSON.stringify(sorted(standings)), JSON.stringify(facets));
  });
  await checks.check('it has the order of the file, and no blank row while one scrolls fast', async () => {
    const { faults } = await scrollThrough(page, accessions);
    expect(faults.length === 0, faults.slice(0, 8).join('\n'));
  });
  await checks.check('it is searched and narrowed down as a small one', async () => {
    await page.getByRole('searchbox').fill(accessions[4321]);
    await page.getByText(`1 protein of ${english(proteins)} proteins`).waitFor();
    await page.getByRole('searchbox').fill('');
    await page.locator('aside [data-standing=none]').click();
    await page.getByText(`${english(standings.none)} proteins of ${english(proteins)} proteins`).waitFor();
    const first = await page.locator('[data-row] a').first().innerText();
    expect(first === accessions[99], first);
  });
  await page.close();
}

const sorted = (counts) => Object.entries(counts).sort();
