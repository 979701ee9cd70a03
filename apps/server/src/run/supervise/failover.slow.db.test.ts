import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { type Run, Runs } from '../../testing/chaos/runs.js';
import type { ChaosService } from '../../testing/chaos/service.js';
import { prepare, Work } from '../../testing/chaos/work.js';
import { ReplicatedPostgres, replicationPrograms } from '../../testing/replicated-postgres.js';
import { type SilentProxy, silentProxy } from '../../testing/silent-proxy.js';
import { until } from '../../testing/worker/harness.js';

// A primary is lost in the middle of 51 jobs, and its standby is promoted; the database must have all that
// the service acknowledged, once. The test runs twice: with an address that names the servers, and with one
// address that moves from one to the other.

/** Of 8 units of work, 7 are annotations with two jobs each, and one packs a reference. */
const units = 27;
const jobs = 51;
const names = ['one', 'two', 'three'];

let folder: string;
let runs: Runs;
let first: Run;
let undisturbed: Awaited<ReturnType<Runs['settle']>>;
let primary: ReplicatedPostgres;
const servers: ReplicatedPostgres[] = [];
const proxies: SilentProxy[] = [];

const isPossible = process.platform === 'linux' && replicationPrograms !== undefined;
if (!isPossible)
  process.stderr.write('The tests of failover are skipped: they need Linux and the package postgresql.\n');

/** Gives an address that names all servers, including those that do not exist yet. */
function everyServer(database: string): string {
  const hosts = names.map((name) => encodeURIComponent(join(folder, name)));
  return `postgresql://kindred@${hosts.join(',')}/${database}`;
}

/** The work submits all units at once. */
async function doAllWork(service: ChaosService): Promise<void> {
  await new Work(units).run(service, (begun) => begun >= units);
}

beforeAll(async () => {
  if (!isPossible) return;
  folder = await mkdtemp(join(tmpdir(), 'kindred-failover-'));
  primary = await ReplicatedPostgres.primary(folder, names[0]);
  servers.push(primary);
  runs = new Runs({ folder, postgres: { server: everyServer('postgres'), addressOf: everyServer } });
  first = await runs.make('first');
  await first.service.start();
  await prepare(first.service, folder);
  await first.service.stop();
  const calm = await runs.make('calm', first);
  await calm.service.start();
  await doAllWork(calm.service);
  undisturbed = await runs.settle(calm);
});
afterAll(async () => {
  await runs?.close();
  for (const proxy of proxies) await proxy.close();
  for (const server of servers) await server.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

interface Failover {
  /** Stops the primary or cuts it off. */
  lose(): Promise<void>;
  promote(): Promise<void>;
}

/** Repeats the work of the undisturbed run, with a failover while all its jobs are open or in work. */
async function disturb({ service, database }: Run, { lose, promote }: Failover): Promise<void> {
  await service.start();
  const processes = [service.pidOf('http'), service.pidOf('worker')];
  const db = openDatabase(database?.url as string, 1);
  const counted = async () => {
    const { rows } = await db.pool.query(
      `select count(*)::integer as all, count(*) filter (where status = 'SUCCEEDED')::integer as ended from job`,
    );
    return rows[0] as { all: number; ended: number };
  };
  const before = await counted();
  const working = doAllWork(service);
  let atLoss = before;
  await until(async () => {
    atLoss = await counted();
    return atLoss.all === before.all + jobs && atLoss.ended > before.ended;
  });
  await closeDatabase(db);
  process.stdout.write(`failover: ${atLoss.all - atLoss.ended} of ${jobs} jobs open\n`);
  await lose();
  await until(async () => (await service.readiness()) === 503);
  await promote();
  await until(async () => (await service.readiness()) === 200);
  await working;
  // Every process still has its id, so none ended and was started again.
  expect([service.pidOf('http'), service.pidOf('worker')]).toEqual(processes);
}

describe.runIf(isPossible)('a standby is promoted while 51 jobs are open', () => {
  it('with an address that names the servers; the old primary comes back by mistake, and nobody writes to it', async () => {
    const run = await runs.make('named', first);
    const lost = primary;
    const standby = await lost.standby(names[1]);
    servers.push(standby);
    await disturb(run, {
      lose: () => lost.kill(),
      promote: async () => {
        await standby.promote();
        await lost.start();
        await cutAll(standby);
      },
    });
    expect(await runs.settle(run)).toEqual(undisturbed);
    await lost.stop();
    primary = standby;
  });

  it('with an address that moves to the standby before it is promoted, and connections that fall silent', async () => {
    const standby = await primary.standby(names[2]);
    servers.push(standby);
    let proxy: SilentProxy | undefined;
    const run = await runs.make('moving', first, {
      database: async (database) => {
        proxy = await silentProxy(primary.address(database));
        proxies.push(proxy);
        return proxy.url;
      },
    });
    await disturb(run, {
      lose: async () => {
        proxy?.silence();
        await primary.kill();
        proxy?.moveTo(standby.address('postgres'));
      },
      promote: () => standby.promote(),
    });
    expect(await runs.settle(run)).toEqual(undisturbed);
  });
});

/** Ends all sessions of the service, so that it looks for a server. */
async function cutAll(server: ReplicatedPostgres): Promise<void> {
  const db = openDatabase(server.address('postgres'), 1);
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'kindred%' and pid <> pg_backend_pid()`,
  );
  await closeDatabase(db);
}
