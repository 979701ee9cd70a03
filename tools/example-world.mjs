// Makes the data folder of a service that has loaded its example set and answered its sample, for tests and suites of other things: node
// tools/example-world.mjs [FOLDER]. The folder is made once for each state of the build, and kept in node_modules. FOLDER becomes a copy,
// which a service may use. The output is the place of the kept folder, then the e-mail address and the password of its administrator. A
// build is needed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const server = join(root, 'apps', 'server');
const program = join(server, 'dist', 'main.js');
const cache = join(root, 'node_modules', '.cache', 'kindred');
/** The sources that load the example set and embed it; they import all the rest. */
const loaders = [
  'first-start.js',
  'load-ontology-snapshot.js',
  'load-taxonomy.js',
  'load-reference-proteins.js',
  'load-reference-annotations.js',
  'build-reference.js',
  'measure-reference.js',
  'compute-embeddings.js',
  'compute-embeddings-batch.js',
  'ensure-reference-bank.js',
];
const loadingPlugins = ['source-goa', 'backend-kmer'];

/** Lists the built modules that make the world, the migrations, and the files of the example set. */
function ingredients() {
  const built = filesBelow(join(server, 'dist'));
  const named = (name) =>
    built.find((path) => basename(path) === name) ??
    fail(`the build has no ${name}: name its successor in ${fileURLToPath(import.meta.url)}`);
  const entries = loaders.map(named);
  for (const name of loadingPlugins)
    entries.push(...filesBelow(join(root, 'plugins', name, 'dist')).filter((path) => path.endsWith('.js')));
  const migrations = filesBelow(join(server, 'src')).filter((path) =>
    /[\\/]migrations[\\/][^\\/]+\.sql$/.test(path),
  );
  const examples = readdirSync(join(root, 'examples')).filter((name) => /\.(gz|fasta|obo)$/.test(name));
  if (migrations.length === 0) fail('no migrations were found');
  return [
    ...withImports(entries),
    ...migrations,
    ...examples.map((name) => join(root, 'examples', name)),
  ].sort();
}

function withImports(entries) {
  const found = new Set(entries);
  for (const path of found)
    for (const [, name] of readFileSync(path, 'utf8').matchAll(
      /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g,
    )) {
      const target = name.startsWith('.') ? resolve(dirname(path), name) : ownModule(name);
      if (target !== null && existsSync(target)) found.add(target);
    }
  return found;
}

/** Returns the file of a module such as `@kindred/kernels/ontology`, as its package exports it; null for a package of others. */
function ownModule(name) {
  const [, owner, entry] = /^(@kindred\/[^/]+)(.*)$/.exec(name) ?? [];
  if (owner === undefined) return null;
  const folder = join(root, 'node_modules', owner);
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const target = exports[`.${entry}`] ?? exports['./*'];
  return target === undefined ? null : join(folder, (target.default ?? target).replace('*', entry.slice(1)));
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Starts the service on an empty folder, and stops it when it has nothing left to do. */
async function make(folder) {
  mkdirSync(folder, { recursive: true });
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  const child = spawn(process.execPath, [program, 'serve', '--port', '0'], {
    env: { ...env, SVC_DATA_DIR: join(folder, 'data'), SVC_LOAD_EXAMPLES: 'small' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  const ended = new Promise((done) => child.once('exit', done));
  const url = await Promise.race([
    new Promise((done) => child.once('message', ({ ready }) => done(ready))),
    ended.then(() => fail(`the service ended before it was ready:\n${said}`)),
  ]);
  try {
    await untilIdle(
      url,
      JSON.parse(readFileSync(join(folder, 'data', 'local-credential.json'), 'utf8')).apiKey,
    );
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
  const [, email, password] =
    /^Administrator: *(\S+) *password: *(\S+)/m.exec(said) ?? fail(`no administrator:\n${said}`);
  writeFileSync(join(folder, 'administrator'), `${email} ${password}\n`);
}

/** Lets one process work at a time; the others wait. */
async function alone(work) {
  const lock = join(cache, 'lock');
  mkdirSync(cache, { recursive: true });
  while (!takes(lock)) await sleep(200);
  try {
    await work();
  } finally {
    rmSync(lock);
  }
}

function takes(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
  } catch (error) {
    // The code means that the process of the lock was killed.
    if (error.code === 'ESRCH') rmSync(lock, { force: true });
  }
  return false;
}

async function untilIdle(url, apiKey) {
  for (;;) {
    const reply = await fetch(`${url}/v1/jobs`, { headers: { authorization: `ApiKey ${apiKey}` } });
    const jobs = reply.ok
      ? await reply.json()
      : fail(`the list of jobs: ${reply.status} ${await reply.text()}`);
    if (jobs.some(({ status }) => status === 'FAILED')) fail(`a job failed: ${JSON.stringify(jobs)}`);
    if (jobs.length > 0 && jobs.every(({ status }) => status === 'SUCCEEDED')) return;
    await sleep(200);
  }
}

function fail(why) {
  throw new Error(`The example world cannot be made: ${why}`);
}

if (!existsSync(program)) fail(`${program} is missing: run npm run build first`);
const hash = createHash('sha256');
for (const path of ingredients()) hash.update(relative(root, path)).update(readFileSync(path));
const kept = join(cache, `examples-${hash.digest('hex').slice(0, 16)}`);
await alone(async () => {
  if (existsSync(kept)) return;
  const own = join(cache, 'making');
  rmSync(own, { recursive: true, force: true });
  await make(own);
  for (const name of readdirSync(cache))
    if (name.startsWith('examples-')) rmSync(join(cache, name), { recursive: true });
  renameSync(own, kept);
});
const [, , folder] = process.argv;
if (folder !== undefined) {
  // The copy keeps owners, because files of PostgreSQL belong to another user if root started it.
  const copied = spawnSync('cp', ['-a', join(kept, 'data'), folder], { stdio: 'inherit' });
  if (copied.status !== 0) fail(`it could not be copied to ${folder}`);
}
process.stdout.write(`${kept}\n${readFileSync(join(kept, 'administrator'), 'utf8')}`);
