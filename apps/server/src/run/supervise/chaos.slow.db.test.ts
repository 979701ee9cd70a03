import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@kindred/kernels/arrays';
import { patienceMs } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { jumpingClock } from '../../testing/chaos/clock.js';
import { disturb } from '../../testing/chaos/faults.js';
import { Runs } from '../../testing/chaos/runs.js';
import { Servers } from '../../testing/chaos/servers.js';
import { prepare, Work } from '../../testing/chaos/work.js';
import { until } from '../../testing/worker/harness.js';

/** `npm run chaos` sets these variables; the run of the tests is short. */
const {
  KINDRED_CHAOS_SEED,
  KINDRED_CHAOS_FAULTS,
  KINDRED_CHAOS_SERVERS,
  KINDRED_CHAOS_POSTGRES,
  KINDRED_CHAOS_AMQP,
} = process.env;
const seed = Number(KINDRED_CHAOS_SEED ?? 1);
const faults = Number(KINDRED_CHAOS_FAULTS ?? 5);

let folder: string;
let runs: Runs;
let servers: Servers | null = null;
let clock: Awaited<ReturnType<typeof jumpingClock>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-chaos-'));
  clock = await jumpingClock(folder);
  const own = KINDRED_CHAOS_SERVERS === undefined ? null : await Servers.start();
  servers = own;
  const foreign = KINDRED_CHAOS_POSTGRES === undefined ? null : serverAt(KINDRED_CHAOS_POSTGRES);
  runs = new Runs({
    folder,
    postgres:
      own === null
        ? foreign
        : {
            server: own.postgres.address('postgres'),
            addressOf: (database) => own.postgres.address(database),
          },
    amqp: own?.rabbit.url ?? KINDRED_CHAOS_AMQP,
    bucket: own?.bucket ?? null,
    env: clock?.env,
  });
});
afterAll(async () => {
  await runs?.close();
  await servers?.close();
  await rm(folder, { recursive: true, force: true });
});

const serverAt = (server: string) => ({
  server,
  addressOf: (database: string) => {
    const url = new URL(server);
    url.pathname = `/${database}`;
    return url.href;
  },
});

it.runIf(process.platform === 'linux')(
  `${faults} faults leave what an undisturbed run leaves`,
  async () => {
    const first = await runs.make('first');
    await first.service.start();
    await prepare(first.service, folder);
    await first.service.stop();

    const stormy = await runs.make('stormy', first, await servers?.proxiedWays());
    await stormy.service.start();
    const random = new Random(seed);
    const work = new Work();
    const foreign = stormy.database === null ? null : openDatabase(stormy.database.url, 1);
    let over = false;
    const working = work.run(stormy.service, () => over);
    const done: string[] = [];
    const more = { ...servers?.faults(), ...clock?.faults };
    const storm = async () => {
      while (done.length < faults) {
        const before = work.ended;
        done.push(await disturb({ service: stormy.service, random, foreign, more }));
        await until(() => work.ended > before).catch(() => {
          const last = stormy.service.lastLines();
          throw new Error(`nothing ended after: ${done.join(', ')}\n${last}`);
        });
      }
      over = true;
    };
    await Promise.race([storm(), working]);
    const units = await working;
    if (foreign !== null) await closeDatabase(foreign);
    const disturbed = await runs.settle(stormy);

    const calm = await runs.make('calm', first);
    await calm.service.start();
    await new Work().run(calm.service, (begun) => begun >= units);
    const undisturbed = await runs.settle(calm);
    expect(disturbed).toEqual(undisturbed);
    const counts = new Map<string, number>();
    for (const name of done) counts.set(name, (counts.get(name) ?? 0) + 1);
    const list = [...counts].map(([name, count]) => `${count} x ${name}`).sort();
    process.stdout.write(
      `chaos: seed ${seed}, ${done.length} faults during ${units} units of work: ${list.join('; ')}\n${Object.entries(
        disturbed.written,
      )
        .map(([table, digest]) => `  ${table}: ${digest.slice(0, 60)}`)
        .join('\n')}\n`,
    );
  },
  (faults + 2) * patienceMs,
);
