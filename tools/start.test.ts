import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience } from '@kindred/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isInstalled } from './install.mjs';

/** The root of a checkout with the real tools, and stand-ins for npm, the build of the addon, the bundler and the service. */
let root: string;
let output = '';
const started: ChildProcess[] = [];

beforeEach(() => {
  output = '';
  root = mkdtempSync(join(tmpdir(), 'start-'));
  for (const folder of [
    'tools',
    'pids',
    'apps/web',
    'apps/server/dist',
    'packages/native/src',
    'packages/native/tools',
  ])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of ['start', 'install', 'build', 'alone', 'ending'])
    cpSync(join(import.meta.dirname, `${name}.mjs`), join(root, 'tools', `${name}.mjs`));
  cpSync(join(import.meta.dirname, 'start.cjs'), join(root, 'tools', 'start.cjs'));
  const scripts = {
    start: JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')).scripts.start,
  };
  write(
    'package.json',
    JSON.stringify({ name: 'stand-in', version: '1.0.0', engines: { node: '>=20.0.0' }, scripts }),
  );
  write('package-lock.json', JSON.stringify({ packages: locked }));
  write('npm-cli.js', standIns.npm);
  write('tsconfig.json', JSON.stringify({ references: [{ path: 'packages/native' }] }));
  write('packages/native/src/index.ts', '');
  write('packages/native/tools/build-native.mjs', standIns.addon);
  write('apps/server/dist/main.js', standIns.service);
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      killGroup(child, 'SIGKILL');
      await once(child, 'exit');
    }
  }
  await allGone();
  rmSync(root, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFileSync(join(root, name), text);
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const there = (name: string) => existsSync(join(root, name));

const locked = {
  '': {},
  'apps/server': {},
  'node_modules/vite': { version: '1.0.0', integrity: 'a' },
  'node_modules/elsewhere': { version: '1.0.0', integrity: 'b', optional: true },
  'node_modules/vitest': { version: '1.0.0', integrity: 'c', dev: true },
};
const forService = { 'node_modules/vite': locked['node_modules/vite'] };
const everything = { ...forService, 'node_modules/vitest': locked['node_modules/vitest'] };

/**
 * Returns the start of a stand-in, which leaves its process id in pids/. A stand-in for the named stage stays until something ends it, as
 * does a process of its own.
 */
const preamble = (stage: string) => `
const { appendFileSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { spawn } = require('node:child_process');
writeFileSync('pids/' + process.pid, '${stage}');
const stay = () => {
  const inner = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync('pids/' + inner.pid, 'of ${stage}');
  writeFileSync('at-${stage}', '');
  setInterval(() => {}, 1000);
};
`;
const built = (stage: string) => `${preamble(stage)}
if (process.env.STAGE === '${stage}') stay();
`;
const standIns = {
  npm: `${preamble('install')}
appendFileSync('npm-calls', JSON.stringify(process.argv.slice(2)) + '\\n');
if (process.env.STAGE === 'install') stay();
else if (process.env.FAULT) { console.error('npm error code ' + process.env.FAULT); process.exitCode = 1; }
else {
  for (const folder of ['rolldown', 'vite/bin']) mkdirSync('node_modules/' + folder, { recursive: true });
  writeFileSync('node_modules/rolldown/package.json', JSON.stringify({ exports: { './utils': './utils.mjs' } }));
  writeFileSync('node_modules/rolldown/utils.mjs', 'export const transformSync = (file, code) => ({ code, errors: [] });');
  writeFileSync('node_modules/vite/bin/vite.js', ${JSON.stringify(`${built('bundle').replaceAll("'pids/'", "'../../pids/'").replaceAll("'at-", "'../../at-")}
const folder = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/index.html', 'whole');
`)});
  const asked = process.argv.includes('--omit=dev') ? ${JSON.stringify(forService)} : ${JSON.stringify(everything)};
  const left = process.env.OMIT ? {} : asked;
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: left }));
}
`,
  addon: built('addon').replace(/require\(('.*?')\)/g, 'process.getBuiltinModule($1)'),
  service: `${preamble('serve')}
rmSync('at-end', { force: true });
const end = (why) => { appendFileSync('ends', why + '\\n'); process.exit(0); };
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => end(name));
process.on('disconnect', () => end('disconnect'));
writeFileSync('arguments', process.argv.slice(2).join(' '));
writeFileSync('at-serve', '');
`,
};

function start(env: NodeJS.ProcessEnv = {}, command = [process.execPath, 'tools/start.cjs']): ChildProcess {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const child = spawn(command[0], command.slice(1), {
    cwd: root,
    detached: true,
    env: { ...clean, npm_execpath: join(root, 'npm-cli.js'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text));
  started.push(child);
  return child;
}

async function reached(stage: string): Promise<void> {
  await vi.waitUntil(() => there(`at-${stage}`), patience);
}

const exists = (pid: number) => {
  try {
    process.kill(pid, 0);
    // A zombie does not count, because its parent may never collect it.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const living = () => readdirSync(join(root, 'pids')).map(Number).filter(exists);
const allGone = () => vi.waitUntil(() => living().length === 0, patience);

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), signal);
  } catch {
    // The error is ignored, because the process ended meanwhile.
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL'] as const;

describe('npm start that is ended', () => {
  const cases = (['install', 'addon', 'bundle', 'serve'] as const).flatMap((stage) =>
    signals.flatMap((signal) => (['top', 'group'] as const).map((target) => ({ stage, signal, target }))),
  );
  it.each(cases)('during $stage by $signal to the $target leaves nothing running', async (one) => {
    const child = start({ STAGE: one.stage });
    await reached(one.stage);
    const end = once(child, 'exit');
    if (one.target === 'top') child.kill(one.signal);
    else killGroup(child, one.signal);
    await end;
    await allGone();
    // A killed process cannot remove its lock, which the next start takes over.
    if (one.signal !== 'SIGKILL') expect(there('.kindred/build.lock')).toBe(false);
    if (one.stage === 'serve') return expect(read('ends')).toMatch(/^(SIG\w+|disconnect)\n$/);
    rmSync(join(root, `at-${one.stage}`));
    start();
    await reached('serve');
    expect(read('apps/web/dist/index.html')).toBe('whole');
  });

  it('by SIGKILL of npm stops the service, too', async () => {
    start();
    await reached('serve');
    const first = started.at(-1) as ChildProcess;
    first.kill('SIGTERM');
    await once(first, 'exit');
    for (const name of ['at-serve', 'ends']) rmSync(join(root, name));
    const npm = start({}, ['npm', 'start', '--', '--port', '0']);
    await reached('serve');
    expect(read('arguments')).toBe('start --in-front --port 0');
    npm.kill('SIGKILL');
    await allGone();
    expect(read('ends')).toBe('SIGTERM\n');
  });

  it('without a chance to clean up does not hold up the next one when its id is that of another process', async () => {
    mkdirSync(join(root, '.kindred'), { recursive: true });
    write('.kindred/build.lock', JSON.stringify({ pid: 1, start: 'before a power loss' }));
    start();
    await reached('serve');
  });

  it('does not disturb a second one, which waits for the first', async () => {
    start({ STAGE: 'install' });
    await reached('install');
    const second = start();
    await vi.waitUntil(() => /Process \d+ installs or builds in this folder; waiting/.test(output), patience);
    expect(read('npm-calls').split('\n')).toHaveLength(2);
    (started[0] as ChildProcess).kill('SIGINT');
    await reached('serve');
    expect(read('npm-calls').split('\n')).toHaveLength(3);
    second.kill('SIGINT');
  });
});

describe('a start that cannot succeed', () => {
  it('says which Node it needs', async () => {
    write('package.json', JSON.stringify({ engines: { node: '>=99.1.0' } }));
    const [code] = await once(start(), 'close');
    expect([code, output]).toEqual([
      1,
      `Kindred needs Node 99.1.0 or later; this is ${process.versions.node}.\n`,
    ]);
  });

  it('says that the name of the folder is one that Node cannot use', async () => {
    mkdirSync(join(root, 'a\\b', 'tools'), { recursive: true });
    cpSync(join(import.meta.dirname, 'start.cjs'), join(root, 'a\\b', 'tools', 'start.cjs'));
    const [code] = await once(start({}, [process.execPath, 'a\\b/tools/start.cjs']), 'close');
    expect(code).toBe(1);
    expect(output).toMatch(
      /^Node\.js cannot load programs from a folder with a backslash.*rename or move .*a\\b\.$/m,
    );
  });
});

describe('the packages', () => {
  it('that the service needs are asked for, whatever the configuration leaves out, and their sizes are said', async () => {
    start({ NODE_ENV: 'production', npm_config_omit: 'optional' });
    await reached('serve');
    expect(JSON.parse(read('npm-calls'))).toEqual(
      expect.arrayContaining(['ci', '--omit=dev', '--include=optional', '--package-lock=true']),
    );
    expect(output).toMatch(/^Installing the packages that build and run the service \(once; about \d+ MB/m);
  });

  const install = async (wanted: 'service' | 'everything') => {
    const program = `import('./tools/install.mjs').then((it) => it.installDependencies(process.cwd(), '${wanted}'))`;
    await once(start({ npm_config_omit: 'dev' }, [process.execPath, '-e', program]), 'close');
  };

  it('for development come when they are wanted, and stay when the lock file changes', async () => {
    await install('service');
    await install('service');
    expect(read('npm-calls').split('\n')).toHaveLength(2);
    expect(isInstalled(root, 'everything')).toBe(false);
    await install('everything');
    expect(isInstalled(root, 'everything')).toBe(true);
    expect(output).toMatch(/^Installing all packages, with those that check and test/m);
    const changed = { ...locked['node_modules/vite'], version: '1.1.0' };
    write('package-lock.json', JSON.stringify({ packages: { ...locked, 'node_modules/vite': changed } }));
    await install('service');
    const calls = read('npm-calls').trim().split('\n');
    expect(calls.map((line) => /--(include|omit)=dev/.exec(line)?.[1])).toEqual([
      'omit',
      'include',
      'include',
    ]);
  });

  it.each([
    ['ENOTFOUND', /^npm ci failed; .*Check the network connection to the npm registry/m],
    ['ENOSPC', /^npm ci failed; .*The disk is full/m],
    ['EACCES', /^npm ci failed; .*The folder cannot be written/m],
    ['EINTEGRITY', /^npm ci failed; the lines above say why\. The next start tries again\.$/m],
  ])('that fail with %s are explained by that', async (fault, words) => {
    const [code] = await once(start({ FAULT: fault }), 'close');
    expect(code).toBe(1);
    expect(output).toMatch(words);
  });

  it('that npm left out in spite of that end the start', async () => {
    const [code] = await once(start({ OMIT: 'yes' }), 'close');
    expect(code).toBe(1);
    expect(output).toMatch(/npm ci left packages out .* `omit` in \.npmrc/);
  });

  it.each([
    ['all of them', everything, true, true],
    ['with one more, of another system', { ...everything, 'node_modules/x': {} }, true, true],
    ['without those for development', forService, true, false],
    [
      'without those of the service',
      { 'node_modules/vitest': everything['node_modules/vitest'] },
      false,
      false,
    ],
    ['with another version', { 'node_modules/vite': { version: '0.9.0', integrity: 'a' } }, false, false],
    ['with other bytes', { 'node_modules/vite': { version: '1.0.0', integrity: 'z' } }, false, false],
    ['without a record', null, false, false],
  ])('%s', (_, packages, starts, tests) => {
    mkdirSync(join(root, 'node_modules'));
    if (packages !== null) write('node_modules/.package-lock.json', JSON.stringify({ packages }));
    expect(isInstalled(root, 'service')).toBe(starts);
    expect(isInstalled(root, 'everything')).toBe(tests);
  });

  it('are installed again after an installation that was interrupted when some were removed', async () => {
    mkdirSync(join(root, 'node_modules'));
    write(
      'node_modules/.package-lock.json',
      JSON.stringify({ packages: { ...everything, 'node_modules/vite': {} } }),
    );
    const child = start({ STAGE: 'install' });
    await reached('install');
    expect(there('node_modules/.package-lock.json')).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isInstalled(root, 'service')).toBe(false);
  });
});
