import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { context, propagation, trace } from '@opentelemetry/api';
import fc from 'fast-check';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { requestSpans } from './http-spans.js';
import { removePropagation } from './propagation.js';
import { contextOf, startTracing } from './tracing.js';

const off = { otelEnabled: false, otelEndpoint: null, otelServiceName: null, otelSampleRatio: 1 };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = `00-${traceId}-b7ad6b7169203331-01`;

afterEach(() => {
  removePropagation();
  trace.disable();
});

function injected(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

async function app() {
  const server = fastify();
  requestSpans(server);
  server.post('/echo', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return injected();
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const post = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ filler: 'x'.repeat(200_000) });
    const all = { 'content-type': 'application/json', ...headers };
    const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body, headers: all });
    const { 'x-request-id': _id, ...rest } = (await response.json()) as Record<string, string>;
    return rest as { traceparent?: string };
  };
  return { post, close: () => server.close() };
}

describe('without the SDK', () => {
  it('carries the trace of a request, read in several pieces, into what its handler sends', async () => {
    await startTracing(off, 'svc-api');
    const { post, close } = await app();
    expect(await post({ traceparent: parent })).toEqual({ traceparent: parent });
    expect(await post({})).toEqual({});
    await close();
  });

  it('returns every valid traceparent unchanged, except for unknown flags', async () => {
    await startTracing(off, 'svc-api');
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    fc.assert(
      fc.property(hex(32), hex(16), fc.constantFrom('00', '01'), (id, span, flags) => {
        fc.pre(!/^0+$/.test(id) && !/^0+$/.test(span));
        const header = `00-${id}-${span}-${flags}`;
        expect(context.with(contextOf({ traceparent: header }), injected)).toEqual({ traceparent: header });
      }),
    );
  });

  it.each([
    ['a zero trace id', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['a zero span id', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['version ff', parent.replace(/^00/, 'ff')],
    ['more fields in version 00', `${parent}-more`],
    ['capitals', parent.toUpperCase()],
    ['other text', 'nonsense'],
  ])('ignores %s', async (_what, header) => {
    await startTracing(off, 'svc-api');
    expect(context.with(contextOf({ traceparent: header }), injected)).toEqual({});
  });

  it('reads later versions by their first four fields', async () => {
    await startTracing(off, 'svc-api');
    const header = `${parent.replace(/^00/, '01')}-more`;
    expect(context.with(contextOf({ traceparent: header }), injected)).toEqual({ traceparent: parent });
  });
});

describe('with the SDK', () => {
  async function collector(): Promise<{ server: Server; url: string; bodies: Buffer[]; paths: string[] }> {
    const bodies: Buffer[] = [];
    const paths: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
        paths.push(String(request.url));
        response.setHeader('content-type', 'application/json').end('{}');
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, paths };
  }

  it('sends a span of each request, child of the caller, under the name of the service', async () => {
    const { server, url, bodies, paths } = await collector();
    const tracing = await startTracing({ ...off, otelEnabled: true, otelEndpoint: url }, 'svc-api');
    const { post, close } = await app();
    const answer = await post({ traceparent: parent });
    expect(answer.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(answer.traceparent).not.toBe(parent);
    await close();
    await tracing.shutdown();
    server.close();
    expect(paths).toEqual(['/v1/traces']);
    const sent = JSON.stringify(JSON.parse(bodies[0].toString()));
    for (const text of [traceId, 'svc-api', 'POST /echo', 'b7ad6b7169203331']) expect(sent).toContain(text);
  });

  it('at ratio 0 records no new trace, but every trace that a caller records', async () => {
    const { server, url, bodies } = await collector();
    const settings = { ...off, otelEnabled: true, otelEndpoint: url, otelSampleRatio: 0 };
    const tracing = await startTracing(settings, 'svc-api');
    const { post, close } = await app();
    expect((await post({})).traceparent).toMatch(/-00$/);
    expect((await post({ traceparent: parent })).traceparent).toMatch(/-01$/);
    await close();
    await tracing.shutdown();
    server.close();
    const spans = bodies.flatMap(
      (body) => JSON.stringify(JSON.parse(body.toString())).match(/"name":"POST/g) ?? [],
    );
    expect(spans).toHaveLength(1);
  });
});
