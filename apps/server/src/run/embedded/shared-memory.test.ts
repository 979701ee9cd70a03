import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { sharedMemory, sharedMemoryAdvice } from './shared-memory.js';

const run = promisify(execFile);

it('names /dev/shm where that is the cause', () => {
  const full =
    'could not resize shared memory segment "/PostgreSQL.1" to 1048576 bytes: No space left on device';
  expect(sharedMemoryAdvice(`PANIC:  ${full}`)).toContain('/dev/shm');
  expect(sharedMemoryAdvice('could not write to file "pg_wal/xlogtemp": No space left on device')).toBe('');
});

it('leaves the choice to PostgreSQL where there is enough', async () => {
  expect(await sharedMemory('/')).toEqual({ settings: {}, warning: null });
  expect(await sharedMemory('/nowhere')).toEqual({ settings: {}, warning: null });
});

// Only root may mount, and not in every container.
const mayMount =
  process.platform === 'linux' &&
  (await run('unshare', ['--mount', 'true']).then(
    () => true,
    () => false,
  ));

it.runIf(mayMount)('uses files in the data folder where /dev/shm is small, and starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kindred-memory-'));
  const module = join(import.meta.dirname, '../../../dist/run/embedded/postgres.js');
  const program = `import { startEmbeddedPostgres } from ${JSON.stringify(module)};
    const server = await startEmbeddedPostgres(${JSON.stringify(join(folder, 'postgres'))}, { durability: 'none' });
    console.log(server.warnings.join('\\n'));
    await server.stop();`;
  const script = 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"';
  const node = [process.execPath, '--input-type=module', '-e', program];
  try {
    const { stdout } = await run('unshare', ['--mount', 'sh', '-c', script, 'sh', ...node]);
    expect(stdout).toMatch(/\/dev\/shm has 1 MB, so PostgreSQL shares memory through files/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
