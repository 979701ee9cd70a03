// The statements of the specification on the wire, on versions and on errors.
import { ask, is, places, post, problem, state } from './statements-lib.mjs';

// The statements on JSON, strict bodies and both mounts.
{
  const of = places.wire;
  for (const path of [
    '/jobs',
    '/proteins',
    '/annotations/sets',
    '/embeddings/configs',
    '/scoring/configs',
    '/query-sets',
    '/datasets',
    '/experiment-runs',
    '/showcase',
    '/support',
    '/backends',
    '/stack',
  ])
    state(
      of,
      `GET ${path} is JSON, open to anonymous callers`,
      () => ask('GET', path),
      is(200, ({ headers }) => headers.get('content-type').startsWith('application/json')),
    );
  const strict = {
    '/jobs': ['ada', { operation: 'ping', queue_name: 'svc.ping' }],
    '/embeddings/configs': ['cleo', { model_name: 'kmer-1024', model_backend: 'kmer' }],
    '/embeddings/predict': ['ada', {}],
    '/annotations/snapshots/load': ['cleo', { obo_url: 'https://example.org/x.obo' }],
    '/annotations/sets/load-goa': ['cleo', {}],
    '/annotations/sets/load-quickgo': ['cleo', {}],
    '/annotations/evaluation-sets/generate': ['cleo', {}],
    '/scoring/configs': ['cleo', { name: 'x' }],
    '/support': ['viewer', {}],
    '/experiment-runs': ['ada', { name: 'strict' }],
    '/datasets': ['cleo', {}],
    '/datasets/import-by-reference': ['cleo', {}],
    '/reranker-models/import-by-reference': ['cleo', {}],
    '/auth/signup': ['viewer', {}],
    '/auth/login': ['viewer', {}],
    '/auth/api-key-login': ['viewer', {}],
    '/auth/api-keys': ['ada', { name: 'x' }],
  };
  for (const [path, [as, body]] of Object.entries(strict)) {
    state(
      of,
      `POST ${path}: an unknown key is 422`,
      () => post(path, { ...body, no_such_key: 1 }, as),
      problem(422, undefined, ({ errors }) => errors.some((fault) => fault.path === '/no_such_key')),
    );
    state(
      places.errors,
      `POST ${path}: what is not JSON is 400`,
      () => post(path, '{', as, { headers: { 'content-type': 'application/json' } }),
      problem(400),
    );
    state(
      places.errors,
      `POST ${path}: another type of body is a problem`,
      () => post(path, 'x', as, { headers: { 'content-type': 'text/csv' } }),
      problem(415),
    );
  }
  state(
    of,
    'after POST /jobs the row is there before a worker can have it',
    async () => {
      const { body } = await post('/jobs', { operation: 'ping', queue_name: 'svc.ping' }, 'ada');
      return ask('GET', `/jobs/${body.id}`);
    },
    is(200),
  );
  for (const path of [
    '/jobs?operation=insert_proteins',
    '/jobs/x',
    '/datasets',
    '/experiment-runs',
    '/auth/me',
  ])
    state(
      places.versioning,
      `GET ${path}: both mounts answer alike`,
      async () => ({
        answers: await Promise.all(['/v1', ''].map((mount) => ask('GET', path, { mount, as: 'ada' }))),
      }),
      ({ answers: [a, b] }) => a.status === b.status && (a.status > 400 || a.said === b.said),
    );
  state(
    places.versioning,
    'the OpenAPI description has no bare path',
    () => ask('GET', '/openapi.json'),
    is(200, ({ body }) =>
      Object.keys(body.paths).every((path) => path.startsWith('/v1/') || path.startsWith('/health')),
    ),
  );
}

// The statements on problems.
{
  const of = places.errors;
  const absent = () => ask('GET', '/jobs/00000000-0000-4000-8000-000000000000');
  for (const name of ['type', 'title', 'status', 'detail', 'instance'])
    state(
      of,
      `a problem has ${name}`,
      absent,
      is(404, ({ body }) => body[name] !== undefined),
    );
  state(
    of,
    'instance is the request URI',
    absent,
    is(404, ({ body }) => body.instance === '/v1/jobs/00000000-0000-4000-8000-000000000000'),
  );
  state(
    of,
    'errors are only on validation errors',
    absent,
    is(404, ({ body }) => body.errors === undefined),
  );
  state(
    of,
    'errors have field paths',
    () => post('/jobs', {}, 'ada'),
    problem(
      422,
      undefined,
      ({ errors: faults }) =>
        faults
          .map(({ path }) => path)
          .sort()
          .join() === '/operation,/queue_name',
    ),
  );
  for (const path of ['/nope', '/jobs/x/y/z', '/v2/jobs'])
    state(of, `GET ${path} is 404 not-found`, () => ask('GET', path), problem(404, '/problems/not-found'));
  for (const path of [
    '/jobs/nope',
    '/annotations/sets/1',
    '/embeddings/configs/x',
    '/query-sets/x',
    '/experiment-runs/x',
  ])
    state(of, `GET ${path}: a malformed UUID is 422`, () => ask('GET', path), problem(422));
  for (const query of ['limit=0', 'limit=-1', 'limit=x', 'after=x', 'nope=1', 'status=NOPE'])
    state(of, `GET /jobs?${query} is 422`, () => ask('GET', `/jobs?${query}`), problem(422));
}
