import type { Route } from '@kindred/contracts';
import { z } from 'zod';
import { Problem } from './problem.js';
import type { ReplyCheck } from './types.js';

/**
 * The resources that commands ask most, by how their paths begin. Each makes the schemas of its own routes, which takes a fraction of the
 * time for all.
 */
const routesByStart: [string, () => Promise<Record<string, Route>>][] = [
  [
    '/embeddings/prediction-sets',
    async () => (await import('@kindred/contracts/resources/prediction-sets')).predictionSetRoutes,
  ],
  ['/jobs', async () => (await import('@kindred/contracts/resources/jobs')).jobRoutes],
  ['/query-sets', async () => (await import('@kindred/contracts/resources/query-sets')).querySetRoutes],
  ['/references', async () => (await import('@kindred/contracts/resources/references')).referenceRoutes],
];

/** Finds a route in the module of its resource, else among all. */
async function routeOf(method: string, path: string): Promise<Route | undefined> {
  const [, load] = routesByStart.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  const found = Object.values((await load?.()) ?? {}).find(
    (route) => route.method === method && route.path === path,
  );
  return found ?? (await import('@kindred/contracts/routes')).routeRow(method, path);
}

/**
 * Validates a reply by its schema in the contracts. The function is in a module of its own, because it brings zod with it: the web client
 * loads it only in development.
 * @throws Problem invalid_reply, with a path for each field that differs
 */
export async function checkReply(
  { method, path, status }: Parameters<ReplyCheck>[0],
  body: unknown,
): Promise<unknown> {
  const reply = (await routeOf(method, path))?.reply[status];
  const schema = reply instanceof z.ZodType ? reply : reply?.content['application/json']?.schema;
  if (schema === undefined) throw invalid(`${method} ${path} declares no JSON reply of status ${status}`, []);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const errors = result.error.issues.map((issue) => ({
    path: `/${issue.path.map(String).join('/')}`,
    message: issue.message,
  }));
  const first = errors.slice(0, 3).map((fault) => `${fault.path}: ${fault.message}`);
  throw invalid(
    `The reply of ${method} ${path} is not what the contracts declare: ${first.join('; ')}`,
    errors,
  );
}

function invalid(detail: string, errors: { path: string; message: string }[]): Problem {
  return new Problem({
    status: 200,
    title: 'Unexpected reply',
    detail,
    code: 'invalid_reply',
    errors,
    requestId: null,
    retryAfterSeconds: null,
  });
}
