import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportDatasetPayload } from '@kindred/contracts/resources/datasets';
import type { Broker } from '../broker/broker.js';
import { createEmbeddedBroker } from '../broker/embedded.js';
import { submitJob } from '../jobs/submit.js';
import { type DatasetRow, findDataset } from '../../store/records/datasets.repository.js';
import { findJob, type JobRow } from '../../store/jobs/jobs.repository.js';
import { type DatasetWorld, openDatasetWorld } from '../../testing/dataset-world.js';
import { eventNames, until, untilStatus } from '../../testing/worker/harness.js';

/** A real worker process exports and is killed meanwhile. */
const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
let world: DatasetWorld;
let broker: Broker;
let worker: ChildProcess;
beforeAll(async () => {
  world = await openDatasetWorld();
  broker = createEmbeddedBroker(world.db);
  worker = startWorker();
});
afterAll(async () => {
  worker.kill('SIGTERM');
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
  await broker?.close();
  await world?.close();
});

function startWorker(): ChildProcess {
  return spawn(process.execPath, [main, 'worker'], {
    env: {
      PATH: process.env.PATH,
      SVC_DB_URL: world.url,
      SVC_DATA_DIR: world.folder,
      SVC_COMPUTE_THREADS: '1',
      SVC_LEASE_SECONDS: '2',
      SVC_SWEEP_PERIOD_MS: '200',
      SVC_LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function submit(name: string): Promise<JobRow> {
  const payload = exportDatasetPayload.parse(
    world.payload({ name, batch_size: 1, compute_alignments: true }),
  );
  return submitJob(
    { db: world.db, broker },
    { operation: 'export_research_dataset', queueName: 'svc.training', payload },
  );
}

/** Computes digests of the two Parquet files; fails if a row names a missing file. */
async function digests(row: DatasetRow): Promise<string[]> {
  expect(await world.artifacts.size(row.manifest_uri)).toBeGreaterThan(0);
  return Promise.all(
    [row.train_uri, row.eval_uri].map(async (uri) => {
      const hash = createHash('sha256');
      for await (const chunk of world.artifacts.get(uri as string)) hash.update(chunk);
      return hash.digest('hex');
    }),
  );
}

it('is whole or not there, wherever its worker is killed, and comes out the same', async () => {
  const undisturbed = await untilStatus(world.db, (await submit('undisturbed')).id, 'SUCCEEDED');
  const expected = await digests((await findDataset(world.db, 'undisturbed')) as DatasetRow);
  expect(await eventNames(world.db, undisturbed.id)).toEqual(
    expect.arrayContaining(['export_research_dataset.published', 'export_research_dataset.registered']),
  );
  let repeated = 0;
  for (const event of ['start', 'split_start', 'split_done', 'published']) {
    const name = `killed at ${event}`;
    const job = await submit(name);
    await until(async () =>
      (await eventNames(world.db, job.id)).includes(`export_research_dataset.${event}`),
    );
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const seen = await findDataset(world.db, name);
    if (seen !== undefined) expect(await digests(seen)).toEqual(expected);
    worker = startWorker();
    const done = await untilStatus(world.db, job.id, 'SUCCEEDED');
    const row = (await findDataset(world.db, name)) as DatasetRow;
    expect(await digests(row)).toEqual(expected);
    expect(done.result).toMatchObject({ dataset_id: row.id, n_train_rows: row.train_row_count });
    repeated += Number(((await findJob(world.db, job.id))?.attempts ?? 0) > 1);
  }
  // Some kills may come too late to matter, but not all.
  expect(repeated).toBeGreaterThan(0);
});
