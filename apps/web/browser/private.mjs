import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { SequenceNetwork } from '@kindred/kernels/network';
import { createWasmNetwork, loadNative } from '@kindred/native';
import { expect } from './checks.mjs';
import { axe, desktop, phone } from './page-gates.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const example = 'apps/web/public/example.fasta';
/** A protein that takes a browser a second or more, so that the page can be tried while it computes. */
const longProtein = (name) =>
  `>${name}\n${'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQ'.repeat(140)}\n`;
const shortProtein = '>short\nMKTAYIAKQRQISFVKSHFSRQLEERL\n';
/** Longer sequences take portable code seconds each, and add no other code path than those of up to a window. */
const longestCompared = 700;

/** Checks the page that annotates in the browser alone, and that Chromium computes the bits of Node. */
export async function checkPrivate({ checks, browser, baseUrl, shots }) {
  const shot = (shown, name) => shown.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  const context = await browser.newContext({ baseURL: baseUrl, viewport: desktop, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const requests = [];
  // The context also sees the requests of workers.
  context.on('request', (request) => requests.push(request.url()));
  const state = { page, requests, shot, ready: 0 };
  await checks.check('loads the network for this browser, and says beforehand what it is', () =>
    prepare(state),
  );
  await checks.check('annotates in the browser without a request, as the service does', () =>
    annotate(state),
  );
  await checks.check('stays live while it computes, and stops', () => stop(state));
  await checks.check('refuses what it cannot take, with what to do', () => refuse(state));
  await checks.check('lets the browser refuse every request of the page, and leaves it whole', () =>
    leave(state),
  );
  await checks.check('computes the same bits in Chromium as in Node', () => compareBits(state));
  await checks.check('offers nothing where the service does not', () => withoutOffer(context));
  await context.close();
}

async function prepare({ page, shot }) {
  await page.goto('/');
  await page.getByLabel('Your proteins').fill(shortProtein);
  await page.getByRole('link', { name: 'Annotate in this browser only' }).click();
  const load = page.getByRole('button', { name: 'Load 12 MiB' });
  await load.waitFor();
  await page.getByText('These scores are not calibrated.').waitFor();
  await page.getByText('Nonsense gets terms, too').waitFor();
  await shot(page, 'private-before');
  await load.click();
  await page.getByText('Ready: nothing leaves this browser from here on.').waitFor();
  const kept = await page.getByLabel('Your proteins').inputValue();
  expect(kept === shortProtein, `the text of the first page is not there: ${kept}`);
}

async function annotate(state) {
  const { page, requests, shot } = state;
  state.ready = requests.length;
  await page.getByRole('button', { name: 'Take the example' }).click();
  await page.getByLabel('Your proteins').evaluate((field) => field.blur());
  const fasta = readFileSync(`${root}/${example}`, 'utf8');
  await page.getByLabel('Your proteins').fill(`${fasta}${shortProtein}`);
  await page.getByRole('button', { name: 'Annotate here' }).click();
  await page.getByRole('heading', { name: '4 proteins' }).waitFor();
  await page.getByRole('row', { name: /short.*fewer than 30 residues/ }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as TSV' }).click();
  const table = readFileSync(await (await saved).path(), 'utf8');
  const { stdout, stderr, status } = spawnSync(join(root, 'kindred'), ['network', 'annotate', example], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status === 0, `the command failed: ${stderr}`);
  const lines = table.trimEnd().split('\n');
  expect(lines.length > 100, `${lines.length} lines`);
  expect(/^short\t.*fewer than 30 residues/.test(lines.at(-1)), lines.at(-1));
  expect(`${lines.slice(0, -1).join('\n')}\n` === stdout, 'the page and the command differ');
  const faults = await axe(page, 'the result');
  await shot(page, 'private-result');
  await page.setViewportSize(phone);
  const wider = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
  expect(wider <= 0, `${wider} px wider than a phone`);
  faults.push(...(await axe(page, 'the result on a phone')));
  await shot(page, 'private-result-phone');
  await page.setViewportSize(desktop);
  expect(faults.length === 0, faults.join('\n'));
  const made = requests.slice(state.ready);
  expect(made.length === 0, `requests after it was ready: ${made.join(' ')}`);
}

async function stop({ page }) {
  const field = page.getByLabel('Your proteins');
  await field.fill(
    `>first\n${'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ'}\n${longProtein('second')}${longProtein('third')}`,
  );
  await page.getByRole('button', { name: 'Annotate here' }).click();
  await page.getByText('1 of 3 proteins done').waitFor();
  // The page answers while a protein of seconds is computed.
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText(/Stopped: [12] proteins? not done, and not in the table\./).waitFor();
  await page.getByRole('row', { name: /^first/ }).waitFor();
}

async function refuse({ page }) {
  const field = page.getByLabel('Your proteins');
  const say = async (text, words) => {
    await field.fill(text);
    await page.getByRole('button', { name: 'Annotate here' }).click();
    await page.getByText(words).waitFor();
  };
  const many = Array.from({ length: 101 }, (_, i) => `>q${i}\nMKTAYIAKQR\n`).join('');
  await say(many, 'These are 101 proteins; this browser takes 100 at once. Leave out 1.');
  await say('P05108', 'paste their sequences instead');
  await say('>q1\nMKT4YIAK\n', /line 2/);
}

async function leave({ page, requests, ready }) {
  expect(requests.length === ready, `requests after it was ready: ${requests.slice(ready).join(' ')}`);
  const refused = await page.evaluate(() =>
    fetch('/health').then(
      () => 'went through',
      () => 'refused',
    ),
  );
  expect(refused === 'refused', `a request of the page ${refused}`);
  await page.getByRole('link', { name: 'Accuracy' }).click();
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'this browser' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Load 12 MiB' }).waitFor();
}

/** Asks the page's own worker for all cases of the tests, and compares hashes of vectors and probabilities with those of Node. */
async function compareBits({ page, requests }) {
  const file = (path) => readFileSync(join(root, path));
  const layout = JSON.parse(file('models/network/layout.json'));
  const bytes = file('models/network/weights.bin');
  const cases = JSON.parse(gunzipSync(file('packages/kernels/src/network/golden/parity.json.gz')));
  const sequences = cases.map(({ sequence }) => sequence).filter(({ length }) => length <= longestCompared);
  expect(sequences.length > 10, `${sequences.length} sequences`);
  const addressOf = (pattern) => requests.find((address) => pattern.test(address));
  const found = await page.evaluate(hashesOfWorker, {
    sequences,
    worker: addressOf(/network-worker-[\w-]+\.js$/),
    kernel: addressOf(/\.wasm$/),
    weights: addressOf(/\/network-\w+\.bin$/),
  });
  const native = loadNative();
  const kernels = [['WebAssembly', createWasmNetwork]];
  if (native !== null) kernels.push([native.instructions, (program) => native.createNetwork(program)]);
  for (const [name, create] of kernels) {
    const network = new SequenceNetwork(layout, bytes, create);
    sequences.forEach((sequence, i) => {
      const { vector, probabilities } = network.answer(sequence);
      const hash = createHash('sha256')
        .update(new Uint8Array(vector.buffer))
        .update(new Uint8Array(probabilities.buffer));
      expect(hash.digest('hex') === found[i], `${name} differs from Chromium at ${sequence.length} residues`);
    });
  }
}

/** Runs in the page. */
async function hashesOfWorker({ sequences, worker: address, kernel, weights }) {
  const bytesOf = async (url) => (await fetch(url)).arrayBuffer();
  const worker = new Worker(address, { type: 'module' });
  const ask = (message) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) =>
        data.kind === 'failed' ? reject(new Error(data.message)) : resolve(data);
      worker.onerror = ({ message: fault }) => reject(new Error(`the worker failed: ${fault}`));
      worker.postMessage(message);
    });
  await ask({ kind: 'open', kernel: await bytesOf(kernel), weights: await bytesOf(weights) });
  const hashes = [];
  for (const sequence of sequences) {
    const { answer } = await ask({ kind: 'answer', sequence });
    const bytes = new Uint8Array(await new Blob([answer.vector, answer.probabilities]).arrayBuffer());
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    hashes.push([...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
  }
  worker.terminate();
  return hashes;
}

async function withoutOffer(context) {
  const page = await context.newPage();
  await page.route('**/v1/annotate/limits', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), in_browser: null } });
  });
  await page.goto('/');
  await page.getByText(/sequences? a day/).waitFor();
  const links = await page.getByRole('link', { name: 'Annotate in this browser only' }).count();
  expect(links === 0, 'the link is there');
  await page.goto('/private');
  await page.getByText('This service does not offer it').waitFor();
  await page.close();
}
