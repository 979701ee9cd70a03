// Checks the statements of the interface specification, one by one, against a service that has run every kind of work once: node
// .ci/suites/statements.mjs FOLDER. FOLDER gets the data of the service. The last line says how many statements there are.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startService } from '../../benchmarks/service.mjs';
import { growOrganisms } from '../../tools/grown-organisms.mjs';
import { growThroughApi, unlimitedRates } from '../../tools/grown-work.mjs';
import { coveredElsewhere } from './statements-covered.mjs';
import { ask, walk, world } from './statements-lib.mjs';
import './statements-routes.mjs';
import './statements-fields.mjs';
import './statements-jobs.mjs';
import './statements-catalogue.mjs';
import './statements-predictions.mjs';
import './statements-records.mjs';
import './statements-wire.mjs';
import './statements-accounts.mjs';
import './statements-limits.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: statements.mjs FOLDER');
  process.exit(64);
}
const dataDir = join(folder, 'data');
const imports = join(folder, 'imports');
const settings = {
  ...unlimitedRates,
  SVC_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:9',
  SVC_FETCH_ALLOWED_HOSTS: 'example.org',
};

function example() {
  const script = join(root, 'tools', 'example-world.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, dataDir], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const [email, password] = stdout.split('\n')[1].split(' ');
  return { email, password };
}

/** Makes the world on a service, or takes the world that an earlier run left in the folder. */
async function fill(url, administrator) {
  const noted = join(folder, 'statements.json');
  if (existsSync(noted)) return JSON.parse(readFileSync(noted, 'utf8'));
  const facts = await growThroughApi(url, { imports, ...administrator });
  writeFileSync(noted, JSON.stringify(facts));
  return facts;
}

/** Says whether a recipe needs nothing but distances. */
const isOfVectors = ({ weights }) =>
  Object.entries(weights).every(([name, weight]) => (name === 'embedding_similarity') === weight > 0);

async function idsOf(facts) {
  const [, knn] = facts.methods;
  const first = async (path, as) => (await ask('GET', path, { as })).body[0];
  const proteins = await ask('GET', `/embeddings/prediction-sets/${facts.rows.prediction_set[0]}/proteins`);
  const human = (await ask('GET', '/proteins?organism=Homo&limit=1')).body.items[0];
  return {
    job: facts.rows.job[0],
    query_set: facts.rows.query_set[0],
    own: facts.rows.prediction_set[0],
    experiment_run: facts.rows.experiment_run[0],
    knn: knn.id,
    accession: proteins.body.items[0].accession ?? proteins.body.items[0].protein_accession,
    human_accession: human.accession,
    cancelled: (await first('/jobs?status=CANCELLED', 'admin')).id,
    scoring: (await ask('GET', '/scoring/configs')).body.find(isOfVectors).id,
    ada: facts.keys.ada.id,
    snapshot: facts.ontology_snapshot_id,
    config: facts.embedding_config_id,
    evaluated: facts.evaluation.prediction_set_id,
    evaluation_set: facts.evaluation.evaluation_set_id,
    result: facts.evaluation.evaluation_result_id,
    ...facts.sets,
  };
}

async function prepare(service, administrator) {
  world.url = service.url.replace(/\/$/, '');
  world.file = (name) => pathToFileURL(join(imports, name)).href;
  world.secret = readFileSync(join(dataDir, 'jwt-secret'), 'utf8').trim();
  const facts = await fill(world.url, administrator);
  world.keys = facts.keys;
  const withKey = (key) => ({ authorization: `ApiKey ${key}` });
  const named = Object.fromEntries(Object.entries(facts.keys).map(([name, { key }]) => [name, withKey(key)]));
  world.headers = { ...named, viewer: {}, researcher: named.ada, operator: named.cleo };
  const guest = await ask('POST', '/auth/api-keys', {
    as: 'admin',
    body: { name: `guest ${Date.now()}`, role: 'guest', user_id: facts.keys.cleo.id },
  });
  world.headers.guest = withKey(guest.body.key);
  world.keys.adminId = (await ask('GET', '/auth/me', { as: 'admin' })).body.id;
  world.ids = await idsOf(facts);
}

mkdirSync(imports, { recursive: true });
const administrator = existsSync(dataDir) ? undefined : example();
growOrganisms(imports);
const service = await startService(dataDir, imports, settings);
try {
  await prepare(service, administrator);
  const { tried, failed } = await walk();
  const elsewhere = coveredElsewhere(root);
  console.log(
    `statements: ${tried - failed} passed, ${failed} failed; ${elsewhere} more are those of tests that statements-covered.mjs names`,
  );
  if (process.env.KINDRED_COUNTS)
    appendFileSync(process.env.KINDRED_COUNTS, `${tried - failed} ${failed} 0\n`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await service.stop();
}
