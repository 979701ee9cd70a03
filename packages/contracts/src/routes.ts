import { own, type RouteRow, rowsOf } from './route-row.js';
import { vectorRouteRows } from './route-rows/vectors.js';
import { benchmarkRows } from './route-rows/benchmark.js';
import { stackRouteRows } from './route-rows/stack.js';
import { communityRows } from './route-rows/community.js';
import { evaluationRows } from './route-rows/evaluation.js';
import { datasetRows, experimentRows } from './route-rows/datasets.js';
import { rerankerRows } from './route-rows/rerankers.js';
import { scoringRows } from './route-rows/scoring.js';

export const routeRows: readonly RouteRow[] = [
  ...rowsOf('jobs', [
    [
      'POST',
      '/jobs',
      'researcher',
      'Queue an operation',
      { access: 'Light operations: researcher. All others: operator.', rate: 'jobs' },
    ],
    ['GET', '/jobs', 'viewer', 'List jobs, newest first'],
    ['GET', '/jobs/:id', 'viewer', 'One job with payload, result and queue position'],
    ['DELETE', '/jobs/:id', 'researcher', 'Delete a job that is not running', { access: own }],
    ['GET', '/jobs/:id/events', 'viewer', 'Timeline of a job, as JSON or as text/event-stream'],
    ['POST', '/jobs/:id/cancel', 'researcher', 'Cancel a queued or running job', { access: own }],
    ['POST', '/jobs/:id/comments', 'researcher', 'Comment on a job'],
    ['GET', '/jobs/:id/comments', 'viewer', 'Comments of a job, oldest first'],
  ]),
  ...rowsOf('proteins', [
    ['GET', '/proteins/stats', 'viewer', 'Counts of the catalogue'],
    ['GET', '/proteins', 'viewer', 'List proteins by accession'],
    ['GET', '/proteins/:accession', 'viewer', 'One protein with metadata'],
    [
      'GET',
      '/proteins/:accession/annotations',
      'viewer',
      'GO annotations of a protein across all annotation sets',
    ],
  ]),
  ...rowsOf('annotations', [
    ['GET', '/annotations/snapshots', 'viewer', 'Ontology snapshots with term counts per aspect'],
    ['GET', '/annotations/snapshots/:id', 'viewer', 'One snapshot with all its GO terms'],
    [
      'PATCH',
      '/annotations/snapshots/:id/ia-url',
      'operator',
      'Set the address of the information accretion file',
    ],
    ['POST', '/annotations/snapshots/load', 'operator', 'Queue load_ontology_snapshot'],
    ['GET', '/annotations/snapshots/:id/subgraph', 'viewer', 'Ancestor closure of GO terms'],
    ['GET', '/annotations/sets', 'viewer', 'Annotation sets with counts'],
    ['GET', '/annotations/sets/:id', 'viewer', 'One annotation set with statistics'],
    ['DELETE', '/annotations/sets/:id', 'operator', 'Delete an annotation set and its annotations'],
    ['POST', '/annotations/sets/load-goa', 'operator', 'Queue load_goa_annotations'],
    ['POST', '/annotations/sets/load-quickgo', 'operator', 'Queue load_quickgo_annotations'],
  ]),
  ...rowsOf('embeddings', [
    ['GET', '/embeddings/configs', 'viewer', 'List embedding configurations'],
    ['POST', '/embeddings/configs', 'operator', 'Create an immutable embedding configuration'],
    ['GET', '/embeddings/configs/:id', 'viewer', 'One embedding configuration'],
    ['DELETE', '/embeddings/configs/:id', 'operator', 'Delete a configuration and its vectors'],
    ['POST', '/embeddings/predict', 'researcher', 'Queue predict_go_terms'],
    ['GET', '/embeddings/prediction-sets', 'viewer', 'List prediction sets'],
    ['GET', '/embeddings/prediction-sets/:id', 'viewer', 'One prediction set with statistics'],
    ['GET', '/embeddings/prediction-sets/:id/proteins', 'viewer', 'Query proteins of a prediction set'],
    [
      'GET',
      '/embeddings/prediction-sets/:id/proteins/:accession',
      'viewer',
      'Predictions of one query protein',
    ],
    ['GET', '/embeddings/prediction-sets/:id/go-terms', 'viewer', 'Distribution of predicted GO terms'],
    [
      'GET',
      '/embeddings/prediction-sets/:id/predictions.tsv',
      'viewer',
      'All predictions as TSV of 32 columns',
    ],
    [
      'GET',
      '/embeddings/prediction-sets/:id/predictions-cafa.tsv',
      'viewer',
      'Predictions as a CAFA submission',
    ],
    ['DELETE', '/embeddings/prediction-sets/:id', 'operator', 'Delete a prediction set and its predictions'],
  ]),
  ...rowsOf('query sets', [
    ['POST', '/query-sets', 'researcher', 'Upload a FASTA file'],
    ['GET', '/query-sets', 'viewer', 'List query sets'],
    ['GET', '/query-sets/:id', 'viewer', 'One query set with all entries'],
    ['DELETE', '/query-sets/:id', 'researcher', 'Delete a query set and its entries', { access: own }],
    [
      'POST',
      '/annotate',
      'viewer',
      'Annotate a FASTA file or text in one step',
      {
        access: 'Anonymous and guest: save_history=false under a daily quota. save_history=true: researcher.',
      },
    ],
    ['GET', '/annotate/limits', 'viewer', 'What the caller may annotate today and in one upload'],
  ]),
  ...rowsOf('registry', [
    ['GET', '/backends', 'viewer', 'Installed embedding backends'],
    ['GET', '/sources', 'viewer', 'Installed annotation sources'],
    ['GET', '/runners', 'viewer', 'Installed experiment runners'],
  ]),
  ...rowsOf('administration', [
    ['GET', '/metrics', 'viewer', 'Metrics for Prometheus'],
    ['GET', '/workers/status', 'operator', 'Worker processes and queue depths'],
    ['GET', '/admin/dlq', 'admin', 'Messages that were rejected'],
    ['POST', '/admin/dlq/replay', 'admin', 'Send rejected messages back to their queues'],
    ['POST', '/admin/dlq/purge', 'admin', 'Delete rejected messages'],
    ['GET', '/maintenance/vacuum-sequences/preview', 'operator', 'Count sequences that nothing refers to'],
    ['POST', '/maintenance/vacuum-sequences', 'admin', 'Delete sequences that nothing refers to'],
    [
      'GET',
      '/maintenance/vacuum-embeddings/preview',
      'operator',
      'Count vectors of sequences without a protein',
    ],
    ['POST', '/maintenance/vacuum-embeddings', 'admin', 'Delete vectors of sequences without a protein'],
    [
      'POST',
      '/admin/reset-db',
      'admin',
      'Empty the database',
      { access: 'The audit log and the account of the caller stay.' },
    ],
    ['GET', '/admin/users', 'admin', 'List accounts, newest first'],
    ['POST', '/admin/users/:id/approve', 'admin', 'Let a pending account in'],
    ['POST', '/admin/users/:id/deactivate', 'admin', 'Stop an account, its sessions, tokens and keys'],
    ['POST', '/admin/users/:id/reactivate', 'admin', 'Let a deactivated account in again'],
    ['POST', '/admin/users/:id/role', 'admin', 'Change the role of an account'],
    ['DELETE', '/users/:id', 'admin', 'Delete an account with its sessions and keys'],
    ['GET', '/admin/audit', 'admin', 'What was done, by whom, newest first'],
  ]),
  ...rowsOf('authentication', [
    ['POST', '/auth/signup', 'viewer', 'Ask for an account', { ignoresCredential: true, rate: 'signup' }],
    [
      'POST',
      '/auth/login',
      'viewer',
      'Log in; sets the session cookie',
      { ignoresCredential: true, rate: 'login' },
    ],
    ['POST', '/auth/logout', 'viewer', 'Log out; revokes the session', { ignoresCredential: true }],
    [
      'POST',
      '/auth/magic-link/request',
      'viewer',
      'Ask for a mail with a link that logs in',
      { ignoresCredential: true, rate: 'login' },
    ],
    [
      'GET',
      '/auth/magic-link/consume',
      'viewer',
      'Log in by the link of a mail',
      { ignoresCredential: true, rate: 'login' },
    ],
    [
      'POST',
      '/auth/password-reset/request',
      'viewer',
      'Ask for a mail to set a new password',
      { ignoresCredential: true, rate: 'login' },
    ],
    [
      'POST',
      '/auth/password-reset/consume',
      'viewer',
      'Set a new password with the token of a mail',
      { ignoresCredential: true, rate: 'login' },
    ],
    ['POST', '/auth/admin/revoke-sessions/:user_id', 'admin', 'Revoke all sessions of an account'],
    ['GET', '/auth/me', 'guest', 'The account behind the credential'],
    [
      'POST',
      '/auth/api-key-login',
      'viewer',
      'Exchange an API key for a short-lived Bearer token',
      { ignoresCredential: true, rate: 'api_key_login' },
    ],
    [
      'POST',
      '/auth/api-keys',
      'researcher',
      'Make an API key; the raw key is shown once',
      { access: "For oneself, at most with one's own role; an admin for any user.", rate: 'api_keys' },
    ],
    ['GET', '/auth/api-keys', 'admin', 'List all API keys'],
    ['GET', '/auth/me/api-keys', 'guest', "List one's own API keys"],
    [
      'DELETE',
      '/auth/api-keys/:id',
      'guest',
      'Revoke an API key',
      { access: 'The owner his own, an admin any.' },
    ],
  ]),
  ...benchmarkRows,
  ...communityRows,
  ...evaluationRows,
  ...vectorRouteRows,
  ...stackRouteRows,
  ...datasetRows,
  ...experimentRows,
  ...rerankerRows,
  ...scoringRows,
];

const byKey = new Map(routeRows.map((row) => [`${row.method} ${row.path}`, row]));
/** The row of a route, or undefined. `path` is relative to the mount. */
export function routeRow(method: string, path: string): RouteRow | undefined {
  return byKey.get(`${method} ${path}`);
}
