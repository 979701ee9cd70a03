// Replaces a grown service of the last release process by process. Both versions read the same, and each does the work of the other.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { programFile } from '@kindred/server/ground/folders';
import { buildRelease, earlierReleases } from '@kindred/testkit/previous-release';
import { caller, settled, unlimitedRates, withKey } from '../../tools/grown-work.mjs';
import { freePort } from './free-port.mjs';
import { checkUpgraded, countsOfTables, goBack } from './grown-changes.mjs';
import { differences, expect, withDatabaseOf } from './grown-lib.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const patienceMs = 600_000;

/** Starts processes of both versions on one database. */
function processesOn(url, dataDir) {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  const env = {
    ...own,
    ...unlimitedRates,
    SVC_DB_URL: url,
    SVC_DATA_DIR: dataDir,
    SVC_JWT_SECRET: 'a secret of at least thirty-two bytes, for tests',
    SVC_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9',
  };
  const running = new Set();
  return {
    start(program, ...args) {
      const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.on('data', (text) => (said = (said + text).slice(-2000)));
      const ended = new Promise((done) => child.once('close', done));
      const one = { said: () => said, ended, end: () => (child.kill('SIGTERM'), ended) };
      running.add(one);
      void ended.then(() => running.delete(one));
      return one;
    },
    endAll: () => Promise.all([...running].map((one) => one.end())),
  };
}

/** Starts an API, waits until it answers, and adds a caller with the key. */
async function startApi(processes, program, key) {
  const port = await freePort();
  const api = processes.start(program, 'http', '--port', String(port));
  let end = null;
  void api.ended.then((code) => (end = code));
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + patienceMs; ; await sleep(500)) {
    if ((await fetch(`${url}/health/ready`).catch(() => null))?.ok) break;
    expect(end === null, `the API ended with ${end}: ${api.said()}`);
    expect(Date.now() < deadline, `the API does not answer: ${api.said()}`);
  }
  return { ...api, call: caller(url, withKey(key)) };
}

/** Returns what an API says of the newest set of each method, and of the catalogue. */
async function facts({ call }, sets) {
  const found = { proteins: JSON.stringify((await call('GET', '/proteins/stats')).body) };
  for (const { id, method } of sets) {
    const { body } = await call('GET', `/embeddings/prediction-sets/${id}/predictions-cafa.tsv`);
    found[`${method} ${id}`] = String(body).split('\n').sort().join('\n');
  }
  return found;
}

/** Annotates a sequence and waits for the end of both jobs. */
async function annotate({ call }, set) {
  const [, first] = readFileSync(join(root, 'examples', 'queries.fasta'), 'utf8').split('>');
  const form = new FormData();
  form.set('name', 'rolling');
  form.set('file', new Blob([`>${first}`]), 'query.fasta');
  const path = `/annotate?auto_predict=true&method=knn&annotation_set_id=${set}`;
  const { body: started } = await call('POST', path, form);
  await settled(call, started.predict_job_id);
}

export async function rolling(dataDir, world, folder) {
  const [release] = await earlierReleases();
  expect(release !== undefined, 'it needs the history with the last release');
  const old = await buildRelease(release, join(folder, 'release'));
  return withDatabaseOf(dataDir, async (db) => {
    const before = await countsOfTables(db);
    const names = await goBack(db, join(folder, 'migrations-of-release'));
    const { rows: sets } = await db.pool.query(
      `select distinct on (method) id, method from prediction_set where status = 'complete' order by method, created_at desc`,
    );
    const processes = processesOn(db.pool.options.connectionString, dataDir);
    try {
      await replace(processes, { old, sets, key: world.keys.ada.key, set: world.sets.human });
    } finally {
      await processes.endAll();
    }
    await checkUpgraded(db, names, before);
    return `from ${release.version}, sets of ${sets.length} methods`;
  });
}

async function replace(processes, { old, sets, key, set }) {
  const oldApi = await startApi(processes, old, key);
  const oldWorker = processes.start(old, 'worker');
  const said = await facts(oldApi, sets);
  const same = async (api, who) => {
    const differing = differences(said, await facts(api, sets));
    expect(differing.length === 0, `${who} gives others of ${differing}`);
  };
  const migrate = processes.start(programFile, 'migrate');
  expect((await migrate.ended) === 0, `migrate: ${migrate.said()}`);
  await same(oldApi, 'the old API on the new schema');
  const api = await startApi(processes, programFile, key);
  await same(api, 'the new API');
  await annotate(api, set);
  const worker = processes.start(programFile, 'worker');
  expect((await oldWorker.end()) === 0, `the old worker: ${oldWorker.said()}`);
  await annotate(oldApi, set);
  expect((await oldApi.end()) === 0, `the old API: ${oldApi.said()}`);
  await annotate(api, set);
  await same(api, 'the new API alone');
  for (const one of [worker, api]) expect((await one.end()) === 0, one.said());
}
