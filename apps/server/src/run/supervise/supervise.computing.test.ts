import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from './process-identity.js';
import { httpArenas, workerMemory } from './serve.js';
import { callApi, Command, ping, type Tree, treeOf, untilGone } from '../../testing/supervise/command.js';

let folder: string;
let dataDir: string;
const started: Command[] = [];
const rateLimits = { SVC_RATELIMIT_JOBS: '1000/minute' };

function serve(
  args: string[] = ['serve', '--port', '0'],
  env: NodeJS.ProcessEnv = {},
  uid?: number,
): Command {
  const settings = { SVC_DATA_DIR: dataDir, SVC_LOAD_EXAMPLES: 'false', ...rateLimits };
  const command = Command.run(args, { ...settings, ...env }, { uid });
  started.push(command);
  return command;
}
const readyOne = () => serve().untilReady();
const inFolder = (name: string) => existsSync(join(dataDir, name));
const left = () => ['service.json', 'service.lock', 'postgres/data/postmaster.pid'].filter(inFolder);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-supervise-'));
  dataDir = join(folder, 'data');
});
afterAll(async () => {
  await Promise.all(started.map(async (command) => command.child.exitCode === null && (await command.end())));
  await rm(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === 'linux')('one data folder', () => {
  let service: Command;
  let tree: Tree;
  beforeEach(() => {
    if (service?.child.exitCode === null) tree = treeOf(service.pid, dataDir);
  });

  it('is served by one of two starts at the same moment; the other attaches', async () => {
    const both = await Promise.all([readyOne(), readyOne()]);
    expect(both[0].ready).toBe(both[1].ready);
    const attached = both.filter((command) => command.stderr.includes('Kindred runs already'));
    expect(attached).toHaveLength(1);
    service = both.find((command) => command !== attached[0]) as Command;
    expect(attached[0].stderr).toContain(`Kindred runs already: ${service.ready} (process ${service.pid})`);
    expect(await attached[0].ended).toBe(0);
    expect(service.stderr.match(/password: \S{8,}/g)).toHaveLength(1);
    expect((await stat(join(dataDir, 'local-credential.json'))).mode & 0o777).toBe(0o600);
    await ping(dataDir);
  });

  it('limits the pools of memory of the API and of the worker', () => {
    const poolsOf = (pid: number) =>
      /(?:^|\0)MALLOC_ARENA_MAX=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
    expect([poolsOf(tree.http), poolsOf(tree.worker)]).toEqual([httpArenas, workerMemory.MALLOC_ARENA_MAX]);
  });

  it('attaches a later start, which ends with 0 and leaves the service alone', async () => {
    const second = serve(['start']);
    expect(await second.ended).toBe(0);
    expect(second.stderr).toBe(`Kindred runs already: ${service.ready} (process ${service.pid})\n`);
    expect(treeOf(service.pid, dataDir)).toEqual(tree);
  });

  it.each(['http', 'worker'] as const)('starts the %s process again after SIGKILL', async (role) => {
    process.kill(tree[role], 'SIGKILL');
    await service.until(({ stderr }) => stderr.includes(`${role} ended (SIGKILL)`));
    await ping(dataDir);
    const now = treeOf(service.pid, dataDir);
    expect(now).toEqual({ ...tree, [role]: now[role] });
    expect(now[role]).not.toBe(tree[role]);
  });

  it('replaces API and worker that live and do not answer', async () => {
    // The lease has its minimum, 30 s: other workers take over the jobs of one that is silent for that long.
    await service.end();
    service = await serve(undefined, { SVC_LEASE_SECONDS: '10' }).untilReady();
    tree = treeOf(service.pid, dataDir);
    for (const role of ['http', 'worker'] as const) process.kill(tree[role], 'SIGSTOP');
    await service.until(({ stderr }) =>
      ['http', 'worker'].every((role) =>
        // The supervisor may not have had its first answer yet, because a process that starts has 120 s.
        new RegExp(`${role} ended \\(no answer for (30|120) s\\); starting it again`).test(stderr),
      ),
    );
    await ping(dataDir);
    const now = treeOf(service.pid, dataDir);
    expect(now.postgres).toBe(tree.postgres);
    expect([now.http, now.worker]).not.toContain(tree.http);
    expect([now.http, now.worker]).not.toContain(tree.worker);
  });

  it('starts the database server again after SIGKILL', async () => {
    process.kill(tree.postgres, 'SIGKILL');
    await service.until(({ stderr }) => stderr.includes('it was started again and recovered its data'));
    await ping(dataDir);
    const now = treeOf(service.pid, dataDir);
    expect(now).toEqual({ ...tree, postgres: now.postgres });
    expect(now.postgres).not.toBe(tree.postgres);
  });

  it('ends API and worker when the supervisor is killed; the next start recovers', async () => {
    const before = await callApi<{ id: string }[]>(dataDir, '/v1/jobs');
    const port = new URL(service.ready as string).port;
    await service.end('SIGKILL');
    expect(inFolder('service.json')).toBe(true);
    // The service starts at once, on the port that the orphans are still releasing.
    service = await serve(['serve', '--port', port]).untilReady();
    await untilGone([tree.http, tree.worker]);
    expect(new URL(service.ready as string).port).toBe(port);
    expect(service.stderr).not.toContain('password');
    expect(await callApi(dataDir, '/v1/jobs')).toEqual(before);
    await ping(dataDir);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('%s stops everything and leaves nothing', async (signal) => {
    expect(await service.end(signal)).toBe(0);
    expect(service.stderr).toMatch(/stopping .*\n(.*\n)*Stopped\.\n$/);
    for (const pid of Object.values(tree)) expect(await isAlive(pid)).toBe(false);
    expect(left()).toEqual([]);
    service = await readyOne();
  });

  it('stops once, though the signal comes to the group and is passed on', async () => {
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGINT'] as const) service.child.kill(signal);
    expect(await service.ended).toBe(0);
    expect(service.stderr).toMatch(/Stopped\.\n$/);
    expect(left()).toEqual([]);
    service = await readyOne();
  });

  it('leaves nothing after a second Ctrl-C either, which ends it at once', async () => {
    // A process that does not answer would make the clean end last.
    process.kill(tree.http, 'SIGSTOP');
    service.child.kill('SIGINT');
    await service.until(({ stderr }) => stderr.includes('Ctrl-C once more to end at once'));
    // A second signal within a second of the first counts as the same.
    while (service.child.exitCode === null) {
      service.child.kill('SIGINT');
      await Promise.race([service.ended, sleep(1100)]);
    }
    expect(await service.ended).toBe(130);
    await untilGone(Object.values(tree));
    expect(left()).toEqual([]);
    service = await readyOne();
  });

  it('leaves nothing running after SIGKILL of the supervisor, the database neither', async () => {
    await service.end('SIGKILL');
    await untilGone(Object.values(tree));
    expect(inFolder('postgres/data/postmaster.pid')).toBe(false);
    service = await readyOne();
    await ping(dataDir);
  });

  it('keeps its data from other users, whatever the umask', async () => {
    await service.end();
    await chmod(dataDir, 0o777);
    await rm(join(dataDir, 'logs'), { recursive: true });
    const umask = process.umask(0);
    try {
      service = await readyOne();
    } finally {
      process.umask(umask);
    }
    const modes = await Promise.all(
      ['', 'logs', 'logs/http.log', 'service.json', 'jwt-secret', 'postgres/server.log'].map(async (name) =>
        ((await stat(join(dataDir, name))).mode & 0o777).toString(8),
      ),
    );
    expect(modes).toEqual(['700', '700', '600', '600', '600', '600']);
    // The mask of the processes closes the files that they make later (banks, counts, backups).
    const { http, worker } = treeOf(service.pid, dataDir);
    for (const pid of [http, worker])
      expect(/^Umask:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]).toBe('0077');
  });

  it('stops cleanly when its terminal is closed: SIGHUP, and nobody reads its output', async () => {
    service.child.stdout?.destroy();
    service.child.stderr?.destroy();
    expect(await service.end('SIGHUP')).toBe(0);
    expect(left()).toEqual([]);
    service = await readyOne();
  });

  it('a signal in the middle of a start stops what was started', async () => {
    await service.end();
    for (const mark of ['postgres/data/postmaster.pid', 'logs/http.log']) {
      await rm(join(dataDir, 'logs'), { recursive: true });
      const cut = await serve().until(() => inFolder(mark));
      expect(await cut.end()).toBe(0);
      expect(cut.ready).toBeNull();
      expect(left()).toEqual([]);
      await mkdir(join(dataDir, 'logs'), { recursive: true });
    }
  });

  it('leaves nothing when it is ended as soon as it has the lock', async () => {
    const cut = await serve().until(() => inFolder('service.lock'));
    await cut.end();
    expect(left()).toEqual([]);
  });

  it('ends when its parent was gone before it could notice', async () => {
    const { child } = serve();
    child.disconnect();
    // A child process without its pipe has no event `close`.
    await once(child, 'exit');
    expect(left()).toEqual([]);
  });

  it('takes over the lock of a process that has ended, though its id is in use again', async () => {
    await writeFile(join(dataDir, 'service.lock'), JSON.stringify({ pid: process.pid, start: 'long ago' }));
    service = await readyOne();
    await ping(dataDir);
    expect(await service.end()).toBe(0);
  });
});

describe('a start that cannot succeed', () => {
  let other: Server | undefined;
  afterAll(() => other?.close());

  it('says that the port is taken, before anything is started', async () => {
    other = createServer();
    await new Promise<void>((done) => other?.listen(0, '127.0.0.1', done));
    const { port } = other.address() as { port: number };
    const fresh = join(folder, 'port');
    const command = serve(['start', '--port', String(port)], { SVC_DATA_DIR: fresh });
    expect(await command.ended).toBe(75);
    expect(command.stderr).toContain(
      `kindred: Port ${port} on 127.0.0.1 cannot be used (EADDRINUSE): stop what uses it, or set SVC_PORT to another.`,
    );
    expect(existsSync(join(fresh, 'postgres'))).toBe(false);
    expect(existsSync(join(fresh, 'service.lock'))).toBe(false);
  });

  it('of one role ends, though a RabbitMQ that does not answer is tried again and again', async () => {
    const nowhere = { SVC_DB_URL: 'postgresql://127.0.0.1:1/none', SVC_AMQP_URL: 'amqp://127.0.0.1:1/' };
    const { port } = other?.address() as { port: number };
    const deaf = serve(['http', '--port', String(port)], nowhere);
    const wrong = serve(['worker', '--queues', 'svc.nope'], nowhere);
    expect(await deaf.ended).toBe(1);
    expect(deaf.stderr).toContain('EADDRINUSE');
    expect(await wrong.ended).toBe(64);
    expect(wrong.stderr).toMatch(/No such queue: svc.nope. There are: svc.ping,/);
  });

  it('says that the data folder cannot be used, and what to do', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const command = serve(['start'], { SVC_DATA_DIR: join(file, 'data') });
    expect(await command.ended).toBe(1);
    expect(command.stderr).toMatch(
      /^kindred: The data folder .*a-file\/data cannot be used: ENOTDIR.* Choose another SVC_DATA_DIR, or become its owner\.\n$/,
    );
  });

  it('says so of a folder that belongs to someone else', async ({ skip }) => {
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o555 });
    // Root may write anywhere, so it tries as nobody, who must be able to reach the checkout.
    const uid = process.getuid?.() === 0 ? 65534 : undefined;
    await chmod(folder, 0o755);
    const command = serve(['start'], { SVC_DATA_DIR: closed }, uid);
    await command.ended;
    if (uid !== undefined && /Cannot find (module|package)/.test(command.stderr))
      skip('the user nobody cannot reach this checkout');
    expect(await command.ended).toBe(1);
    expect(command.stderr).toMatch(/closed cannot be used: EACCES.* become its owner/);
  });
});
