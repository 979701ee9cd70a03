import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { patienceMs } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSmallDisk, type SmallDisk } from '../../testing/chaos/small-disk.js';
import { Runs } from '../../testing/chaos/runs.js';
import { prepare, Work } from '../../testing/chaos/work.js';
import { until } from '../../testing/worker/harness.js';

const times = 4;
/** The disk is full for a random time between these limits. */
const shortestMs = 1000;
const longestMs = 5000;
const isFull = (error: NodeJS.ErrnoException) => error.code === 'ENOSPC';

let disk: SmallDisk | null;
let runs: Runs;

beforeAll(async () => {
  disk = await makeSmallDisk();
  if (disk !== null) runs = new Runs({ folder: disk.folder, postgres: null });
});
afterAll(async () => {
  await runs?.close();
  await disk?.remove();
});

it('a disk that is full for a while fails jobs in words at most, and what is submitted again is what an undisturbed run writes', {
  timeout: 6 * patienceMs,
}, async () => {
  if (disk === null) {
    process.stdout.write('The test of a full disk is left out: this user may not mount a disk.\n');
    return;
  }
  const small = disk;
  const first = await runs.make('first');
  await first.service.start();
  await prepare(first.service, disk.folder);
  await first.service.stop();

  const full = await runs.make('full', first);
  await full.service.start();
  let failed = 0;
  const work = new Work(4, (reason) => {
    expect(reason).toMatch(/The disk is full: free space, then submit/);
    failed++;
  });
  let over = false;
  const working = work.run(full.service, () => over);
  const random = new Random(3);
  for (let time = 0; time < times; time++) {
    const pauseMs = random.integer(longestMs);
    const freed = small.full(shortestMs + random.integer(longestMs - shortestMs), pauseMs);
    const probe = until(() =>
      appendFile(join(small.folder, 'more'), 'x'.repeat(100_000)).then(() => false, isFull),
    );
    await Promise.all([freed, probe]);
    const before = work.ended;
    await Promise.race([until(() => work.ended > before), working]);
  }
  over = true;
  const units = await working;
  const disturbed = await runs.settleAnswers(full);

  const calm = await runs.make('calm', first);
  await calm.service.start();
  await new Work().run(calm.service, (begun) => begun >= units);
  expect(disturbed).toEqual(await runs.settleAnswers(calm));
  process.stdout.write(
    `full disk: ${times} times during ${units} units of work, ${failed} submitted again, ${Object.keys(disturbed.answers).length} equal answers\n`,
  );
});
