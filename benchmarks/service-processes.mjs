// Functions that read memory and processor time of the processes of a running service from /proc (Linux).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sampleMs = 500;

const read = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
};
/** Returns the KiB of one line of /proc/<pid>/status; 0 if the process is gone. */
const kib = (pid, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(pid, 'status'))?.[1] ?? 0);
const parentOf = (pid) => Number(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? 0);
const childrenOf = (parent) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);

/** Returns the node processes of a service by role, and the process of its database server. */
export function processesOf(supervisor, dataDir) {
  const nodes = { supervisor };
  for (const pid of childrenOf(supervisor)) {
    const [, script, role] = read(pid, 'cmdline').split('\0');
    if (script?.endsWith('main.js')) nodes[nodes[role] === undefined ? role : `${role}-${pid}`] = pid;
  }
  const database = Number.parseInt(
    readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8'),
    10,
  );
  return { nodes, database };
}

export function environmentOf(pid) {
  const lines = read(pid, 'environ').split('\0').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** The clock ticks a second of Linux, which are the same on every processor that Kindred runs on. */
const clockTicks = 100;

/** Returns the processor seconds of a process and of its children that have ended. */
export function processorSecondsOf(pid) {
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  // The fields 14 to 17 are utime, stime, cutime and cstime; the list here begins with the third field.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / clockTicks;
}

/** Returns the processor seconds so far by role; those of the database contain all of its processes. */
export function processorSeconds({ nodes, database }) {
  const seconds = Object.fromEntries(
    Object.entries(nodes).map(([role, pid]) => [role, processorSecondsOf(pid)]),
  );
  const servers = [database, ...childrenOf(database)];
  return { ...seconds, postgres: servers.reduce((sum, pid) => sum + processorSecondsOf(pid), 0) };
}

/** Makes the kernel's own high-water mark count from here on. Without the right to reset it, it counts from the start. */
function resetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The error is ignored, because the peak of the whole life is an upper bound.
  }
}

/** Returns the MiB of memory of this process that are not pages of a file, which other processes could share. */
export const ownMemory = () => (kib(process.pid, 'RssAnon') + kib(process.pid, 'RssShmem')) / 1024;

/** The processes of the database server that live for one task; their number changes from second to second. */
const passing = /^postgres: (autovacuum worker|parallel worker)/;

/** Returns the MiB of private memory now, by role; that of the database server contains all of its processes except those of one task. */
export function privateMemory({ nodes, database }) {
  const mib = (pid) => kib(pid, 'RssAnon') / 1024;
  const lasting = childrenOf(database).filter((pid) => !passing.test(read(pid, 'cmdline')));
  return {
    ...Object.fromEntries(Object.entries(nodes).map(([role, pid]) => [role, mib(pid)])),
    postgres: [database, ...lasting].reduce((sum, pid) => sum + mib(pid), 0),
  };
}

/**
 * Follows a service. `measure(work)` returns the result of `work`, its seconds, and the peaks in MiB while it ran: of each node process
 * (resident memory, the kernel's high-water mark), and of the database server (largest private memory of one of its processes, sampled).
 */
export function follow({ nodes, database }) {
  const sampleDatabase = (peaks) => {
    for (const pid of [database, ...childrenOf(database)]) {
      peaks.postgres = Math.max(peaks.postgres, kib(pid, 'RssAnon') / 1024);
    }
  };
  return {
    async measure(work) {
      for (const pid of Object.values(nodes)) resetPeak(pid);
      const peaks = { postgres: 0 };
      const timer = setInterval(() => sampleDatabase(peaks), sampleMs);
      const startedAt = performance.now();
      try {
        const value = await work();
        const seconds = (performance.now() - startedAt) / 1000;
        sampleDatabase(peaks);
        for (const [role, pid] of Object.entries(nodes)) {
          const peak = kib(pid, 'VmHWM') / 1024;
          if (peak === 0) throw new Error(`the ${role} process ${pid} died meanwhile; see its log`);
          peaks[role] = peak;
        }
        return { value, seconds, peaks };
      } finally {
        clearInterval(timer);
      }
    },
  };
}
