import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const module = JSON.stringify(join(import.meta.dirname, '../../../dist/work/worker/watchdog.js'));
const run = (source: string) =>
  spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `import { Watchdog } from ${module}; ${source}`],
    { encoding: 'utf8' },
  );

it('ends a process whose event loop is blocked', () => {
  const { signal, stderr } = run(
    `new Watchdog(200); setTimeout(() => { const end = Date.now() + 60_000; while (Date.now() < end); }, 50);`,
  );
  expect(signal).toBe('SIGKILL');
  expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', message: expect.stringContaining('leases') });
});

it('leaves a process alone that feeds it, and that has ended its work', () => {
  const { status, signal } = run(
    `const dog = new Watchdog(2000); let n = 0;
     const feeding = setInterval(() => { dog.feed(); if (++n === 5) { clearInterval(feeding); void dog.stop(); } }, 50);`,
  );
  expect({ status, signal }).toEqual({ status: 0, signal: null });
});
