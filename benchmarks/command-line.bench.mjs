// Measures processor seconds of whole calls of the command line (user and system), beside a Node that does nothing. The calls take turns;
// a service with no rows answers the lists.
//
//   node benchmarks/command-line.bench.mjs [ROUNDS]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { keep } from './figures.mjs';

const rounds = Number(process.argv[2] ?? 12);
const program = fileURLToPath(new URL('../apps/server/bin/kindred.mjs', import.meta.url));
const service = createServer((_, reply) => reply.setHeader('content-type', 'application/json').end('[]'));
await once(service.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (service.address());
const url = ['--url', `http://127.0.0.1:${port}`];
const calls = {
  'node that does nothing': ['-e', '0'],
  'kindred --version': [program, '--version'],
  'kindred --help': [program, '--help'],
  'kindred annotate --help': [program, 'annotate', '--help'],
  'kindred runs list': [program, 'runs', 'list', ...url],
  'kindred reference list': [program, 'reference', 'list', ...url],
  'kindred models list': [program, 'models', 'list'],
};

/** Returns the processor seconds of a process, which the shell that waits for it prints. */
async function secondsOf(args) {
  const timed = `TIMEFORMAT='%U %S'; time "$0" "$@" >/dev/null 2>&1`;
  const child = spawn('bash', ['-c', timed, process.execPath, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (part) => (text += part));
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return text
    .trim()
    .split(' ')
    .reduce((sum, part) => sum + Number(part), 0);
}

const seconds = Object.fromEntries(Object.keys(calls).map((name) => [name, []]));
for (let round = 0; round < rounds; round++)
  for (const [name, args] of Object.entries(calls)) seconds[name].push(await secondsOf(args));
service.close();
for (const [name, all] of Object.entries(seconds)) {
  const median = all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
  keep('processor seconds of a call', median, { call: name });
  console.log(
    `${name.padEnd(26)} ${median.toFixed(2)} s, median of ${rounds} (${all[0].toFixed(2)} to ${all.at(-1).toFixed(2)})`,
  );
}
