import type { ReplyOf, RequestOf, Route } from '@kindred/contracts';
import { bodyOf, type MediaReply, queryOf } from '@kindred/contracts/route';
import { z } from 'zod';
import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RouteShorthandOptions,
} from 'fastify';
import type { Api } from './deps.js';

type Handler<R extends Route> = (
  request: FastifyRequest<RequestOf<R>>,
  reply: FastifyReply,
) => ReplyOf<R> | FastifyReply | Promise<ReplyOf<R> | FastifyReply>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler gets JSON as bytes, because it may be too large for the event loop. */
    takesBytes?: boolean;
    /** The handler reads multipart/form-data. */
    takesForm?: boolean;
  }
}

interface ServeOptions extends Pick<RouteShorthandOptions, 'onRequest'> {
  bodyLimit?: number;
  config?: FastifyContextConfig;
}

/** Serves a route of the contracts: its schemas validate requests and give the handler its types. */
export function serve<const R extends Route>(
  api: Api,
  route: R,
  handler: Handler<R>,
  { config, ...options }: ServeOptions = {},
): void {
  const takesBytes = route.upload?.json !== undefined;
  api.route({
    method: route.method,
    url: route.path,
    schema: schemaOf(route),
    ...(route.head === false ? { exposeHeadRoute: false } : {}),
    ...options,
    config: { ...config, takesBytes, takesForm: route.upload !== undefined },
    handler: handler as never,
  });
}

function schemaOf(route: Route): FastifySchema {
  const { params, upload, reply } = route;
  const body = bodyOf(route);
  const consumes = ['multipart/form-data', ...(upload?.json === undefined ? [] : ['application/json'])];
  return {
    ...(params === undefined ? {} : { params }),
    querystring: queryOf(route),
    ...(body === undefined ? {} : { body }),
    ...(upload === undefined ? {} : { upload: upload.form, uploadJson: upload.json, consumes }),
    response: Object.fromEntries(Object.entries(reply).map(([status, said]) => [status, describable(said)])),
  } as FastifySchema;
}

/** The describing library does not take a reply without a media type. */
function describable(reply: z.ZodType | MediaReply): z.ZodType | MediaReply {
  const isEmpty = 'content' in reply && Object.keys(reply.content).length === 0;
  return isEmpty ? z.null().meta({ description: reply.description }) : reply;
}
