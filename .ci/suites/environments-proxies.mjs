// The service behind nginx, as ops/nginx shows it, and behind Caddy: the page, and refused uploads of three sizes.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './environments-world.mjs';

const name = 'kindred.lab.example';
const sizes = [1000, 1_000_000, 20_000_000];
/** Refusals before, during and after the body: arguments of curl, and the status. */
const refusals = [
  [401, '/v1/annotate?auto_predict=true', ['-H', 'X-Api-Key: wrong', '-F', 'file=@FILE']],
  [403, '/v1/annotate?auto_predict=true', ['-H', 'Origin: https://elsewhere.example', '-F', 'file=@FILE']],
  [415, '/v1/annotate?auto_predict=true', ['-H', 'content-type: text/csv', '--data-binary', '@FILE']],
  [422, '/v1/annotate?auto_predict=true', ['-F', 'file=@FILE']],
];

async function nginx(folder, api, port) {
  const example = readFileSync('ops/nginx/kindred.conf', 'utf8');
  await run([
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    join(folder, 'key.pem'),
    '-out',
    join(folder, 'cert.pem'),
  ]);
  const server = example
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace(/\/etc\/ssl\/certs\/\S+(?=;)/, join(folder, 'cert.pem'))
    .replace(/\/etc\/ssl\/private\/\S+(?=;)/, join(folder, 'key.pem'))
    .replace('127.0.0.1:8000', `127.0.0.1:${api}`);
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

async function caddy(folder, api, port) {
  const file = join(folder, 'Caddyfile');
  writeFileSync(
    file,
    `{\n admin off\n local_certs\n auto_https disable_redirects\n storage file_system ${folder}/storage\n}\nhttps://${name}:${port} {\n reverse_proxy 127.0.0.1:${api}\n}\n`,
  );
  return ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
}

const proxies = { nginx, caddy };

/** Settings of a service that answers by a proxy on this port. */
export const settingsBehind = (port) => ({
  SVC_BASE_URL: `https://${name}:${port}`,
  SVC_TRUSTED_PROXIES: '127.0.0.1',
});

/** @param service `api`: its port; it has `settingsBehind(port)` */
export async function behind(proxy, { folder, api, port }) {
  mkdirSync(folder, { recursive: true });
  const [program, ...args] = await proxies[proxy](folder, api, port);
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder },
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  const curl = (path, ...more) =>
    run([
      'curl',
      '--silent',
      '--show-error',
      '--insecure',
      '--max-time',
      '120',
      '--resolve',
      `${name}:${port}:127.0.0.1`,
      ...more,
      `https://${name}:${port}${path}`,
    ]);
  try {
    for (
      let at = 0;
      !(await curl('/health').then(
        (text) => text.includes('ok'),
        () => false,
      ));
      at += 1
    ) {
      if (at > 300 || child.exitCode !== null) throw new Error(`${proxy} does not run: ${said}`);
      await sleep(100);
    }
    const page = await curl('/');
    if (!/<script[^>]+assets/.test(page)) throw new Error(`the page: ${page.slice(0, 300)}`);
    const wrong = await wronglyRefused(curl, folder);
    if (wrong.length > 0) throw new Error(wrong.join('; '));
    return `${sizes.length * refusals.length} refused uploads answered`;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Refused uploads of each size that were answered by another status, as sentences. */
async function wronglyRefused(curl, folder) {
  const wrong = [];
  for (const size of sizes) {
    const file = join(folder, `upload-${size}`);
    writeFileSync(file, Buffer.alloc(size, 1));
    for (const [status, path, given] of refusals) {
      const words = given.map((word) => word.replace('FILE', file));
      const wanted = ['--output', join(folder, 'answer'), '--write-out', '%{http_code}'];
      const got = await curl(path, ...wanted, ...words);
      if (got !== String(status)) wrong.push(`${size} bytes: ${got} instead of ${status}`);
    }
  }
  return wrong;
}
