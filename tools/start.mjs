// npm start: installs what is missing, builds, and starts the service. Needs nothing but Node and npm.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
requireNode();
installDependencies(root);
const { build, buildWeb } = await import('./build.mjs');
if (!build(root)) fail('The build failed; the lines above say where.');
buildWeb(root);
startServer(process.argv.slice(2));

function requireNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [have, need] = [process.versions.node, wanted].map((text) => text.split('.').map(Number));
  const older = have[0] < need[0] || (have[0] === need[0] && have[1] < need[1]);
  if (older) fail(`Kindred needs Node ${wanted} or later; this is ${process.versions.node}.`);
}

function startServer(args) {
  const main = join(root, 'apps', 'server', 'dist', 'main.js');
  const child = spawn(process.execPath, [main, 'start', ...args], { stdio: 'inherit' });
  // Ctrl-C reaches the whole group; this process only waits for the end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  // npm does not forward every signal: if npm is gone, so is the user who started the service.
  const parent = process.ppid;
  const watch = setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500);
  watch.unref();
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 0 : 1)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
