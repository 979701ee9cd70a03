// The conditions of .ci/suites/environments. Each one is made, and then the service starts (or says in one sentence why not), answers,
// and ends without a trace.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { build, buildWeb } from '../../tools/build.mjs';
import {
  behind,
  requireAddresses,
  requireAdvice,
  requireEarlyRefusals,
  requirePages,
  requireRefusalsOfLimits,
  requireStream,
  settingsBehind,
  smallLimits,
} from './environments-proxies.mjs';
import { record } from './environments-record.mjs';
import { freePort } from './free-port.mjs';
import { copyCheckout, Refused, run, World } from './environments-world.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    interruptions: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'environments-'));
// The folder is open to others, because servers that a start by root runs as another user go through it.
chmodSync(folder, 0o755);
const shared = join(folder, 'clone');
const loaded = join(folder, 'loaded');
let number = 0;
/** The administrator of the data folder that the conditions start with. */
let administrator;
const fresh = () => join(folder, `data-${(number += 1)}`);

/** Makes the data that the conditions start with. @returns their administrator */
async function makeExamples() {
  const said = await run(['node', 'tools/example-world.mjs', loaded]);
  const [email, password] = said.trim().split('\n').at(-1).split(' ');
  return { email, password };
}
/** Makes a data folder with the example set, as an earlier service left it. */
async function withExamples(dataDir = fresh(), owner) {
  await run(['cp', '--archive', loaded, dataDir]);
  if (owner) await run(['chown', '--recursive', owner, dataDir]);
  return dataDir;
}
/** Checks that the service starts, answers, stops by Ctrl-C, and leaves nothing. */
async function works(world, { also = async () => {}, answers = () => world.annotate() } = {}) {
  world.start();
  await world.ready();
  await answers();
  await also(world);
  world.signal('SIGINT');
  await leavesNothing(world);
}
async function leavesNothing(world) {
  const seconds = await world.gone();
  await world.end();
  const left = world.leftovers();
  if (left.length > 0) throw new Error(`left: ${left.join(', ')}`);
  return seconds;
}
const refusal = 'says in one sentence what to change';
/** Expects the service to end by itself with a sentence. */
async function refuses(world, words, ...args) {
  world.start(...args);
  await world.ready().then(
    () => Promise.reject(new Error('it started')),
    (error) => {
      if (!(error instanceof Refused)) throw error;
    },
  );
  if (!words.test(world.output)) throw new Error(`it does not say ${words}, but:\n${world.output}`);
  await leavesNothing(world);
  return refusal;
}

/** Checks a service with the settings for a place, while `use` reaches it by a proxy at the place (`kind`, `basePath`). */
async function worksBehind(given, use, { env = settingsBehind, ...options } = {}) {
  const place = { basePath: '', folder: fresh(), port: await freePort(), ...given };
  const world = new World(shared, await withExamples(), { env: env(place) });
  let said = '';
  await works(world, {
    ...options,
    async also() {
      const api = new URL(/Kindred is ready: +(http\S+)/.exec(world.output)[1]).port;
      const { apiKey: key } = JSON.parse(readFileSync(join(world.dataDir, 'local-credential.json'), 'utf8'));
      said = await behind({ ...place, api, key }, (there) => use(there, world));
    },
  });
  return said;
}
async function worksAtRoot(kind) {
  const said = await worksBehind({ kind }, async (place, world) => {
    await usesAll(place, world);
    return requireEarlyRefusals(place);
  });
  const env = (place) => ({ ...settingsBehind(place), ...smallLimits });
  // The service takes no upload with these limits, so it is not asked for an answer.
  const answers = () => {};
  return `${said}, ${await worksBehind({ kind }, requireRefusalsOfLimits, { env, answers })}`;
}
async function usesAll(place, world) {
  const worker = world.processes().find((line) => /main\.js worker/.test(line));
  await requireStream(place, Number.parseInt(worker, 10));
  await requireAddresses(place);
  await requirePages(place, administrator);
}
/** Checks the advice of a service that does not know of the path: it says what to set. */
async function advisesBelow(place) {
  const env = () => ({ SVC_ALLOWED_HOSTS: 'lab.example' });
  await worksBehind({ basePath: '/kindred', isUnknown: true, ...place }, requireAdvice, { env });
}

const asUser = ['runuser', '-u', 'daemon', '--'];
const mounted = (size, path, options = '') => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${size}${options} tmpfs '${path}' && exec "$@"`,
  'sh',
];
const readOnly = (path) => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind '${path}' '${path}' && mount -o remount,bind,ro '${path}' && exec "$@"`,
  'sh',
];
/** Makes a control group with this much memory, of version 1 or 2. */
function memoryGroup(bytes) {
  const root = '/sys/fs/cgroup';
  const isFirst = existsSync(`${root}/memory`);
  const group = join(root, isFirst ? 'memory' : '', `kindred-${process.pid}`);
  mkdirSync(group);
  writeFileSync(join(group, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), bytes);
  return group;
}
const inGroup = (group) => ['sh', '-c', `echo $$ >'${group}/cgroup.procs' && exec "$@"`, 'sh'];
const longName = `${'long'.repeat(30)}`;
const deadProxy = 'http://127.0.0.1:9';

const conditions = {
  'root, umask 022': () => works(new World(shared, fresh())),
  'root, umask 077, a clone made with it': async () => {
    const clone = join(folder, 'closed');
    await copyCheckout(clone);
    await run(['find', clone, '-type', 'd', '-exec', 'chmod', '700', '{}', '+']);
    await works(new World(clone, await withExamples(), { umask: '077' }));
    await works(new World(clone, await withExamples()));
  },
  'root, umask 000: the data stay private': async () => {
    const world = new World(shared, fresh(), { umask: '000' });
    await works(world, {
      async also() {
        const open = world.open();
        if (open.length > 0) throw new Error(`others may use ${open.join(', ')}`);
      },
    });
  },
  'an ordinary user, umask 077, a clone that belongs to root': async () => {
    const dataDir = await withExamples(fresh(), 'daemon');
    mkdirSync(`${dataDir}-tmp`);
    chmodSync(`${dataDir}-tmp`, 0o1777);
    await works(new World(shared, dataDir, { wrap: asUser, umask: '077', env: { HOME: '/nonexistent' } }));
  },
  'a data folder with an odd and long name': async () => {
    const parent = join(folder, longName, 'ä \'"$`\\;#%?', longName);
    mkdirSync(parent, { recursive: true });
    await works(new World(shared, await withExamples(join(parent, 'data'))));
  },
  'a clone with an odd and long name': async () => {
    const clone = join(folder, longName, "ü ';#%?", 'clone');
    await copyCheckout(clone);
    await works(new World(clone, await withExamples()));
  },
  'a clone with a name that PostgreSQL cannot use': async () => {
    const clone = join(folder, 'a"$b');
    await copyCheckout(clone);
    return refuses(new World(clone, fresh()), /PostgreSQL cannot run from .* Rename it/);
  },
  'a clone with a name that Node cannot use': async () => {
    const clone = join(folder, 'a\\b');
    await copyCheckout(clone);
    return refuses(
      new World(clone, fresh()),
      /^Node\.js cannot load programs from a folder with a backslash/m,
    );
  },
  'symbolic links': async () => {
    const dataDir = await withExamples();
    for (const [target, name] of [
      [shared, 'linked'],
      [dataDir, 'linked-data'],
    ])
      symlinkSync(target, join(folder, name));
    await works(new World(join(folder, 'linked'), join(folder, 'linked-data')));
  },
  'variables that programs read': async () => {
    const env = {
      NODE_ENV: 'production',
      npm_config_omit: 'dev',
      TZ: 'Asia/Kathmandu',
      LANG: 'tr_TR.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      TERM: 'dumb',
      CI: '1',
      HOME: undefined,
      NODE_OPTIONS: '--max-old-space-size=300',
    };
    await works(new World(shared, await withExamples(), { env }));
  },
  'a proxy that does not answer': async () => {
    const env = Object.fromEntries(
      ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => [
        name,
        deadProxy,
      ]),
    );
    await works(new World(shared, await withExamples(), { env: { ...env, NODE_USE_ENV_PROXY: '1' } }));
  },
  ...Object.fromEntries(
    ['1', '64'].map((size) => [
      `/dev/shm of ${size} MB`,
      async () => works(new World(shared, await withExamples(), { wrap: mounted(`${size}m`, '/dev/shm') })),
    ]),
  ),
  '1 GB of memory': async () => {
    const group = memoryGroup('1073741824');
    try {
      await works(new World(shared, fresh(), { wrap: inGroup(group) }));
    } finally {
      rmdirSync(group);
    }
  },
  'data on a disk of 100 MB, which fills up': async () => {
    const dataDir = fresh();
    mkdirSync(dataDir);
    const world = new World(shared, dataDir, { wrap: mounted('100m', dataDir) });
    world.start();
    // The database server goes on with a full disk, unless it needed a file of its own just then.
    const [said] = await world.until(/(not loaded: .* )?The disk is full: free space/);
    if (said.startsWith('not loaded')) await world.ready();
    world.signal('SIGINT');
    await leavesNothing(world);
    return refusal;
  },
  'a clone that cannot be written': async () => {
    await works(new World(shared, await withExamples(), { wrap: readOnly(shared) }));
  },
  'a folder for temporary files of 1 MB, without exec': async () => {
    const dataDir = await withExamples();
    mkdirSync(`${dataDir}-tmp`);
    await works(new World(shared, dataDir, { wrap: mounted('1m', `${dataDir}-tmp`, ',noexec') }));
  },
  '512 open files': () =>
    withExamples().then((dataDir) =>
      works(new World(shared, dataDir, { wrap: ['prlimit', '--nofile=512:512'] })),
    ),
  'a port that is taken': async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address();
    return refuses(
      new World(shared, fresh()),
      /Port \d+ on 127\.0\.0\.1 cannot be used/,
      '--port',
      String(port),
    ).finally(() => server.close());
  },
  'a port that does not exist': () =>
    refuses(new World(shared, fresh()), /--port.*0 to 65535|port.*65535/i, '--port', '65536'),
  'a second start of the same data folder': async () => {
    const dataDir = await withExamples();
    const second = new World(shared, dataDir, { temporary: `${dataDir}-second` });
    await works(new World(shared, dataDir), {
      async also() {
        second.start();
        await second.end();
        if (second.code !== 0 || !/Kindred runs already/.test(second.output)) throw new Error(second.output);
      },
    });
  },
  'a command in a folder without data': async () => {
    const world = new World(shared, await withExamples());
    const elsewhere = fresh();
    mkdirSync(elsewhere);
    await works(world, {
      async also() {
        await world.annotate({ cwd: elsewhere, env: { SVC_DATA_DIR: undefined } });
        if (existsSync(join(elsewhere, 'data'))) throw new Error('it made data there');
      },
    });
  },
  ...Object.fromEntries(
    ['nginx', 'caddy'].flatMap((kind) => [
      [`behind ${kind}`, () => worksAtRoot(kind)],
      [`behind ${kind}, below a path`, () => worksBehind({ kind, basePath: '/tools/kindred' }, usesAll)],
    ]),
  ),
  'behind nginx, below a path that it takes away': () =>
    worksBehind({ kind: 'nginx', basePath: '/kindred', takesAway: true }, usesAll),
  'behind nginx, below a path that the service does not know of': async () => {
    await advisesBelow({ kind: 'nginx', isLost: true });
    await advisesBelow({ kind: 'nginx', takesAway: true });
  },
  'data that move after everything was killed': async () => {
    const world = new World(shared, await withExamples());
    world.start();
    await world.ready();
    for (const line of world.processes()) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await world.gone();
    const moved = fresh();
    renameSync(world.dataDir, moved);
    await works(new World(shared, moved));
  },
  'SIGHUP and SIGTERM to all processes of the group': async () => {
    const world = new World(shared, await withExamples());
    for (const signal of ['SIGHUP', 'SIGTERM']) {
      world.start();
      await world.ready();
      world.signal(signal);
      await leavesNothing(world);
      if (!/Stopped\./.test(world.output)) throw new Error(`${signal}: ${world.output}`);
    }
  },
  ...Object.fromEntries(
    ['pnpm@10', 'yarn@1'].map((installer) => [
      `a fresh clone where ${installer.split('@')[0]} was used by mistake`,
      async () => {
        const clone = join(folder, installer);
        await copyCheckout(clone, { whole: false });
        const said = await run(['npx', '--yes', installer, 'install'], { cwd: clone }).then(
          () => 'it installed',
          (error) => error.message,
        );
        if (!said.includes('use npm')) throw new Error(said);
        await works(new World(clone, await withExamples()));
      },
    ]),
  ),
  'a fresh clone whose npm leaves out packages and scripts, interrupted while it installs and while it builds':
    async () => {
      const clone = join(folder, 'fresh');
      await copyCheckout(clone, { whole: false });
      rmSync(join(clone, '.npmrc'));
      writeFileSync(join(clone, '.npmrc'), 'omit=dev\nignore-scripts=true\n');
      const world = new World(clone, fresh(), { env: { NODE_ENV: 'production' } });
      world.start();
      await world.until(/Installing the packages/);
      await sleep(5000 * random());
      world.signal('SIGINT');
      await leavesNothing(world);
      world.start();
      // The folder shows that the compiler has begun.
      while (!existsSync(join(clone, 'packages/contracts/dist')) && world.code === null) await sleep(50);
      world.signal('SIGTERM');
      await leavesNothing(world);
      await works(world);
    },
};

/** The random numbers have a seed, so that a failure can be repeated. */
let state = Number(values.seed) >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
const choose = (list) => list[Math.floor(random() * list.length)];

/** Interrupts a start at a random moment, from its first millisecond to a while after it is ready. The next start must succeed. */
async function interruption(at) {
  // Every third start is on an empty folder and loads the example set, which takes longer.
  const dataDir = at % 3 === 0 ? fresh() : await withExamples();
  const [signal, target] = [choose(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']), choose(['top', 'group'])];
  const afterMs = Math.floor(random() * (at % 3 === 0 ? 40_000 : 12_000));
  const what = `${signal} to the ${target} after ${afterMs} ms`;
  const world = new World(shared, dataDir);
  try {
    world.start();
    await sleep(afterMs);
    const was = /Kindred is ready/.test(world.output) ? 'ready' : 'starting';
    world.signal(signal, target);
    const seconds = await world.gone();
    const left = world.leftovers();
    if (left.length > 0) throw new Error(`left: ${left.join(', ')}`);
    const before = Date.now();
    world.start();
    await world.ready();
    const next = (Date.now() - before) / 1000;
    await world.annotate();
    world.signal('SIGINT');
    await leavesNothing(world);
    return `${what} (${was}): gone in ${seconds.toFixed(1)} s, the next start ready in ${next.toFixed(1)} s`;
  } catch (error) {
    throw new Error(`${what}: ${error.message}`);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const counts = { passed: 0, failed: 0 };
async function check(name, work, { isCondition = true } = {}) {
  const started = Date.now();
  try {
    const said = await work();
    counts.passed += 1;
    if (isCondition) record(name, true, { said: said === refusal ? said : undefined });
    console.log(
      `ok      ${name} (${((Date.now() - started) / 1000).toFixed(0)} s)${said ? `: ${said}` : ''}`,
    );
  } catch (error) {
    counts.failed += 1;
    if (isCondition) record(name, false);
    console.log(`FAILED  ${name}: ${error.stack}`);
    if (process.env.KINDRED_FAILURES)
      appendFileSync(
        process.env.KINDRED_FAILURES,
        `FAILED: environments: ${name}: ${error.message.slice(0, 600)}\n`,
      );
  } finally {
    await World.killAll();
  }
}

try {
  // The checkout is built here, once, so that no copy builds.
  if (!(await build(process.cwd())) || !(await buildWeb(process.cwd()))) throw new Error('the build failed');
  await copyCheckout(shared);
  administrator = await makeExamples();
  const interruptions = Number(values.interruptions);
  const chosen = Object.entries(conditions).filter(
    ([name]) => interruptions === 0 && name.includes(values.only),
  );
  for (const [name, work] of chosen) await check(name, work);
  const failedBefore = counts.failed;
  for (let at = 1; at <= interruptions; at += 1)
    await check(`npm start, interrupted ${at}`, () => interruption(at), { isCondition: false });
  if (interruptions >= 20)
    record('npm start, ended at 20 random moments and started again', counts.failed === failedBefore);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (process.env.KINDRED_COUNTS)
  appendFileSync(process.env.KINDRED_COUNTS, `${counts.passed} ${counts.failed} 0\n`);
console.log(`environments: ${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
