// The statements of the specification on query sets, datasets, plugins, maintenance and experiments.
import { createHash } from 'node:crypto';
import { ask, fasta, is, places, post, problem, state, timestamp, uuid } from './statements-lib.mjs';

/** Returns the reply when no job prevents the request any more. */
async function whenIdle(request) {
  for (let tries = 0; ; tries++) {
    const reply = await request();
    if (reply.status !== 409 || tries === 600) return reply;
    await new Promise((done) => setTimeout(done, 500));
  }
}

// The statements on query sets and annotate.
{
  const of = 'Query sets and annotate';
  const upload = (form = fasta(), as = 'ada') => ask('POST', '/query-sets', { as, body: form });
  state(
    of,
    'POST /query-sets creates a set with its entries',
    upload,
    is(201, ({ body }) => body.entry_count === 1),
  );
  state(
    of,
    'an entry keeps the original header',
    async () => ask('GET', `/query-sets/${(await upload()).body.id}`),
    is(200, ({ body }) => body.entries[0].header === 'q1 first OX=9606'),
  );
  state(
    of,
    'DELETE removes a set with its entries',
    async () => {
      const { body } = await upload();
      return [
        (await ask('DELETE', `/query-sets/${body.id}`, { as: 'ada' })).status,
        (await ask('GET', `/query-sets/${body.id}`)).status,
      ].join();
    },
    (found) => /^20[04],404$/.test(found) || found,
  );
  state(
    of,
    'sets are listed with entry counts',
    () => ask('GET', '/query-sets', { as: 'ada' }),
    is(200, ({ body }) => body.every((row) => Number.isInteger(row.entry_count))),
  );
  state(of, 'what is not FASTA is 422', () => upload(fasta('q1', 'M1K')), problem(422));
  state(
    of,
    'a JSON body is 415 or 422 where a form is wanted',
    () => post('/query-sets', {}, 'ada'),
    ({ status }) => [415, 422].includes(status) || status,
  );
  state(
    of,
    'POST /annotate returns the ids that predict_go_terms needs',
    () => ask('POST', '/annotate', { as: 'ada', body: fasta() }),
    is(
      202,
      ({ body }) =>
        ['query_set_id', 'embedding_config_id', 'annotation_set_id', 'ontology_snapshot_id'].every((name) =>
          uuid.test(body[name]),
        ) || JSON.stringify(Object.keys(body)),
    ),
  );
  state(
    of,
    'POST /annotate accepts raw text',
    () => {
      const form = new FormData();
      form.set('fasta_text', '>t\nMDSPEVTFTLAYLVFAVCFVFTPNEF\n');
      return ask('POST', '/annotate', { as: 'ada', body: form });
    },
    is(202),
  );
  state(
    of,
    'save_history is a boolean',
    () => ask('POST', '/annotate?save_history=perhaps', { as: 'ada', body: fasta() }),
    problem(422),
  );
  state(
    of,
    'save_history=true needs an account',
    () => ask('POST', '/annotate?save_history=true', { body: fasta() }),
    problem(401),
  );
}

// The statements on datasets, re-rankers, plugins, metrics and maintenance.
{
  state(
    'Datasets',
    'a dataset is found by its name',
    () => ask('GET', '/datasets/grown'),
    is(200, ({ body }) => body.name === 'grown'),
  );
  state(
    'Datasets',
    'a dataset is found by its UUID',
    async () => ask('GET', `/datasets/${(await ask('GET', '/datasets/grown')).body.id}`),
    is(200, ({ body }) => body.name === 'grown'),
  );
  state(
    'Datasets',
    'schema_sha has 16 characters, manifest_sha 64',
    () => ask('GET', '/datasets/grown'),
    is(200, ({ body }) => /^[0-9a-f]{16}$/.test(body.schema_sha) && /^[0-9a-f]{64}$/.test(body.manifest_sha)),
  );
  state(
    'Datasets',
    'manifest_sha is that of the manifest',
    async () => {
      const manifest = await ask('GET', '/datasets/grown/download?artifact=manifest', { text: true });
      return {
        sha: createHash('sha256').update(manifest.raw).digest('hex'),
        ...(await ask('GET', '/datasets/grown')).body,
      };
    },
    ({ sha, manifest_sha }) => sha === manifest_sha || `${sha} ${manifest_sha}`,
  );
  state(
    'Datasets',
    'the manifest has schema version 2',
    () => ask('GET', '/datasets/grown/download?artifact=manifest', { text: true }),
    is(200, ({ said }) => /"schema_version":\s*2\b/.test(said)),
  );
  for (const name of ['train', 'eval', 'manifest'])
    state(
      'Datasets',
      `the triple has ${name}`,
      () => ask('GET', '/datasets/grown'),
      is(200, ({ body }) => new RegExp(`(^|/)${name}\\.(parquet|json)$`).test(body[`${name}_uri`])),
    );
  state('Datasets', 'an unknown name is 404', () => ask('GET', '/datasets/nope'), problem(404));
  state(
    'Datasets',
    'import-by-reference has a strict body',
    () => post('/datasets/import-by-reference', { nope: 1 }, 'cleo'),
    problem(422),
  );
  state(
    'Reranker models',
    'import wants a form',
    () => post('/reranker-models/import', {}, 'cleo'),
    ({ status }) => [415, 422].includes(status) || status,
  );
  state(
    'Reranker models',
    'import-by-reference has a strict body',
    () => post('/reranker-models/import-by-reference', { nope: 1 }, 'cleo'),
    problem(422),
  );
  for (const [path, names] of Object.entries({
    '/backends': ['kmer'],
    '/sources': ['goa'],
    '/runners': ['knn', 'baseline', 'lightgbm'],
  }))
    for (const name of names)
      state(
        'Plugin registry, stack, metrics',
        `GET ${path} has ${name}`,
        () => ask('GET', path),
        is(200, ({ body }) => body.some((plugin) => plugin.name === name)),
      );
  state(
    'Plugin registry, stack, metrics',
    'GET /stack lists eight repositories',
    () => ask('GET', '/stack'),
    is(200, ({ body }) => body.repos.length === 8),
  );
  for (const mount of ['/v1', ''])
    state(
      'Plugin registry, stack, metrics',
      `GET ${mount}/metrics is for Prometheus`,
      () => ask('GET', '/metrics', { mount }),
      is(200, ({ said }) => /^# HELP /m.test(said)),
    );
  for (const name of [
    'jobs_total',
    'job_duration_seconds',
    'embeddings_batch_seconds',
    'predictions_batch_seconds',
    'db_pool_in_use',
    'http_requests_total',
    'http_request_duration_seconds',
    'http_requests_in_flight',
  ])
    state(
      places.events,
      `metrics have the collector ${name}`,
      () => ask('GET', '/metrics'),
      is(200, ({ said }) => new RegExp(`^${name}(_bucket)?(\\{| )`, 'm').test(said)),
    );
  state(
    'Maintenance and admin',
    'preview counts orphan sequences',
    () => ask('GET', '/maintenance/vacuum-sequences/preview', { as: 'cleo' }),
    is(200, ({ body }) => Number.isInteger(body.count)),
  );
  state(
    'Maintenance and admin',
    'preview counts unindexed embeddings',
    () => ask('GET', '/maintenance/vacuum-embeddings/preview', { as: 'cleo' }),
    is(200, ({ body }) => Number.isInteger(body.count)),
  );
  state(
    'Maintenance and admin',
    'vacuum deletes what the preview counts',
    async () => {
      const before = (await ask('GET', '/maintenance/vacuum-sequences/preview', { as: 'cleo' })).body.count;
      const { status } = await whenIdle(() => post('/maintenance/vacuum-sequences', undefined, 'admin'));
      return {
        before,
        status,
        after: (await ask('GET', '/maintenance/vacuum-sequences/preview', { as: 'cleo' })).body.count,
      };
    },
    ({ status, after }) => (status === 200 && after === 0) || `${status} ${after}`,
  );
  state(
    'Maintenance and admin',
    'worker status',
    () => ask('GET', '/workers/status', { as: 'cleo' }),
    is(200, ({ body }) => Array.isArray(body.workers) && body.workers.length > 0),
  );
}

// The statements on experiment runs.
{
  const of = places.states;
  const make = (more = {}) => post('/experiment-runs', { name: `walk ${Math.random()}`, ...more }, 'ada');
  const patch = (run, body) => ask('PATCH', `/experiment-runs/${run}`, { as: 'ada', body });
  state('Experiment runs', 'POST needs a name', () => post('/experiment-runs', {}, 'ada'), problem(422));
  state(
    'Experiment runs',
    'a name is unique',
    () => post('/experiment-runs', { name: 'grown 1' }, 'ada'),
    problem(409),
  );
  state(
    'Experiment runs',
    'POST takes the narrative, config, provenance and tags',
    () =>
      make({
        description: 'd',
        hypothesis: 'h',
        findings: 'f',
        config: { a: 1 },
        provenance: { b: 2 },
        tags: ['t'],
      }),
    is(
      201,
      ({ body }) =>
        body.hypothesis === 'h' && body.config.a === 1 && body.provenance.b === 2 && body.tags[0] === 't',
    ),
  );
  state(
    'Experiment runs',
    'the list is newest first',
    () => ask('GET', '/experiment-runs', { as: 'admin' }),
    is(200, ({ body }) => body.every((row, at) => at === 0 || body[at - 1].created_at >= row.created_at)),
  );
  for (const status of ['planned', 'running', 'done', 'abandoned'])
    state(
      'Experiment runs',
      `the list filters by status ${status}`,
      () => ask('GET', `/experiment-runs?status=${status}`, { as: 'admin' }),
      is(200, ({ body }) => body.every((row) => row.status === status)),
    );
  state(
    'Experiment runs',
    'PATCH is partial',
    async () => patch((await make({ description: 'kept' })).body.id, { findings: 'new' }),
    is(200, ({ body }) => body.description === 'kept' && body.findings === 'new'),
  );
  state(
    'Experiment runs',
    'DELETE returns 204',
    async () => ask('DELETE', `/experiment-runs/${(await make()).body.id}`, { as: 'ada' }),
    is(204),
  );
  state(
    of,
    'planned to running stamps started_at',
    async () => patch((await make()).body.id, { status: 'running' }),
    is(200, ({ body }) => timestamp.test(body.started_at) && body.finished_at === null),
  );
  for (const end of ['done', 'abandoned'])
    state(
      of,
      `running to ${end} stamps finished_at`,
      async () => patch((await make({ status: 'running' })).body.id, { status: end }),
      is(200, ({ body }) => timestamp.test(body.finished_at)),
    );
  state(
    of,
    'entering the current state again changes no timestamp',
    async () => {
      const { body } = await make({ status: 'running' });
      return { body, again: (await patch(body.id, { status: 'running' })).body };
    },
    ({ body, again }) => body.started_at === again.started_at,
  );
}
