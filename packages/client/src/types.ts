import type { HttpMethod, ReplyOf } from '@kindred/contracts';
import type { AnyRoute } from '@kindred/contracts/routes';
import type { z } from 'zod';

/** The type of a query value. In an address `true` is text, but a caller may write the boolean. */
type QueryValue<T> = 'true' extends T ? T | boolean : unknown extends T ? number | string | undefined : T;
type QueryIn<Schema> = Schema extends z.ZodType
  ? { [Name in keyof z.input<Schema>]: QueryValue<z.input<Schema>[Name]> }
  : never;

type ParamsPart<R> = R extends { params: infer S extends z.ZodType } ? { params: z.input<S> } : unknown;
type QueryPart<R> = R extends { query: infer S }
  ? Record<never, never> extends QueryIn<S>
    ? { query?: QueryIn<S> }
    : { query: QueryIn<S> }
  : unknown;
type BodyPart<R> = R extends { body: infer S extends z.ZodType }
  ? undefined extends z.input<S>
    ? { body?: z.input<S> }
    : { body: z.input<S> }
  : unknown;
/** A form that is written while it is sent, for files of gigabytes. It works only in Node. */
export interface StreamedForm {
  /** The media type with the boundary of its parts. */
  type: string;
  /** Returns the bytes; called for each attempt. */
  bytes(): AsyncIterable<Uint8Array>;
}
export type UploadForm = FormData | StreamedForm;
type UploadPart<R> = R extends { upload: { json: infer S extends z.ZodType } }
  ? { form: UploadForm } | { body: z.input<S> }
  : R extends { upload: unknown }
    ? { form: UploadForm }
    : unknown;

interface Transport {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}
type InputOf<R> = ParamsPart<R> & QueryPart<R> & BodyPart<R> & UploadPart<R> & Transport;

/** Every route by its method and path. */
type Table = {
  [R in AnyRoute as `${R['method']} ${R['path']}`]: { input: InputOf<R>; reply: ReplyOf<R> };
};
type RouteAt<Method extends HttpMethod, Path extends string> = Table[`${Method} ${Path}` & keyof Table];

/** The paths of the API that a method is served at, with parameters as `:name`. */
export type PathOf<Method extends HttpMethod> = {
  [Key in keyof Table]: Key extends `${Method} ${infer Path}` ? Path : never;
}[keyof Table];
/** The JSON that a route replies, from its schema in the contracts. */
export type Reply<Method extends HttpMethod, Path extends string> = RouteAt<Method, Path>['reply'];
/** The input of a route, from its schemas in the contracts, and how it is sent. */
export type Input<Method extends HttpMethod, Path extends string> = RouteAt<Method, Path>['input'];
/** The argument with the input, which may be left out if nothing in it is required. */
export type InputArgument<Method extends HttpMethod, Path extends string> =
  Record<never, never> extends Input<Method, Path>
    ? [input?: Input<Method, Path>]
    : [input: Input<Method, Path>];

/** Validates a JSON reply and returns it. @throws an error that names the route and the fields that differ */
export type ReplyCheck = (
  reply: { method: HttpMethod; path: string; status: number },
  body: unknown,
) => unknown | Promise<unknown>;
