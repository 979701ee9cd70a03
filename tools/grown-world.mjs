// Makes the data folder of a service that has been in use for long: node tools/grown-world.mjs [--full] [--runs N] [--proteins N]. It has
// annotation sets of three organisms and one with the size of Swiss-Prot, users with keys, an evaluation, a dataset, webhooks, jobs that
// were cancelled or failed, and thousands of runs by every method. A service makes one of each through its API; the others are copies of
// its rows (`grown-rows.mjs`). The folder is made once for each state of the build, and kept in node_modules. The script prints its
// place, and needs a build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startService } from '../benchmarks/service.mjs';
import { growOrganisms } from './grown-organisms.mjs';
import { growRows } from './grown-rows.mjs';
import { growThroughApi, unlimitedRates } from './grown-work.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cache = join(root, 'node_modules', '.cache', 'kindred');
const text = { type: 'string' };
const { values } = parseArgs({
  options: { full: { type: 'boolean', default: false }, runs: text, proteins: text },
});
const { full } = values;
/** The size of the world: the proteins are those of Swiss-Prot 2014_01 in number, because reports compare with all of them. */
const size = {
  runs: Number(values.runs ?? (full ? 10_000 : 1500)),
  proteins: Number(values.proteins ?? 516_371),
};
for (const [name, value] of Object.entries(size))
  if (!Number.isInteger(value) || value < 10 || value > 1_000_000) {
    console.error(`--${name} takes a whole number from 10 to 1000000.`);
    process.exit(64);
  }

/** The settings of the world: high limits, because low ones would answer before the routes do, and addresses that the world names. */
const settingsOfWorld = {
  ...unlimitedRates,
  SVC_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9',
};

function example(folder) {
  const script = join(root, 'tools', 'example-world.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const [, administrator] = stdout.split('\n');
  return administrator.split(' ');
}

async function make(folder) {
  mkdirSync(folder, { recursive: true });
  const dataDir = join(folder, 'data');
  const imports = join(folder, 'imports');
  mkdirSync(imports);
  const [email, password] = example(dataDir);
  growOrganisms(imports);
  const service = await startService(dataDir, imports, settingsOfWorld);
  let facts;
  try {
    facts = await growThroughApi(service.url, { imports, email, password });
  } finally {
    await service.stop();
  }
  const rows = await growRows(dataDir, size);
  writeFileSync(join(folder, 'world.json'), JSON.stringify({ size, ...facts, ...rows }, null, 1));
}

function stateOfBuild() {
  const hash = createHash('sha256').update(JSON.stringify(size));
  const add = (folder, wanted) => {
    for (const name of readdirSync(folder, { recursive: true }).map(String).sort())
      if (wanted.test(name)) hash.update(name).update(readFileSync(join(folder, name)));
  };
  add(join(root, 'tools'), /^grown-.*\.mjs$/);
  for (const folder of ['apps/server', 'packages/kernels', 'packages/contracts'])
    add(join(root, folder, 'dist'), /\.js$/);
  add(join(root, 'apps/server/src/store/migrations'), /\.sql$/);
  return hash.digest('hex').slice(0, 16);
}

const kept = join(cache, `grown-${stateOfBuild()}`);
// The folder stays where it is made, because its rows name files in it; world.json is written last.
if (!existsSync(join(kept, 'world.json'))) {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache))
    if (name.startsWith('grown-')) rmSync(join(cache, name), { recursive: true });
  await make(kept);
}
console.log(kept);
