import { Counter, Gauge, Histogram } from 'prom-client';
import type { Api, HttpDeps } from '../deps.js';

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const unmatched = '__unmatched__';

/** Counts requests by route template, so that a path with an id makes no new series. */
export function requestMetrics(api: Api, { metrics }: HttpDeps): void {
  if (metrics === null) return;
  const registers = [metrics.registry];
  const total = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the first byte of a request to the last of its answer',
    labelNames: ['method', 'route'],
    buckets: seconds,
    registers,
  });
  const inFlight = new Gauge({ name: 'http_requests_in_flight', help: 'Requests being answered', registers });
  api.addHook('onRequest', (_request, reply, done) => {
    inFlight.inc();
    let open = true;
    // The count also ends if the client leaves before the answer.
    reply.raw.once('close', () => {
      if (open) inFlight.dec();
      open = false;
    });
    done();
  });
  api.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? unmatched;
    total.inc({ method: request.method, route, status: reply.statusCode });
    duration.observe({ method: request.method, route }, reply.elapsedTime / 1000);
    done();
  });
}
