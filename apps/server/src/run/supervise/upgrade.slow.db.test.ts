import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patienceMs } from '@kindred/testkit';
import { buildRelease, earlierReleases } from '@kindred/testkit/previous-release';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programFile } from '../../ground/folders.js';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { type Balancer, startBalancer } from '../../testing/balancer.js';
import { startEmbeddedPostgres } from '../embedded/postgres.js';
import { until } from '../../testing/worker/harness.js';
import { Command } from '../../testing/supervise/command.js';

// The previous release runs with two API processes and a worker behind a proxy. It is replaced process by
// process while clients read and submit. Both versions must work side by side on the new schema, every
// request must get a good answer, and every job must end.

const [release = null] = process.platform === 'linux' ? await earlierReleases() : [];
if (release === null)
  process.stderr.write(
    'The test of upgrades is skipped: it needs Linux and the history with the release before.\n',
  );

let folder: string;
let server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let balancer: Balancer;
const processes: Command[] = [];

beforeAll(async () => {
  if (release === null) return;
  folder = await mkdtemp(join(tmpdir(), 'kindred-upgrade-'));
  server = await startEmbeddedPostgres(join(folder, 'postgres'));
  balancer = await startBalancer();
});
afterAll(async () => {
  await balancer?.close();
  for (const { child } of processes) if (child.exitCode === null) child.kill('SIGKILL');
  await server?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

function start(program: string, ...args: string[]): Command {
  const command = Command.run(
    args,
    {
      SVC_DB_URL: server.url,
      SVC_DATA_DIR: join(folder, 'data'),
      SVC_AUTHN_REQUIRED: 'false',
      SVC_JWT_SECRET: 'a secret of at least thirty-two bytes, for tests',
      SVC_RATELIMIT_JOBS: '1000000/minute',
      // The drain time is long because the proxy may look late on a busy machine.
      SVC_DRAIN_SECONDS: '15',
    },
    { program },
  );
  processes.push(command);
  return command;
}

/** Each step waits for this number of answers from each process. */
const enoughAnswers = 20;

interface Api {
  url: string;
  command: Command;
}

async function startApi(program: string): Promise<Api> {
  const port = await freePort();
  const command = start(program, 'http', '--port', String(port));
  const url = `http://127.0.0.1:${port}`;
  balancer.add(url);
  let end: unknown = null;
  void command.ended.then((code) => {
    end = code;
  });
  await until(() => {
    if (end !== null) throw new Error(`it ended with ${end} and said:\n${command.stderr}${command.stdout}`);
    return balancer.isReady(url);
  });
  return { url, command };
}

/** Ends the API, which takes no more requests and answers the ones it has. */
async function endApi({ url, command }: Api): Promise<void> {
  expect(await command.end()).toBe(0);
  balancer.remove(url);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Runs clients that read and submit until `enough`, and gives the ids of the jobs. */
async function clients(enough: () => boolean): Promise<string[]> {
  const jobs: string[] = [];
  const lane = async (n: number) => {
    for (let turn = n; !enough(); turn++) {
      const isRead = turn % 3 !== 0;
      const response = await fetch(`${balancer.url}/v1/${turn % 3 === 1 ? 'proteins' : 'jobs'}`, {
        ...(isRead
          ? {}
          : {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ operation: 'ping', queue_name: 'svc.ping', payload: {} }),
            }),
      });
      const text = await response.text();
      if (!isRead && response.ok) jobs.push(JSON.parse(text).id);
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, n) => lane(n)));
  return jobs;
}

describe.runIf(release !== null)(`an upgrade from ${release?.version}`, () => {
  it(
    'process by process answers every request, and both versions work on the new schema',
    async () => {
      const old = await buildRelease(release as NonNullable<typeof release>, join(folder, 'release'));
      expect(await start(old, 'migrate').ended).toBe(0);
      const first = await startApi(old);
      const second = await startApi(old);
      const oldWorker = start(old, 'worker');

      let over = false;
      const submitting = clients(() => over);
      const share = async (...apis: Api[]) => {
        const before = new Map(balancer.answered);
        const grown = (url: string) => (balancer.answered.get(url) ?? 0) - (before.get(url) ?? 0);
        await Promise.race([until(() => apis.every(({ url }) => grown(url) >= enoughAnswers)), submitting]);
      };
      await share(first, second);
      expect(await start(programFile, 'migrate').ended).toBe(0);
      // Both old processes continue with the new schema.
      await share(first, second);
      const third = await startApi(programFile);
      await endApi(first);
      await share(second, third);
      const newWorker = start(programFile, 'worker');
      await share(second, third);
      expect(await oldWorker.end()).toBe(0);
      const fourth = await startApi(programFile);
      await endApi(second);
      await share(third, fourth);
      over = true;
      const jobs = await submitting;

      const db = openDatabase(server.url, 1);
      const ended = async () => {
        const { rows } = await db.pool.query(
          `select count(*) filter (where status = 'SUCCEEDED')::integer as done, count(*)::integer as all,
           count(distinct lease.worker)::integer as workers
         from job left join lateral (
           select fields ->> 'worker' as worker from job_event where job_id = job.id and event = 'job.started') lease on true
         where id = any($1::uuid[])`,
          [jobs],
        );
        return rows[0] as { done: number; all: number; workers: number };
      };
      await until(async () => (await ended()).done === jobs.length);
      expect((await ended()).workers).toBe(2);
      await closeDatabase(db);
      expect(balancer.faults).toEqual([]);
      const answers = [...balancer.answered.values()].reduce((sum, count) => sum + count, 0);
      process.stdout.write(
        `upgrade from ${release?.version}: ${answers} requests answered, ${jobs.length} jobs succeeded\n`,
      );
      for (const api of [third, fourth]) await endApi(api);
      expect(await newWorker.end()).toBe(0);
    },
    5 * patienceMs,
  );
});
