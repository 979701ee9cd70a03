import { context, type Context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import { inRequest, requestIdAttribute } from './request-id.js';
import { contextOf } from './tracing.js';

/**
 * The hooks use only this part of a Fastify instance, which does not depend on its type provider and logger.
 */
type Hooks = Pick<FastifyInstance<RawServerDefault>, 'addHook'>;

/**
 * Creates a span for each request that continues the caller's trace. Work that the handler starts or
 * publishes belongs to the span, and to the request's id.
 */
export function requestSpans(api: Hooks): void {
  const contexts = new WeakMap<FastifyRequest, Context>();
  api.addHook('onRequest', (request, _reply, done) => {
    const parent = contextOf(request.headers);
    const name = `${request.method} ${request.routeOptions.url ?? 'unmatched'}`;
    const attributes = {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url,
      [requestIdAttribute]: request.id,
    };
    const span = trace
      .getTracer('kindred-http')
      .startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const inside = inRequest(trace.setSpan(parent, span), request.id);
    contexts.set(request, inside);
    context.with(inside, done);
  });
  // The body arrives in socket events, outside the context of the request.
  api.addHook('preValidation', (request, _reply, done) => {
    context.with(contexts.get(request) ?? context.active(), done);
  });
  api.addHook('onResponse', (request, reply, done) => {
    const span = trace.getSpan(contexts.get(request) ?? context.active());
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
