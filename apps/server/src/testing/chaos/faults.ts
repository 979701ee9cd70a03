import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@kindred/kernels/arrays';
import type { Tree } from '../supervise/command.js';
import type { Database } from '../../store/postgres/connection.js';
import type { ChaosService } from './service.js';

interface Place {
  service: ChaosService;
  random: Random;
  /**
   * The database does not belong to the service: its server cannot be killed, but its connections can be cut.
   */
  foreign: Database | null;
  /** These faults can happen to the servers and the clock of this run. */
  more: Record<string, Fault>;
}
export type Fault = (place: Place) => Promise<void>;

const longestPauseMs = 1500;
const shortestFreezeMs = 300;
const longestFreezeMs = 4000;

const kill =
  (role: keyof Tree): Fault =>
  async ({ service }) =>
    void process.kill(service.pidOf(role), 'SIGKILL');

const freeze =
  (choose: (place: Place) => number, stretch = 1): Fault =>
  async (place) => {
    const pid = choose(place);
    const ms = shortestFreezeMs + place.random.integer(longestFreezeMs - shortestFreezeMs);
    process.kill(pid, 'SIGSTOP');
    await sleep(ms * stretch);
    process.kill(pid, 'SIGCONT');
  };

/** The process to hit is still starting again. */
class NotYet extends Error {}

/** Chooses a process of the database server that serves a connection, or does its upkeep. */
function backend({ service, random }: Place): number {
  const children = childrenOf(service.pidOf('postgres'));
  // The file of a killed server stays until the next one starts.
  if (children.length === 0) throw new NotYet();
  return children[random.integer(children.length)];
}

const everywhere: Record<string, Fault> = {
  'API killed': kill('http'),
  'worker killed': kill('worker'),
  'supervisor killed': ({ service }) => service.replaceSupervisor(),
  'API frozen': freeze(({ service }) => service.pidOf('http')),
  'worker frozen': freeze(({ service }) => service.pidOf('worker')),
  // The leases of the worker end meanwhile, and its work stays or moves to another worker.
  'worker frozen for longer than its lease': freeze(({ service }) => service.pidOf('worker'), 4),
  'supervisor frozen': freeze(({ service }) => service.supervisor),
};
const embedded: Record<string, Fault> = {
  'database killed': kill('postgres'),
  'a process of the database killed': async (place) => void process.kill(backend(place), 'SIGKILL'),
  'a process of the database frozen': freeze(backend),
};
const foreign: Record<string, Fault> = {
  'connections to the database cut': async ({ foreign: db }) => {
    await db?.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  },
};

/**
 * Does one fault after a random pause, chosen at random, and returns its name. It waits for processes that
 * are being started again, because they cannot be hit.
 */
export async function disturb(place: Place): Promise<string> {
  const faults = Object.entries({
    ...everywhere,
    ...(place.foreign === null ? embedded : foreign),
    ...place.more,
  });
  const [name, fault] = faults[place.random.integer(faults.length)];
  await sleep(place.random.integer(longestPauseMs));
  for (;;) {
    try {
      await fault(place);
      return name;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (
        !(error instanceof NotYet) &&
        code !== 'ESRCH' &&
        code !== 'ENOENT' &&
        !/has no whole tree|\bpid\b/.test(message)
      )
        throw error;
      await sleep(100);
    }
  }
}

export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent);
      } catch {
        return false;
      }
    })
    .map(Number)
    .sort((a, b) => a - b);
}
