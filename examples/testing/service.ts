import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../apps/server/dist/main.js', import.meta.url));

export interface RunningExample {
  folder: string;
  /** The arguments of the scripts that name this service. */
  access: string[];
  stop(): Promise<void>;
}

const makeWorld = fileURLToPath(new URL('../../tools/example-world.mjs', import.meta.url));

/**
 * Starts the real service as a user does: with processes of its own, a free port, and a new data folder, either that of a service with
 * its example set, or an empty one.
 */
export async function startService(
  settings: Record<string, string>,
  data: 'examples' | 'empty' = 'empty',
): Promise<RunningExample> {
  if (!existsSync(program)) throw new Error(`${program} is missing: run npm run build first`);
  const folder = await mkdtemp(join(tmpdir(), 'kindred-example-'));
  if (data === 'examples') await promisify(execFile)(process.execPath, [makeWorld, join(folder, 'data')]);
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    env: {
      ...Object.fromEntries(inherited),
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_LOAD_EXAMPLES: 'false',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { ready: string }) => resolve(message.ready));
    void ended.then(() => reject(new Error(`the service ended before it was ready:\n${said}`)));
  });
  const credential = JSON.parse(await readFile(join(folder, 'data', 'local-credential.json'), 'utf8'));
  return {
    folder,
    access: ['--url', url, '--api-key', credential.apiKey],
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a script of the examples folder to its end. */
export function runScript(name: string, args: string[]): Promise<{ code: number; output: string }> {
  const script = fileURLToPath(new URL(`../${name}`, import.meta.url));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [script, ...args],
      { env: { PATH: process.env.PATH } },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, output: `${stdout}${stderr}` });
      },
    );
  });
}
