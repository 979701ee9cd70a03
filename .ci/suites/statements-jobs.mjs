// The statements of the specification on jobs, their states, their timelines and comments.
import { ask, fasta, finished, id, is, ping, places, post, problem, state } from './statements-lib.mjs';

const isSorted = (values) =>
  values.every((value, at) => at === 0 || values[at - 1] <= value) ||
  values.every((value, at) => at === 0 || values[at - 1] >= value);

// The statements on making, listing and running jobs.
{
  const of = 'Jobs';
  const make = (more = {}, as = 'ada') => post('/jobs', { ...ping, ...more }, as);
  state(
    of,
    'POST /jobs creates a QUEUED job',
    make,
    is(201, ({ body }) => body.status === 'QUEUED'),
  );
  state(
    of,
    'POST /jobs keeps meta without interpreting it',
    () => make({ meta: { a: { b: [1, null] } } }),
    is(201, ({ body }) => JSON.stringify(body.meta) === '{"a":{"b":[1,null]}}'),
  );
  state(
    of,
    'POST /jobs takes description and tags',
    () => make({ description: 'd', tags: ['x', 'y'] }),
    is(201, ({ body }) => body.description === 'd' && body.tags.join() === 'x,y'),
  );
  state(
    of,
    'tags are empty by default',
    make,
    is(201, ({ body }) => Array.isArray(body.tags) && body.tags.length === 0),
  );
  state(
    of,
    'ping returns with success',
    async () => finished((await make()).body.id),
    ({ status }) => status === 'SUCCEEDED',
  );
  for (const missing of ['operation', 'queue_name'])
    state(
      of,
      `POST /jobs without ${missing} is 422`,
      () => post('/jobs', { ...ping, [missing]: undefined }, 'ada'),
      problem(422, undefined, ({ errors }) => errors.some(({ path }) => path === `/${missing}`)),
    );
  for (const [name, value] of Object.entries({
    payload: 'x',
    meta: [],
    description: 1,
    tags: 'x',
    operation: 1,
    queue_name: null,
  }))
    state(
      of,
      `POST /jobs with a ${name} of another type is 422`,
      () => make({ [name]: value }),
      problem(422),
    );
  state(of, 'an unknown operation is 422', () => make({ operation: 'nope' }), problem(422));
  state(of, 'an unknown queue is 422', () => make({ queue_name: 'svc.nope' }), problem(422));
  state(
    of,
    'a payload that does not fit its operation is 422',
    () => make({ operation: 'compute_embeddings', queue_name: 'svc.embeddings', payload: { nope: 1 } }),
    problem(422, undefined, ({ errors }) => errors.some(({ path }) => path === '/payload/nope')),
  );
  for (const internal of [
    'compute_embeddings_batch',
    'store_embeddings',
    'predict_go_terms_batch',
    'store_predictions',
  ])
    state(
      of,
      `${internal} is not submitted as a job`,
      () => make({ operation: internal }, 'admin'),
      problem(422),
    );
  for (const heavy of [
    'run_cafa_evaluation',
    'insert_proteins',
    'load_ontology_snapshot',
    'load_goa_annotations',
    'load_quickgo_annotations',
    'generate_evaluation_set',
    'load_interpro_go_mapping',
    'run_interproscan_batch',
    'export_research_dataset',
  ])
    state(
      places.authentication,
      `a researcher may not submit ${heavy}`,
      () =>
        make({
          operation: heavy,
          queue_name: heavy === 'export_research_dataset' ? 'svc.training' : 'svc.jobs',
        }),
      problem(403),
    );
  for (const status of ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])
    state(
      of,
      `GET /jobs filters by status ${status}`,
      () => ask('GET', `/jobs?status=${status}`, { as: 'admin' }),
      is(200, ({ body }) => body.every((job) => job.status === status)),
    );
  for (const operation of [
    'ping',
    'predict_go_terms',
    'insert_proteins',
    'predict_baseline',
    'rescore_by_votes',
  ])
    state(
      of,
      `GET /jobs filters by operation ${operation}`,
      () => ask('GET', `/jobs?operation=${operation}`, { as: 'admin' }),
      is(200, ({ body }) => body.length > 0 && body.every((job) => job.operation === operation)),
    );
  state(places.limits, 'GET /jobs gives at most 500 rows', () => ask('GET', '/jobs?limit=501'), problem(422));
  state(
    places.limits,
    'GET /jobs/{id}/events gives up to 2000',
    () => ask('GET', `/jobs/${id('job')}/events?limit=2000`),
    is(200),
  );
  state(
    places.limits,
    'GET /jobs/{id}/events gives no more than 2000',
    () => ask('GET', `/jobs/${id('job')}/events?limit=2001`),
    problem(422),
  );
  state(
    of,
    'the timeline is ordered by time',
    () => ask('GET', `/jobs/${id('job')}/events?limit=2000`),
    is(200, ({ body }) => body.length > 1 && isSorted(body.map(({ ts }) => ts))),
  );
  state(
    of,
    'the timeline goes on after a cursor',
    async () => {
      const { body } = await ask('GET', `/jobs/${id('job')}/events?limit=2000`);
      const all = [...body].sort((a, b) => a.id - b.id);
      return {
        all,
        next: (await ask('GET', `/jobs/${id('job')}/events?after=${encodeURIComponent(all[0].ts)}`)).body,
      };
    },
    ({ all, next }) =>
      next.length === all.filter(({ ts }) => ts > all[0].ts).length || `${next.length} of ${all.length}`,
  );
}

// The statements on cancelling and deleting jobs.
{
  const of = places.states;
  const done = async () => (await finished((await post('/jobs', ping, 'ada')).body.id)).id;
  state(
    of,
    'a SUCCEEDED job is not cancelled: 409',
    async () => post(`/jobs/${await done()}/cancel`, undefined, 'ada'),
    problem(409),
  );
  state(
    of,
    'a CANCELLED job stays so when it is cancelled again',
    () => post(`/jobs/${id('cancelled')}/cancel`, undefined, 'ada'),
    is(200, ({ body }) => body.status === 'CANCELLED'),
  );
  state(
    of,
    'QUEUED to CANCELLED',
    async () => {
      const { body } = await ask('POST', '/annotate?auto_predict=true', { as: 'ada', body: fasta() });
      return ask('POST', `/jobs/${body.predict_job_id}/cancel`, { as: 'ada' });
    },
    is(200, ({ body }) => body.status === 'CANCELLED'),
  );
  state(
    of,
    'a job that failed is FAILED with a reason',
    () => ask('GET', '/jobs?status=FAILED', { as: 'admin' }),
    is(
      200,
      ({ body }) =>
        body.length > 0 && body.every((job) => job.error_code !== null && job.error_message !== null),
    ),
  );
  state(
    'Jobs',
    'DELETE removes a job that does not run: 204, then 404',
    async () => {
      const job = await done();
      const gone = await ask('DELETE', `/jobs/${job}`, { as: 'ada' });
      return { gone, after: await ask('GET', `/jobs/${job}`, { as: 'ada' }) };
    },
    ({ gone, after }) => (gone.status === 204 && after.status === 404) || `${gone.status} ${after.status}`,
  );
  state(
    'Jobs',
    'comments go with their job',
    async () => {
      const job = await done();
      await post(`/jobs/${job}/comments`, { body: 'x' }, 'ada');
      await ask('DELETE', `/jobs/${job}`, { as: 'ada' });
      return ask('GET', `/jobs/${job}/comments`);
    },
    problem(404),
  );
  for (const [method, path] of [
    ['POST', '/cancel'],
    ['DELETE', ''],
  ])
    state(
      places.authentication,
      `another researcher may not ${path === '' ? 'delete' : 'cancel'} a job`,
      () => ask(method, `/jobs/${id('job')}${path}`, { as: 'ben' }),
      problem(403),
    );
}

// The statements on comments.
{
  const of = 'Jobs';
  const say = (body, as = 'ada') => post(`/jobs/${id('job')}/comments`, body, as);
  state(
    of,
    'POST comments returns 201',
    () => say({ body: 'b', author: 'a' }),
    is(201, ({ body }) => body.body === 'b'),
  );
  state(of, 'a comment needs a body', () => say({ author: 'a' }), problem(422));
  state(of, 'a comment has a body that is not empty', () => say({ body: '' }), problem(422));
  state(
    of,
    'an unknown key of a comment is 422',
    () => say({ body: 'b', nope: 1 }),
    problem(422, undefined, ({ errors }) => errors[0].path === '/nope'),
  );
  state(
    of,
    'comments are ordered by created_at ascending',
    () => ask('GET', `/jobs/${id('job')}/comments`),
    is(
      200,
      ({ body }) =>
        body.length > 1 && body.every((row, at) => at === 0 || body[at - 1].created_at <= row.created_at),
    ),
  );
  state(
    of,
    'comments take a cursor',
    async () => {
      const { body } = await ask('GET', `/jobs/${id('job')}/comments`);
      return {
        body,
        rest: await ask('GET', `/jobs/${id('job')}/comments?after=${encodeURIComponent(body[0].created_at)}`),
      };
    },
    ({ body, rest }) => rest.body.length === body.length - 1 || `${rest.body.length} of ${body.length}`,
  );
}
