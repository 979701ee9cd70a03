import { AxeBuilder } from '@axe-core/playwright';
import { expect } from './checks.mjs';

export const desktop = { width: 1440, height: 900 };
export const tablet = { width: 1024, height: 768 };
export const phone = { width: 390, height: 844 };

/** The limit for a page that loads on a slow phone, as web.dev counts shifts: by the worst run within 5 s. */
export const maxLayoutShift = 0.1;

/** The speed of a phone on a poor network: 1.6 Mbit/s, 150 ms, and a quarter of this machine's processor. */
const slowNetwork = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };

/**
 * Checks every page once: layout shift on a slow phone, no request to another host, no programmer's value (such as undefined) where there
 * is none; and on phone, tablet and desktop, no page wider than its window, and axe, light and dark. Each page is loaded once; size and
 * colours change in place.
 */
export async function checkPages({ checks, context, baseUrl, pages, shots }) {
  const page = await context.newPage();
  await page.setViewportSize(phone);
  const device = await context.newCDPSession(page);
  await device.send('Network.enable');
  await page.addInitScript(watchShifts);
  const foreign = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== new URL(baseUrl).origin) foreign.push(request.url());
  });
  for (const one of pages) {
    await checks.check(`the page ${one.name}: no fault for axe, still while it loads`, async () => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.setViewportSize(phone);
      const shift = await medianShift(() => shiftOfLoad(page, device, one));
      const faults = [];
      if (shift.sum >= maxLayoutShift)
        faults.push(`moves by ${shift.sum.toFixed(3)} while it loads: ${shift.moved.join(', ')}`);
      const empty = (await page.locator('body').innerText()).match(/.*(\bNaN\b|\bundefined\b|\[object ).*/);
      if (empty !== null) faults.push(`shows ${empty[1]}: ${empty[0].slice(0, 80)}`);
      for (const [size, viewport] of Object.entries({ phone, tablet, desktop })) {
        await page.setViewportSize(viewport);
        const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        if (wider > 0) faults.push(`${wider} px wider than a ${size}`);
        for (const colours of ['light', 'dark']) {
          await showIn(page, colours);
          faults.push(...(await axe(page, `${size}, ${colours}`)));
          await shots?.(page, `${one.name}-${size}-${colours}`);
        }
      }
      expect(faults.length === 0, faults.join('\n'));
    });
  }
  await checks.check('no page asks another host for anything', () => {
    expect(foreign.length === 0, [...new Set(foreign)].join('\n'));
  });
  await checks.check('every path of the client was looked at', async () => {
    const paths = await (await context.request.get('/pages.json')).json();
    const seen = new Set(pages.map(({ route, path }) => route ?? path));
    const missed = paths.filter((path) => !seen.has(path));
    expect(missed.length === 0, `not looked at: ${missed.join(' ')}`);
  });
  await page.close();
}

/** Changes the colours and waits until they are there, because they change by a short transition. */
async function showIn(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  // The promise of an animation is rejected if the page cancels the animation.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((one) => one.finished)).then(() => null)',
  );
}

async function shiftOfLoad(page, device, { path, ready }) {
  await slow(device, true);
  await page.goto(path, { waitUntil: 'commit' });
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('networkidle');
  await slow(device, false);
  return page.evaluate('window.worstShift()');
}

/** Returns the median shift. Replies arrive in another order each time, so a page that moves too far is loaded twice more. */
async function medianShift(load) {
  const first = await load();
  if (first.sum < maxLayoutShift) return first;
  return [first, await load(), await load()].sort((a, b) => a.sum - b.sum)[1];
}

export async function slow(device, isSlow) {
  const network = isSlow
    ? slowNetwork
    : { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await device.send('Network.emulateNetworkConditions', network);
  await device.send('Emulation.setCPUThrottlingRate', { rate: isSlow ? 4 : 1 });
}

/** Returns the faults in words, each with the first place where it was found. */
export async function axe(page, where) {
  // The legacy mode leaves frames out, so that axe does not need its blank page to run over several frames.
  const builder = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await builder.analyze();
  return violations.map(
    ({ id, help, nodes }) =>
      `${where}: ${id}: ${help}, ${nodes.length} times, first ${nodes[0].target.join(' ')}: ${nodes[0].any[0]?.message ?? nodes[0].all[0]?.message ?? ''}`,
  );
}

/**
 * Adds up the shifts. It runs in the page, before the page's scripts. Shifts within half a second of a visitor's own act do not count.
 */
function watchShifts() {
  const runs = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      const last = runs.at(-1);
      const goesOn =
        last !== undefined && entry.startTime - last.end < 1000 && entry.startTime - last.start < 5000;
      const run = goesOn ? last : { start: entry.startTime, end: 0, sum: 0, moved: [] };
      if (!goesOn) runs.push(run);
      run.end = entry.startTime;
      run.sum += entry.value;
      for (const { node } of entry.sources) {
        const element = node instanceof Element ? node : node?.parentElement;
        if (element != null)
          run.moved.push(`${element.tagName.toLowerCase()} "${element.textContent.slice(0, 30)}"`);
      }
    }
  }).observe({ type: 'layout-shift', buffered: true });
  window.worstShift = () =>
    runs.reduce((worst, run) => (run.sum > worst.sum ? run : worst), { sum: 0, moved: [] });
}
