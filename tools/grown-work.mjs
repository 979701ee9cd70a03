// Does what people do with a service, once of each kind, through its API.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { rateNames } from '@kindred/contracts';
import { organisms } from './grown-organisms.mjs';

/** The settings of a service that a script may call as fast as it can. */
export const unlimitedRates = Object.fromEntries(
  rateNames.map((name) => [`SVC_RATELIMIT_${name.toUpperCase()}`, '1000000/minute']),
);

/** Makes a function that calls the API with these headers. An answer that is not `status` is an error. */
export function caller(url, headers = {}) {
  return async (method, path, body, { status } = {}) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        ...headers,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
    });
    const text = await response.text();
    if (status === undefined ? !response.ok : response.status !== status)
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
    return {
      headers: response.headers,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
    };
  };
}

export const withKey = (key) => ({ authorization: `ApiKey ${key}` });
const password = 'correct horse battery';

/** Makes accounts that are signed up and approved, with a key each. */
async function people(url, admin) {
  const anybody = caller(url);
  const keys = {};
  for (const [name, role] of [
    ['ada', 'researcher'],
    ['ben', 'researcher'],
    ['cleo', 'operator'],
    ['dora', 'researcher'],
  ]) {
    const email = `${name}@example.org`;
    const asked = { email, username: name, display_name: name, password, intended_use: 'A nightly test.' };
    const { body: user } = await anybody('POST', '/auth/signup', asked);
    await admin('POST', `/admin/users/${user.id}/approve`, { role });
    const { body: key } = await admin('POST', '/auth/api-keys', { name, role, user_id: user.id });
    keys[name] = { id: user.id, key: key.key };
  }
  await admin('POST', `/admin/users/${keys.dora.id}/deactivate`);
  await anybody('POST', '/auth/signup', {
    email: 'eve@example.org',
    username: 'eve',
    display_name: 'Eve',
    password,
    intended_use: 'x',
  });
  return keys;
}

/** Makes a function that queues an operation, and waits for its end. */
const runner =
  (call) =>
  async (operation, queue_name, payload, ended = 'SUCCEEDED') => {
    const { body: job } = await call('POST', '/jobs', { operation, queue_name, payload });
    return settled(call, job.id, ended);
  };
/** Waits until a job has the status. @throws Error: it ended otherwise */
export async function settled(call, id, ended = 'SUCCEEDED') {
  for (;;) {
    const { body: job } = await call('GET', `/jobs/${id}`);
    if (job.status === ended) return job;
    if (['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(job.status))
      throw new Error(`${job.operation} is ${job.status}: ${job.error_message}`);
    await sleep(200);
  }
}

/** Loads annotation sets by name: human as the example has it, an older human, and the other organisms. */
async function load(run, { call, file }) {
  const [human] = (await call('GET', '/annotations/sets')).body;
  const ontology_snapshot_id = human.ontology_snapshot_id;
  const [config] = (await call('GET', '/embeddings/configs')).body;
  const gaf = async (name) => {
    const payload = { gaf_url: file(`${name}.gaf`), ontology_snapshot_id, source_version: name };
    return (await run('load_goa_annotations', 'svc.jobs', payload)).result.annotation_set_id;
  };
  const sets = { human: human.id, older: await gaf('older'), oldest: await gaf('oldest') };
  for (const { name } of organisms) {
    await run('insert_proteins', 'svc.jobs', { fasta_url: file(`${name}.fasta`) });
    sets[name] = await gaf(name);
  }
  const embedding_config_id = config.id;
  await run('compute_embeddings', 'svc.embeddings', { embedding_config_id });
  await run('load_interpro_go_mapping', 'svc.jobs', {
    mapping_url: file('interpro2go'),
    source_version: 'grown',
  });
  await run('load_interpro_annotations', 'svc.jobs', {
    matches_url: file('protein2ipr.dat'),
    interpro_release: '90.0',
  });
  return { sets, ontology_snapshot_id, embedding_config_id };
}

function upload(folder, fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([readFileSync(join(folder, 'queries.fasta'))]), 'queries.fasta');
  return form;
}

/** Makes a run by each method against each organism. Returns the prediction sets. */
async function predict({ run, call }, imports, { sets, ontology_snapshot_id, embedding_config_id }) {
  const { body: queries } = await call(
    'POST',
    '/query-sets',
    upload(imports, { name: 'grown', description: 'Of the grown world' }),
  );
  const of = { ontology_snapshot_id, query_set_id: queries.id };
  const made = [];
  const keep = async (operation, payload) => {
    const job = await run(operation, 'svc.predictions', payload);
    made.push({ operation, id: job.result.prediction_set_id });
    return job.result.prediction_set_id;
  };
  for (const name of ['human', 'coli', 'yeast']) {
    const with_vectors = { ...of, annotation_set_id: sets[name], embedding_config_id };
    await keep('predict_go_terms', { ...with_vectors, method: 'combined' });
    const features = { compute_alignments: true, compute_taxonomy: true, compute_reranker_features: true };
    const neighbours = await keep('predict_go_terms', { ...with_vectors, limit_per_entry: 5, ...features });
    await keep('predict_go_terms', { ...with_vectors, limit_per_entry: 5, runner: 'baseline' });
    await keep('rescore_by_votes', { prediction_set_id: neighbours });
    for (const method of ['naive', 'sequence_similarity', 'non_experimental_annotations'])
      await keep('predict_baseline', {
        ...of,
        annotation_set_id: sets[name],
        method,
        minimum_score: method === 'naive' ? 0.2 : undefined,
      });
  }
  const query_accessions = readFileSync(join(imports, 'protein2ipr.dat'), 'utf8')
    .split('\n')
    .slice(0, 5)
    .map((line) => line.split('\t')[0]);
  await keep('predict_go_terms_from_interpro', { ontology_snapshot_id, query_accessions });
  return made;
}

/** Makes an evaluation with its result, a dataset, and a scoring configuration. */
async function evaluate({ run, call }, { sets, ontology_snapshot_id, embedding_config_id }) {
  const between = async (older, newer) => {
    const pair = { old_annotation_set_id: sets[older], new_annotation_set_id: sets[newer] };
    return (await run('generate_evaluation_set', 'svc.jobs', pair)).result.evaluation_set_id;
  };
  const [training, evaluation_set_id] = [await between('oldest', 'older'), await between('older', 'human')];
  const truth = (await call('GET', `/annotations/evaluation-sets/${evaluation_set_id}/delta-proteins.fasta`))
    .body;
  const query_accessions = [...truth.matchAll(/^>(\S+)/gm)].map((match) => match[1]);
  const payload = {
    annotation_set_id: sets.older,
    embedding_config_id,
    ontology_snapshot_id,
    query_accessions,
    limit_per_entry: 3,
  };
  const predicted = await run('predict_go_terms', 'svc.predictions', payload);
  const { prediction_set_id } = predicted.result;
  const result = await run('run_cafa_evaluation', 'svc.jobs', {
    evaluation_set_id,
    prediction_set_id,
    resamples: 100,
  });
  await call('POST', '/scoring/configs/presets');
  const frame = { name: 'grown', embedding_config_id, train_evaluation_set_ids: [training], k: 2 };
  const dataset = await call('POST', '/datasets', { ...frame, eval_evaluation_set_id: evaluation_set_id });
  await settled(call, dataset.body.id);
  return { evaluation_set_id, prediction_set_id, evaluation_result_id: result.result.evaluation_result_id };
}

/** Makes jobs that did not succeed, webhooks, comments, experiments, thumbs up, and runs of anonymous callers. */
async function traces(url, { keys, run, imports, file }, predictions) {
  const [ada, ben, anybody] = [withKey(keys.ada.key), withKey(keys.ben.key), {}].map((headers) =>
    caller(url, headers),
  );
  await run('load_ontology_snapshot', 'svc.jobs', { obo_url: file('broken.obo') }, 'FAILED');
  const { body: waiting } = await ada(
    'POST',
    '/annotate?auto_predict=true',
    upload(imports, { name: 'cancelled' }),
  );
  await ada('POST', `/jobs/${waiting.predict_job_id}/cancel`);
  const rows = { job: [], query_set: [], prediction_set: [], experiment_run: [], webhook: [] };
  for (const call of [ada, ben]) {
    const { body: started } = await call(
      'POST',
      '/annotate?auto_predict=true&method=knn',
      upload(imports, { name: 'own' }),
    );
    const predicted = await settled(call, started.predict_job_id);
    rows.job.push(started.predict_job_id);
    rows.query_set.push(started.query_set_id);
    rows.prediction_set.push(predicted.result.prediction_set_id);
    await call('POST', `/jobs/${started.predict_job_id}/comments`, { body: 'It helps.\nA little.' });
    const name = `grown ${rows.job.length}`;
    rows.experiment_run.push(
      (await call('POST', '/experiment-runs', { name, tags: ['grown'], status: 'running' })).body.id,
    );
    rows.webhook.push(
      (await call('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['job.succeeded'] })).body
        .id,
    );
    await call('POST', '/support', { comment: 'Thanks' });
  }
  const { body: unsaved } = await anybody(
    'POST',
    '/annotate?auto_predict=true&save_history=false&method=knn',
    upload(imports, { name: 'unsaved' }),
  );
  await settled(anybody, unsaved.predict_job_id);
  return { ...predictions, rows };
}

/** @returns ids and keys of the rows that were made, for the checks */
export async function growThroughApi(url, { imports, ...administrator }) {
  const login = await caller(url)('POST', '/auth/login', administrator);
  const cookie = login.headers.getSetCookie()[0].split(';')[0];
  const session = caller(url, { cookie, origin: new URL(url).origin });
  const { body: adminKey } = await session('POST', '/auth/api-keys', { name: 'grown', role: 'admin' });
  const admin = caller(url, withKey(adminKey.key));
  const keys = { ...(await people(url, admin)), admin: { key: adminKey.key } };
  const call = caller(url, withKey(keys.cleo.key));
  const run = runner(call);
  const file = (name) => pathToFileURL(join(imports, name)).href;
  const loaded = await load(run, { call, file });
  const methods = await predict({ run, call }, imports, loaded);
  const evaluation = await evaluate({ run, call }, loaded);
  return {
    administrator,
    keys,
    ...loaded,
    methods,
    evaluation,
    ...(await traces(url, { keys, run, imports, file }, {})),
  };
}
