import type { z } from 'zod';
import { noBody, noQuery } from './fields.js';
import type { ProblemStatus } from './problems.js';
import type { Role } from './roles.js';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';
/**
 * The rate limits of a caller by the name that routes give as their `rate`: the default and an example of the setting
 * SVC_RATELIMIT_<NAME>, whose description names the routes.
 */
export const rates = {
  jobs: { default: '10/minute', example: '100/minute' },
  datasets: { default: '5/minute', example: '20/minute' },
  imports: { default: '5/minute', example: '20/minute' },
  api_keys: { default: '5/hour', example: '20/hour' },
  api_key_login: { default: '5/hour', example: '60/hour' },
  signup: { default: '5/hour', example: '20/hour' },
  login: { default: '30/minute', example: '10/minute' },
  support: { default: '5/hour', example: '20/hour' },
  webhooks: { default: '10/minute', example: '5/minute' },
  previews: { default: '60/minute', example: '10/minute' },
  uploads: { default: '120/minute', example: '600/minute', note: 'refused uploads count, too' },
} as const satisfies Record<string, { default: string; example: string; note?: string }>;
export type RateName = keyof typeof rates;
export const rateNames = Object.keys(rates) as RateName[];

/** The maximum size of a JSON body that is not an upload. Its keys and values are read within one turn of the event loop. */
export const maxBodyBytes = 256 << 10;
/** The maximum number of keys and values of a JSON body. */
export const maxBodyTokens = 50_000;
/** Returns how many texts of this length a body can hold as a list, in whole thousands. */
const mostListed = (characters: number) =>
  Math.floor(maxBodyBytes / (characters + '"",'.length) / 1000) * 1000;
/** The maximum number of accessions of a list, which is how many of six characters a body can hold. */
export const mostAccessions = mostListed('P12345'.length);
/** The maximum number of ids of terms in a list. */
export const mostTermIds = mostListed('GO:0008150'.length);

/** A reply that is not only JSON, by media type. */
export interface MediaReply {
  description: string;
  content: Record<string, { schema: z.ZodType }>;
}

/**
 * One route of the API: who may call it, its input and its reply. The gate, the validation, the types of the handler and of the client,
 * the OpenAPI description and the reference are made from it. A route without a handler, or a handler without a route, stops the server
 * when it starts.
 */
export interface Route {
  method: HttpMethod;
  /** The path relative to the mount (`/v1` and bare), with parameters as `:name`. */
  path: string;
  /** The lowest role that passes. With `viewer`, anonymous callers pass, too. */
  floor: Role;
  tag: string;
  summary: string;
  /** Access rules that the floor alone does not express: own rows, heavier operations. */
  access?: string;
  /** Whether credentials are ignored, so that a stale cookie can't prevent a login. */
  ignoresCredential?: true;
  rate?: RateName;
  params?: z.ZodType;
  /** The schema of the query; absent if the route takes no query. */
  query?: z.ZodType;
  /** The schema of the JSON body; absent if the route takes none. */
  body?: z.ZodType;
  /** A multipart form instead of a body, which the handler reads as a stream. With `json`, the route takes JSON, too. */
  upload?: { form?: z.ZodType; json?: z.ZodType };
  /** The value false means that HEAD is not answered. */
  head?: false;
  /** The statuses of refusals that do not follow from the rest of the row, see `refusalsOf`. */
  refuses?: readonly ProblemStatus[];
  /** The replies by status, without refusals. */
  reply: Record<number, z.ZodType | MediaReply>;
}

/**
 * Returns the statuses of all refusals that the route can answer. The description lists them, and tests compare them with the replies.
 */
export function refusalsOf(row: Route): ProblemStatus[] {
  const writes = row.method !== 'GET';
  return [
    ...new Set<ProblemStatus>([
      400,
      ...(row.ignoresCredential ? [] : ([401] as const)),
      ...(writes || row.floor !== 'viewer' ? ([403] as const) : []),
      ...(row.params === undefined ? [] : ([404] as const)),
      ...(writes ? ([413, 415] as const) : []),
      422,
      ...(row.rate === undefined ? [] : ([429] as const)),
      431,
      ...(row.refuses ?? []),
      500,
      503,
    ]),
  ].sort((a, b) => a - b);
}

export const ownRows = 'A researcher acts on their own rows, an operator on any.';

export const visibleRows =
  "Shows what is listed and what is the caller's own; operators and administrators see all.";

/** Adds their tag to the routes of a resource. */
export function routesOf<const Routes extends Record<string, Omit<Route, 'tag'> & { tag?: string }>>(
  tag: string,
  routes: Routes,
): { [Name in keyof Routes]: Routes[Name] & { tag: string } } {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [name, { tag, ...route }]),
  ) as never;
}

export const queryOf = (route: Route): z.ZodType => route.query ?? noQuery;
/** Returns the schema that validates the body: none for GET, and none for forms, which their handler reads. */
export function bodyOf({ method, body, upload }: Route): z.ZodType | undefined {
  return method === 'GET' || upload !== undefined ? undefined : (body ?? noBody);
}

type Part<R, Name extends string, None> = R extends { [K in Name]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : None;
type JsonIn<Reply> = Reply extends z.ZodType
  ? z.output<Reply>
  : Reply extends { content: { 'application/json': { schema: infer Schema extends z.ZodType } } }
    ? z.output<Schema>
    : never;

/** The validated parts of a request, as a handler gets them. */
export interface RequestOf<R extends Route> {
  Params: Part<R, 'params', Record<never, never>>;
  Querystring: Part<R, 'query', Record<never, never>>;
  Body: Part<R, 'body', unknown>;
}
/** The JSON that the route replies; never if it replies another media type. */
export type ReplyOf<R extends Route> = {
  [Status in keyof R['reply']]: JsonIn<R['reply'][Status]>;
}[keyof R['reply']];
