import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startEmbeddedPostgres } from './embedded/postgres.js';
import { readPostmaster } from './embedded/postmaster.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-command-'));
});
afterAll(() => rm(folder, { recursive: true }));

const data = () => join(folder, 'postgres', 'data');
const compose = new URL('../../dist/run/compose.js', import.meta.url).href;

/** Starts a command that has opened the database and does not end by itself. */
async function command(): Promise<ChildProcess> {
  const script = `
    const { withDatabase } = await import(${JSON.stringify(compose)});
    await withDatabase({ dbUrl: null, dataDir: ${JSON.stringify(folder)} }, () => {
      process.stdout.write('open');
      return new Promise((resolve) => process.stdin.once('end', resolve).resume());
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (bytes) => (said += bytes));
  await vi.waitUntil(() => said === 'open' || child.exitCode !== null, patience);
  expect(said).toBe('open');
  return child;
}

const ended = (child: ChildProcess) =>
  vi.waitUntil(() => child.exitCode !== null || child.signalCode !== null, patience);
const serverIsGone = () => vi.waitUntil(async () => (await readPostmaster(data())) === null, patience);

it('the embedded server that a command has started ends with it, also when the command is killed', async () => {
  const killed = await command();
  expect(await readPostmaster(data())).not.toBeNull();
  killed.kill('SIGKILL');
  await ended(killed);
  await serverIsGone();
  const finished = await command();
  finished.stdin?.end();
  await ended(finished);
  expect(finished.exitCode).toBe(0);
  expect(await readPostmaster(data())).toBeNull();
});

it('the server of a running service outlives a command that is killed', async () => {
  const service = await startEmbeddedPostgres(join(folder, 'postgres'));
  try {
    const killed = await command();
    // The server has no guard process that waits for the end of this command.
    expect(await readFile(`/proc/${killed.pid}/task/${killed.pid}/children`, 'utf8')).toBe('');
    killed.kill('SIGKILL');
    await ended(killed);
    expect(await service.runs()).toBe(true);
  } finally {
    await service.stop();
  }
});
