// The service behind nginx, as ops/nginx shows it, and behind Caddy, as docs/how-to/protect-the-service.md does, at the root of a host
// and below a path. The checks are refused uploads of three sizes, streams of events, and the page in a browser.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { run } from './environments-world.mjs';

const sizes = [1200, 1_000_000, 20_000_000];
const annotate = '/v1/annotate?auto_predict=true';
const form = ['--form', 'file=@FILE'];
const json = ['--header', 'content-type: application/json', '--data-binary', '@FILE'];
/** Refusals before, during and after the body, each with the status, the path, and arguments of curl. */
const refusals = [
  [401, annotate, ['--header', 'X-Api-Key: wrong', ...form]],
  [403, annotate, ['--header', 'Origin: https://elsewhere.example', ...form]],
  [415, annotate, ['--header', 'content-type: text/csv', '--data-binary', '@FILE']],
  [422, `${annotate}&name=`, form],
  [422, annotate, form],
];
/** Limits that no service for people has, so that their refusals can be tried. */
export const smallLimits = { SVC_MAX_UPLOAD_BYTES: '1024', SVC_RATELIMIT_JOBS: '1/hour' };
const refusalsOfLimits = [
  [413, annotate, form],
  [429, '/v1/jobs', ['--header', 'X-Api-Key: KEY', ...json]],
];

const nameOf = ({ basePath }) => (basePath === '' ? 'kindred.lab.example' : 'lab.example');
const addressOf = (place) => `https://${nameOf(place)}:${place.port}${place.basePath}`;

/** Returns the settings of a service that answers at a place, which has the `port` of the proxy and the `basePath`. */
export const settingsBehind = (place) => ({
  SVC_BASE_URL: addressOf(place),
  SVC_TRUSTED_PROXIES: '127.0.0.1',
});

/** Starts nginx. With `takesAway`, the proxy calls the service without the path. */
async function nginx({ folder, api, port, basePath, takesAway }, name) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`];
  await run(['openssl', 'req', ...made, '-keyout', key, '-out', certificate]);
  const changes = [
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['server_name kindred.lab.example', `server_name ${name}`],
    [/\/etc\/ssl\/certs\/\S+(?=;)/, certificate],
    [/\/etc\/ssl\/private\/\S+(?=;)/, key],
    ['http://127.0.0.1:8000', `http://127.0.0.1:${api}${takesAway ? '/' : ''}`],
    ['location / ', `location ${basePath}/ `],
  ];
  const server = changed(readFileSync('ops/nginx/kindred.conf', 'utf8'), changes);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${places.join(' ')}\n${server}\n}\n`,
  );
  return ['nginx', '-e', join(folder, 'error.log'), '-c', file];
}

async function caddy({ folder, api, port, basePath }, name) {
  const guide = readFileSync('docs/how-to/protect-the-service.md', 'utf8');
  const examples = [...guide.matchAll(/```caddyfile\n([\s\S]*?)```/g)].map(([, text]) => text);
  const example = examples.find((text) => text.startsWith(`${name} {`));
  if (example === undefined) throw new Error(`the guide has no example of Caddy for ${name}`);
  const changes = [
    [`${name} {`, `https://${name}:${port} {`],
    ['127.0.0.1:8000', `127.0.0.1:${api}`],
    ...(basePath === '' ? [] : [['/kindred/*', `${basePath}/*`]]),
  ];
  const options = [
    'admin off',
    'local_certs',
    'auto_https disable_redirects',
    `storage file_system ${folder}/storage`,
  ];
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n ${options.join('\n ')}\n}\n${changed(example, changes)}`);
  return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
}

/** Adapts an example of the documentation to this machine. Each change must fit exactly one place. */
function changed(example, changes) {
  return changes.reduce((text, [from, to]) => {
    const next = text.replace(from, to);
    if (next === text && !String(to).includes(from)) throw new Error(`the example has no ${from}:\n${text}`);
    return next;
  }, example);
}

const proxies = { nginx, caddy };

/**
 * Runs a proxy at a place while `use` works. A place has `kind`, `folder` (empty), and the port (`api`) and key (`key`) of the service.
 */
export async function behind(place, use) {
  mkdirSync(place.folder, { recursive: true });
  const name = nameOf(place);
  const [program, ...args] = await proxies[place.kind](place, name);
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: place.folder },
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  const usual = ['--silent', '--show-error', '--insecure', '--max-time', '300'];
  const resolved = ['--resolve', `${name}:${place.port}:127.0.0.1`];
  const address = addressOf(place);
  const curl = (path, ...more) => run(['curl', ...usual, ...resolved, ...more, `${address}${path}`]);
  try {
    const answers = () =>
      curl('/health', '--fail').then(
        (text) => text.includes('ok') || place.isUnknown,
        (error) => place.isUnknown && / 404/.test(error.message),
      );
    for (let at = 0; !(await answers()); at += 1) {
      if (at > 300 || child.exitCode !== null) throw new Error(`${place.kind} does not run: ${said}`);
      await sleep(100);
    }
    return await use({ ...place, name, address, curl });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function requireRefusals({ curl, key, folder }, rows) {
  const wrong = [];
  for (const size of sizes) {
    const file = join(folder, `upload-${size}`);
    writeFileSync(file, Buffer.alloc(size, 1));
    for (const [status, path, given] of rows) {
      const words = given.map((word) => word.replace('FILE', file).replace('KEY', key));
      const wanted = ['--output', join(folder, 'answer'), '--write-out', '%{http_code}'];
      const got = await curl(path, ...wanted, ...words).catch((error) => error.message);
      const answer = got === String(status) && JSON.parse(readFileSync(join(folder, 'answer'), 'utf8'));
      if (answer?.status !== status) wrong.push(`${path}, ${size} bytes: ${got} instead of ${status}`);
    }
  }
  if (wrong.length > 0) throw new Error(wrong.join('; '));
  return `${sizes.length * rows.length} refused uploads answered`;
}
export const requireEarlyRefusals = (place) => requireRefusals(place, refusals);
/** Checks the refusals of a service with `smallLimits`. */
export async function requireRefusalsOfLimits(place) {
  const first = await submitPing(place);
  if (!/"id"/.test(first)) throw new Error(`the first job was refused: ${first}`);
  return requireRefusals(place, refusalsOfLimits);
}

const submitPing = ({ curl, key }) =>
  curl(
    '/v1/jobs',
    ...['--header', `X-Api-Key: ${key}`, '--header', 'content-type: application/json'],
    ...['--data', JSON.stringify({ operation: 'ping', queue_name: 'svc.ping', payload: {} })],
  );

/**
 * Checks that the events of a job arrive while it waits, because its worker is stopped, and that the stream ends with the job.
 *
 * @param worker process id
 */
export async function requireStream(place, worker) {
  process.kill(worker, 'SIGSTOP');
  try {
    const { id } = JSON.parse(await submitPing(place));
    const stream = spawn('curl', [
      ...['--silent', '--show-error', '--insecure', '--no-buffer', '--max-time', '300'],
      ...['--resolve', `${place.name}:${place.port}:127.0.0.1`],
      ...['--header', 'accept: text/event-stream', `${place.address}/v1/jobs/${id}/events`],
    ]);
    let text = '';
    const ended = new Promise((resolve, reject) => stream.once('close', resolve).once('error', reject));
    await new Promise((resolve, reject) => {
      stream.stdout.on('data', (part) => {
        text += part;
        if (text.includes('job.created')) resolve();
      });
      ended.then(() => reject(new Error(`the stream ended before its job ran: ${text}`)), reject);
    });
    process.kill(worker, 'SIGCONT');
    await ended;
    if (!text.includes('job.succeeded')) throw new Error(`the stream lacks the end of its job: ${text}`);
  } finally {
    process.kill(worker, 'SIGCONT');
  }
}

/** Checks the addresses that programs get: each must have the path. */
export async function requireAddresses({ curl, basePath, folder }) {
  const head = join(folder, 'head');
  const description = JSON.parse(await curl('/v1/openapi.json'));
  const problem = JSON.parse(await curl('/v1/jobs/nothing'));
  await curl('/v1/jobs?limit=1', '--dump-header', head);
  const [, next] = /^link: <(.*?)>; rel="next"/im.exec(readFileSync(head, 'utf8')) ?? [];
  const found = [description.servers[0].url, problem.type, problem.instance, next];
  const wrong = found.filter((address) => !address?.startsWith(`${basePath}/`) && address !== basePath);
  if (wrong.length > 0) throw new Error(`without ${basePath}: ${wrong.join(', ')}`);
}

/**
 * Checks a person with a browser: a run from the example to its result, the result again at its own address, a page by the list of
 * commands, the reference of the API, and a session that outlives the page. Nothing may be requested outside the path.
 */
export async function requirePages(place, { email, password }) {
  await inBrowser(place, async ({ page, at }) => {
    await page.goto(at('/'));
    await page.getByRole('button', { name: 'Load an example' }).click();
    await page.getByText('3 proteins, 1,171 residues').waitFor();
    await page.getByRole('button', { name: 'Annotate', exact: true }).click();
    await page.waitForURL(`${at('/results/')}*`);
    await page.getByText(/^3 proteins: /).waitFor();
    await page.reload();
    await page.getByText(/^3 proteins: /).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('textbox').fill('jobs');
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/jobs'));
    await page.locator('tbody tr a').first().click();
    await page.getByText('job.succeeded').first().waitFor();
    await page.goto(at('/sign-in'));
    await page.getByLabel('E-mail').fill(email);
    await page.locator('input[type=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Operation' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Operation' }).waitFor();
    await page.getByRole('link', { name: 'Help', exact: true }).click();
    await page.getByRole('link', { name: 'reference of the API' }).click();
    await page.getByText('Kindred API').first().waitFor();
    await page.locator('.opblock').first().waitFor();
  });
}

/** Checks that the page says what to change. */
export async function requireAdvice(place) {
  await inBrowser(place, async ({ page, at, isLost }) => {
    await page.goto(at('/'));
    await page.getByText(/SVC_BASE_URL/).waitFor();
    if (isLost) return;
    await page.getByText(`SVC_BASE_URL=${at('')}`).waitFor();
  });
}

async function inBrowser({ address, basePath, name, isUnknown, isLost }, use) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', `--host-resolver-rules=MAP ${name} 127.0.0.1`],
  });
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
    // The limit is longer than anything that will ever happen.
    page.setDefaultTimeout(180_000);
    const wrong = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      const isOurs = url.protocol === 'data:' || request.url().startsWith(`${address}/`);
      if (!isOurs) wrong.push(`it asked for ${request.url()}`);
    });
    page.on('response', (response) => {
      // A 401 of this route is expected, because the page asks whether the visitor is signed in.
      if (response.status() >= 400 && !response.url().endsWith('/v1/auth/me'))
        wrong.push(`${response.status()} for ${response.url()}`);
    });
    page.on('pageerror', (error) => wrong.push(error.message));
    await use({ page, at: (path) => `${address}${path}`, isLost }).catch(async (error) => {
      const shown = await page.locator('body').innerText();
      throw new Error(`${error.message}\n${wrong.join('\n')}\nat ${page.url()}: ${shown.slice(0, 600)}`);
    });
    if (wrong.length > 0 && !isUnknown) throw new Error(`below ${basePath || '/'}: ${wrong.join('; ')}`);
  } finally {
    await browser.close();
  }
}
