// Starts the service, which is built and started again when a source has changed, and the page with hot reload by vite: npm run dev. The
// data are those of `npm start` (SVC_DATA_DIR, by default ./data). Ctrl-C ends everything.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
await installDependencies(root, 'everything');
const { build } = await import('./build.mjs');
if (!(await build(root))) process.exit(1);

/** The pause after a change, because an editor may save several files. */
const quietMs = 300;
const server = join(root, 'apps', 'server');
const port = process.env.SVC_PORT ?? '8000';
const program = (name) => join(root, 'node_modules', '.bin', name);

/** Runs a process on this terminal, and returns its end. */
function run(command, args, options) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], ...options });
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
}
/**
 * Starts the service in a session of its own, so that Ctrl-C reaches it once, through this process. The service ends with this process,
 * too.
 */
function startService() {
  const service = run(process.execPath, [join(server, 'dist', 'main.js'), 'start', '--port', port], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  service.child.once('message', ({ ready }) => console.log(`The service is ready: ${ready}`));
  return service;
}

const page = run(program('vite'), [], {
  cwd: join(root, 'apps', 'web'),
  env: { ...process.env, KINDRED_API: `http://127.0.0.1:${port}` },
});
let service = startService();
let isChanged = false;
let isWorking = false;
let isEnding = false;

async function changed(name) {
  if (name === null || !/\.(ts|sql|json)$/.test(name) || /\.test\.ts$/.test(name)) return;
  isChanged = true;
  if (isWorking) return;
  isWorking = true;
  // The loop repeats, because sources that change during a build are built after it.
  while (isChanged && !isEnding) {
    await sleep(quietMs);
    isChanged = false;
    console.log('A source has changed: the build');
    if ((await run(program('tsc'), ['-b']).ended) !== 0) continue;
    console.log('The service starts again');
    service.child.kill('SIGTERM');
    await service.ended;
    if (!isEnding) service = startService();
  }
  isWorking = false;
}

const foldersOf = (name) => readdirSync(join(root, name)).map((entry) => join(root, name, entry));
const sources = [server, ...foldersOf('packages'), ...foldersOf('plugins')].map((folder) =>
  join(folder, 'src'),
);
for (const folder of sources.filter((path) => existsSync(path)))
  watch(folder, { recursive: true }, (_event, name) => void changed(name));

async function end() {
  if (isEnding) return;
  isEnding = true;
  for (const { child } of [page, service]) child.kill('SIGTERM');
  await Promise.all([page.ended, service.ended]);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end());
