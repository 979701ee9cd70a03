import { type HttpMethod, routeRow } from '@kindred/contracts';
import { dependentsPath } from '@kindred/contracts/resources/dependents';
import type { AnyRoute } from '@kindred/contracts/routes';
import { api } from './client.js';

/** A route by its method and path, as the contracts name it. */
export type RouteKey = AnyRoute extends infer R
  ? R extends { method: infer M extends HttpMethod; path: infer P extends string }
    ? `${M} ${P}`
    : never
  : never;

/** Route that lists the dependents of a row, for a route that deletes the row; undefined without one. */
export function dependentsOf(key: RouteKey): RouteKey | undefined {
  const { method, path } = pathOf(key);
  if (method !== 'DELETE') return undefined;
  const row = routeRow('GET', dependentsPath(path));
  return row === undefined ? undefined : (`GET ${row.path}` as RouteKey);
}

/** Input of a route that a page knows only by its schemas, which have checked it. */
export interface RouteInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: FormData;
}

type Send = (path: string, input: RouteInput) => Promise<unknown>;

export function pathOf(key: RouteKey): { method: HttpMethod; path: string } {
  const [method, path] = key.split(' ') as [HttpMethod, string];
  return { method, path };
}

/** Sends a request that was put together from the schemas of its route. */
export function callRoute(key: RouteKey, input: RouteInput): Promise<unknown> {
  const { method, path } = pathOf(key);
  const senders: Record<HttpMethod, Send> = {
    GET: (at, parts) => api.get(at as never, parts as never),
    POST: (at, parts) => api.post(at as never, parts as never),
    PATCH: (at, parts) => api.patch(at as never, parts as never),
    DELETE: (at, parts) => api.delete(at as never, parts as never),
  };
  return senders[method](path, input);
}

/** The address of a file that a route gives. */
export function fileAddress(key: RouteKey, { params, query }: RouteInput): string {
  return api.address(pathOf(key).path as never, { params, query } as never);
}
