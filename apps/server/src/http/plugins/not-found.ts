import { ProblemError, type Route } from '@kindred/contracts';
import { routeRows } from '@kindred/contracts/routes';
import type { Api } from '../deps.js';
import { sendProblem } from '../problems.js';
import type { WebClient } from './web-pages.js';

const templates = routeRows
  .map((row) => ({
    row,
    pattern: new RegExp(`^${row.path.replaceAll('.', '\\.').replaceAll(/:([a-z_]+)/g, '(?<$1>[^/]+)')}$`),
  }))
  // The router, too, matches `/sets/load-goa` before `/sets/:id`.
  .sort((a, b) => Number(a.row.path.includes(':')) - Number(b.row.path.includes(':')));
const readOnly = /^\/(health(\/ready)?|docs(\/.*)?|problems(\/.*)?|openapi\.json|v1\/openapi\.json)$/;

/**
 * Lists the methods of the path, for Allow; empty when the path does not exist. A word is not an id:
 * `/sets/load-goa` has no GET.
 */
export function methodsOf(url: string): string[] {
  const path = url.split('?', 1)[0];
  if (readOnly.test(path)) return ['GET', 'HEAD'];
  const found = rowsOf(path);
  const isNamed = found.some(({ row }) => row.params === undefined);
  const rows = found
    .filter(({ row, names }) => !isNamed || row.params?.safeParse(names).success !== false)
    .map(({ row }) => row);
  return [...new Set(rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

/** Gives the route that answers a request, or undefined. */
export function routeOf(method: string, url: string): Route | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method;
  return rowsOf(url.split('?', 1)[0]).find(({ row }) => row.method === wanted)?.row;
}

function rowsOf(path: string): { row: Route; names: Record<string, string> }[] {
  const relative = path.startsWith('/v1/') ? path.slice(3) : path;
  return templates.flatMap(({ row, pattern }) => {
    const match = pattern.exec(relative);
    return match === null ? [] : [{ row, names: { ...match.groups } }];
  });
}

/** If the rest of the path is a route, the service is probably reached below a path that it does not know. */
function adviceOn(path: string, basePath: string): string {
  const [, above, rest] = /^(.*?)(\/(?:v1|docs|health|problems)(?:\/.*)?)$/.exec(path) ?? [];
  if (!above || methodsOf(rest).length === 0) return `See ${basePath}/docs.`;
  return `If the service is to be reached below ${above}, its operator sets SVC_BASE_URL to the address with this path, such as https://lab.example${above}.`;
}

/**
 * A path that exists with another method gets 405, a browser gets the web client, and any other request 404.
 */
export function notFound(api: Api, web: WebClient | null): void {
  api.setNotFoundHandler(async (request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length > 0 && !methods.includes(request.method)) {
      const allow = methods.join(', ');
      const problem = new ProblemError(
        'method_not_allowed',
        `${request.method} is not possible here; ${allow} is.`,
        {
          headers: { allow },
        },
      );
      return sendProblem(request, reply, problem);
    }
    if (web?.wants(request)) return web.send(request, web.hasPage(request.url) ? reply : reply.code(404));
    const path = request.url.split('?', 1)[0];
    return sendProblem(
      request,
      reply,
      new ProblemError('not_found', `No route ${request.method} ${path}. ${adviceOn(path, api.basePath)}`),
    );
  });
}
