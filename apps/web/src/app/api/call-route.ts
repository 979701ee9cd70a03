import type { HttpMethod } from '@kindred/contracts';
import {
  type DeletableTable,
  type Dependents,
  deletableTables,
  removalRoutes,
  rowParameter,
} from '@kindred/contracts/resources/dependents';
import type { AnyRoute } from '@kindred/contracts/routes';
import { api } from './client.js';

/** A route by its method and path, as the contracts name it. */
export type RouteKey = AnyRoute extends infer R
  ? R extends { method: infer M extends HttpMethod; path: infer P extends string }
    ? `${M} ${P}`
    : never
  : never;

/** Returns the kind of row that a route deletes; undefined if nothing can depend on it. */
export function deletedBy(key: RouteKey): DeletableTable | undefined {
  return deletableTables.find((table) => key === `DELETE ${removalRoutes[table].path}`);
}

/** Fetches the dependents of the row that the DELETE route of its kind deletes with the same parameters. */
export function dependentsOf(kind: DeletableTable, { params = {}, query }: RouteInput): Promise<Dependents> {
  const id = params[rowParameter(kind).name] ?? '';
  return api.get('/dependents/:kind/:id', { params: { kind, id }, query: query as never });
}

/** The input of a route that a page knows only by its schemas, which have checked the input. */
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

/** Returns the address of a file that a route gives. */
export function fileAddress(key: RouteKey, { params, query }: RouteInput): string {
  return api.address(pathOf(key).path as never, { params, query } as never);
}
