// Installs what is missing, builds, and starts the service, for npm start (by start.cjs). Only Node and npm are needed.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { alone } from './alone.mjs';
import { whenAsked } from './ending.mjs';
import { installDependencies } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
await alone(root, async () => {
  await installDependencies(root, 'service');
  const { buildService } = await import('./build.mjs');
  if (!(await buildService(root))) fail('The build failed; the lines above say where.');
});
startServer(process.argv.slice(2));

/**
 * Starts the service in a session of its own. A signal for the group of this process (Ctrl-C, a closed terminal, SIGKILL) reaches it
 * through this process, or through the end of the pipe between them, and it stops cleanly.
 */
function startServer(args) {
  const main = join(root, 'apps', 'server', 'dist', 'main.js');
  const child = spawn(process.execPath, [main, 'start', '--in-front', ...args], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  whenAsked((signal) => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 0 : 1)));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
