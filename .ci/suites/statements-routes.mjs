// The routes of the interface specification by section, with the least role that may call each, and the statements that follow for every
// one of them.
import { ask, is, places, problem, state } from './statements-lib.mjs';

/** The routes: the section, then method, path and floor. */
const routesOfSpecification = {
  Health: [
    ['GET', '/health', 'viewer'],
    ['GET', '/health/ready', 'viewer'],
  ],
  Jobs: [
    ['POST', '/jobs', 'researcher'],
    ['GET', '/jobs', 'viewer'],
    ['GET', '/jobs/{id}', 'viewer'],
    ['GET', '/jobs/{id}/events', 'viewer'],
    ['POST', '/jobs/{id}/cancel', 'researcher'],
    ['DELETE', '/jobs/{id}', 'researcher'],
    ['POST', '/jobs/{id}/comments', 'researcher'],
    ['GET', '/jobs/{id}/comments', 'viewer'],
  ],
  Proteins: [
    ['GET', '/proteins/stats', 'viewer'],
    ['GET', '/proteins', 'viewer'],
    ['GET', '/proteins/{accession}', 'viewer'],
    ['GET', '/proteins/{accession}/annotations', 'viewer'],
  ],
  Annotations: [
    ['GET', '/annotations/snapshots', 'viewer'],
    ['GET', '/annotations/snapshots/{id}', 'viewer'],
    ['PATCH', '/annotations/snapshots/{id}/ia-url', 'operator'],
    ['POST', '/annotations/snapshots/load', 'operator'],
    ['GET', '/annotations/snapshots/{id}/subgraph', 'viewer'],
    ['GET', '/annotations/sets', 'viewer'],
    ['GET', '/annotations/sets/{id}', 'viewer'],
    ['DELETE', '/annotations/sets/{id}', 'operator'],
    ['POST', '/annotations/sets/load-goa', 'operator'],
    ['POST', '/annotations/sets/load-quickgo', 'operator'],
    ['POST', '/annotations/evaluation-sets/generate', 'operator'],
    ['GET', '/annotations/evaluation-sets', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}', 'viewer'],
    ['DELETE', '/annotations/evaluation-sets/{id}', 'operator'],
    ['GET', '/annotations/evaluation-sets/{id}/ground-truth-NK.tsv', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/ground-truth-LK.tsv', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/ground-truth-PK.tsv', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/known-terms.tsv', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/delta-proteins.fasta', 'viewer'],
    ['POST', '/annotations/evaluation-sets/{id}/run', 'operator'],
    ['GET', '/annotations/evaluation-sets/{id}/results', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/results/{rid}/metrics.tsv', 'viewer'],
    ['GET', '/annotations/evaluation-sets/{id}/results/{rid}/artifacts.zip', 'viewer'],
    ['DELETE', '/annotations/evaluation-sets/{id}/results/{rid}', 'operator'],
  ],
  'Embeddings and prediction sets': [
    ['GET', '/embeddings/configs', 'viewer'],
    ['POST', '/embeddings/configs', 'operator'],
    ['GET', '/embeddings/configs/{id}', 'viewer'],
    ['DELETE', '/embeddings/configs/{id}', 'operator'],
    ['POST', '/embeddings/predict', 'researcher'],
    ['GET', '/embeddings/prediction-sets', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}/proteins', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}/proteins/{accession}', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}/go-terms', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}/predictions.tsv', 'viewer'],
    ['GET', '/embeddings/prediction-sets/{id}/predictions-cafa.tsv', 'viewer'],
    ['DELETE', '/embeddings/prediction-sets/{id}', 'operator'],
  ],
  'Scoring and re-rankers': [
    ['GET', '/scoring/configs', 'viewer'],
    ['POST', '/scoring/configs', 'operator'],
    ['POST', '/scoring/configs/presets', 'operator'],
    ['GET', '/scoring/configs/{id}', 'viewer'],
    ['DELETE', '/scoring/configs/{id}', 'operator'],
    ['GET', '/scoring/prediction-sets/{id}/score.tsv', 'viewer'],
    ['GET', '/scoring/prediction-sets/{id}/metrics', 'viewer'],
    ['GET', '/scoring/prediction-sets/{id}/training-data.tsv', 'viewer'],
    ['GET', '/scoring/rerankers', 'viewer'],
    ['GET', '/scoring/rerankers/{id}', 'viewer'],
    ['DELETE', '/scoring/rerankers/{id}', 'operator'],
    ['GET', '/scoring/prediction-sets/{id}/rerank.tsv', 'viewer'],
    ['GET', '/scoring/prediction-sets/{id}/reranker-metrics', 'viewer'],
  ],
  'Query sets and annotate': [
    ['POST', '/query-sets', 'researcher'],
    ['GET', '/query-sets', 'viewer'],
    ['GET', '/query-sets/{id}', 'viewer'],
    ['DELETE', '/query-sets/{id}', 'researcher'],
    ['POST', '/annotate', 'viewer'],
  ],
  'Maintenance and admin': [
    ['GET', '/maintenance/vacuum-sequences/preview', 'operator'],
    ['POST', '/maintenance/vacuum-sequences', 'admin'],
    ['GET', '/maintenance/vacuum-embeddings/preview', 'operator'],
    ['POST', '/maintenance/vacuum-embeddings', 'admin'],
    ['POST', '/admin/reset-db', 'admin'],
    ['GET', '/workers/status', 'operator'],
  ],
  'Showcase, support, benchmark': [
    ['GET', '/showcase', 'viewer'],
    ['GET', '/support', 'viewer'],
    ['POST', '/support', 'viewer'],
    ['GET', '/benchmark/embeddings', 'viewer'],
    ['GET', '/benchmark/matrix', 'viewer'],
  ],
  Datasets: [
    ['POST', '/datasets', 'operator'],
    ['POST', '/datasets/import-by-reference', 'operator'],
    ['GET', '/datasets', 'viewer'],
    ['GET', '/datasets/{id_or_name}', 'viewer'],
  ],
  'Reranker models': [
    ['POST', '/reranker-models/import', 'operator'],
    ['POST', '/reranker-models/import-by-reference', 'operator'],
  ],
  'Plugin registry, stack, metrics': [
    ['GET', '/backends', 'viewer'],
    ['GET', '/sources', 'viewer'],
    ['GET', '/runners', 'viewer'],
    ['GET', '/stack', 'viewer'],
    ['GET', '/stack/pulls', 'viewer'],
    ['GET', '/metrics', 'viewer'],
  ],
  'Experiment runs': [
    ['POST', '/experiment-runs', 'researcher'],
    ['GET', '/experiment-runs', 'viewer'],
    ['GET', '/experiment-runs/{run_id}', 'viewer'],
    ['PATCH', '/experiment-runs/{run_id}', 'researcher'],
    ['DELETE', '/experiment-runs/{run_id}', 'researcher'],
  ],
  'Authentication endpoints': [
    ['POST', '/auth/signup', 'viewer'],
    ['POST', '/auth/login', 'viewer'],
    ['POST', '/auth/logout', 'viewer'],
    ['GET', '/auth/me', 'guest'],
    ['POST', '/auth/api-key-login', 'viewer'],
    ['POST', '/auth/api-keys', 'researcher'],
    ['GET', '/auth/api-keys', 'admin'],
    ['DELETE', '/auth/api-keys/{id}', 'researcher'],
    ['POST', '/auth/admin/revoke-sessions/{user_id}', 'admin'],
    ['GET', '/admin/audit', 'admin'],
    ['DELETE', '/users/{id}', 'admin'],
    ['POST', '/auth/magic-link/request', 'viewer'],
    ['GET', '/auth/magic-link/consume', 'viewer'],
    ['POST', '/auth/password-reset/request', 'viewer'],
    ['POST', '/auth/password-reset/consume', 'viewer'],
  ],
};
const all = Object.entries(routesOfSpecification).flatMap(([section, routes]) =>
  routes.map(([method, path, floor]) => ({ section, method, path, floor })),
);
const order = ['viewer', 'guest', 'researcher', 'operator', 'admin'];
const unknownKey = 'no_route_has_this=1';
const isHealth = ({ path }) => path.startsWith('/health');
/** The routes that answer even with a wrong credential. */
const withoutCredential = new Set([
  '/auth/signup',
  '/auth/login',
  '/auth/logout',
  '/auth/api-key-login',
  '/auth/magic-link/request',
  '/auth/magic-link/consume',
  '/auth/password-reset/request',
  '/auth/password-reset/consume',
  '/metrics',
]);

/** Fills a path with ids of rows of the world, or of rows that do not exist. */
function filled(path, ids = {}) {
  return path.replaceAll(
    /\{([a-z_]+)\}/g,
    (_match, name) => ids[name] ?? (name === 'accession' ? 'P0' : '00000000-0000-4000-8000-000000000000'),
  );
}

function described({ method, path }) {
  state(
    places.versioning,
    `${method} ${path} is in the OpenAPI description under /v1`,
    () => ask('GET', '/openapi.json'),
    ({ body }) => {
      const wanted = `/v1${path}`.replaceAll(/\{[a-z_]+\}/g, '{}');
      const found = Object.entries(body.paths).find(
        ([name]) => name.replaceAll(/\{[a-z_]+\}/g, '{}') === wanted,
      );
      return found?.[1][method.toLowerCase()] !== undefined || 'it is not there';
    },
  );
}

/** Adds the statements on floors. The gate answers before the route checks an unknown query key, which tells the two apart. */
function floors({ section, method, path, floor }) {
  const address = `${filled(path)}?${unknownKey}`;
  for (const role of order) {
    const mayCall = order.indexOf(role) >= order.indexOf(floor);
    const status = mayCall ? 422 : role === 'viewer' ? 401 : 403;
    const who = role === 'viewer' ? 'an anonymous caller' : `role ${role}`;
    const says = mayCall ? 'reaches the handler' : `gets ${status}`;
    if (withoutCredential.has(path) && role !== 'viewer') continue;
    state(section, `${method} ${path}: ${who} ${says}`, () => ask(method, address, { as: role }), is(status));
  }
  state(
    section,
    `${method} ${path}: the bare path answers as that under /v1`,
    async () => {
      const [canonical, bare] = await Promise.all(
        ['/v1', ''].map((mount) => ask(method, `${mount}${address}`, { as: floor, mount: '' })),
      );
      return { ...bare, canonical };
    },
    ({ status, canonical, headers }) =>
      (status === canonical.status && headers.get('deprecation') !== null) ||
      `${status}, not ${canonical.status}`,
  );
}

function refusals({ method, path, floor }) {
  if (withoutCredential.has(path)) return;
  state(
    places.errors,
    `${method} ${path}: an invalid credential is 401 with WWW-Authenticate: ApiKey, Bearer`,
    () => ask(method, `${filled(path)}?${unknownKey}`, { headers: { authorization: 'ApiKey wrong' } }),
    (reply) =>
      problem(401)(reply) === true &&
      (reply.headers.get('www-authenticate') === 'ApiKey, Bearer' || 'no WWW-Authenticate'),
  );
  if (
    /\{(id|run_id|user_id)\}/.test(path) &&
    !/prediction-sets.*(score|metrics|training|rerank)/.test(path) &&
    method === 'GET'
  )
    state(
      places.errors,
      `${method} ${path}: a row that does not exist is 404 not-found`,
      () =>
        ask(method, filled(path) + (path.endsWith('/subgraph') ? '?go_ids=GO:0005515' : ''), {
          as: floor === 'viewer' ? 'viewer' : 'admin',
        }),
      problem(404, '/problems/not-found'),
    );
}

for (const route of all) {
  if (isHealth(route)) continue;
  described(route);
  floors(route);
  refusals(route);
}
state(
  places.versioning,
  'Health endpoints stay at the root only',
  () => ask('GET', '/v1/health', { mount: '' }),
  is(404),
);
state(
  places.health,
  'GET /health: 200 when the process is up',
  () => ask('GET', '/health', { mount: '' }),
  is(200),
);
state(
  places.health,
  'GET /health/ready checks database and message broker',
  () => ask('GET', '/health/ready', { mount: '' }),
  is(200, ({ body }) => body.status === 'ready'),
);
