import type { Server } from 'node:http';
import cookie from '@fastify/cookie';
import multipart from '@fastify/multipart';
import { requestIdHeader } from '@kindred/contracts';
import { maxBodyBytes } from '@kindred/contracts/route';
import fastify, { type FastifyInstance, type FastifyHttpOptions, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { ClientHasher } from '../accounts/client-hash.js';
import { anonymous } from '../accounts/principal.js';
import { sweepAccounts } from '../accounts/sweep.js';
import { requestSpans } from '../telemetry/http-spans.js';
import { requestIdField } from '../telemetry/log.js';
import { requestIdOf } from '../telemetry/request-id.js';
import { answerBelow, withoutBasePath } from './base-path.js';
import { readLanes, shedLoad } from './admission.js';
import type { Api, HttpDeps, RouteDeps } from './deps.js';
import { refuseForeignHosts, refuseForeignPages } from './plugins/foreign-pages.js';
import { guardRoutes } from './plugins/gate.js';
import { jsonBodies } from './plugins/json-bodies.js';
import { notFound } from './plugins/not-found.js';
import { openApi } from './plugins/openapi.js';
import { requestMetrics } from './plugins/telemetry.js';
import { UploadsAtOnce } from './plugins/uploads-at-once.js';
import { takeRefusedBodies } from './plugins/refused-bodies.js';
import { countVisits } from './plugins/visits.js';
import {
  problemPages,
  referencePage,
  securityHeaders,
  type WebClient,
  webClient,
} from './plugins/web-pages.js';
import { refuseSyntax, sendProblem } from './problems.js';
import { packReplies, ReplyCache } from './reply-cache.js';
import { healthRoutes } from './routes/health/routes.js';
import { routeModules } from './routes/index.js';
import { OpenStreams } from './open-streams.js';
import { hideServerPaths } from './server-paths.js';
import { Ontologies } from './ontologies.js';
import { Slims } from './slims.js';
import { validatorCompiler } from './validation.js';

/** The bare paths became aliases of /v1 on this day (RFC 9745: seconds since 1970). */
const deprecatedSince = `@${Date.UTC(2026, 0, 1) / 1000}`;
/**
 * One process has at most this many connections: each costs a file descriptor and some memory, however little
 * it sends.
 */
const maxConnections = 4000;
const dropWarningMs = 60_000;
/** A whole request with its upload may take this long; a connection that sends too slowly is closed. */
const requestTimeoutMs = 600_000;
const sweepIntervalMs = 3_600_000;

/**
 * Builds the whole HTTP service. Nothing is opened before `ready()` or `listen()`; `inject()` serves tests.
 */
export async function buildApp(deps: HttpDeps): Promise<FastifyInstance> {
  const app = fastify(serverOptions(deps)).withTypeProvider<ZodTypeProvider>() as unknown as Api;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, request, reply) => sendProblem(request, reply, error));
  app.decorate('basePath', deps.settings.basePath);
  app.decorateRequest('principal', null as never);
  // The hooks of every request use callbacks, because a promise costs more than most of these hooks.
  app.addHook('onRequest', (request, reply, done) => {
    request.principal = anonymous;
    reply.header(requestIdHeader, request.id);
    // A proxy that keeps connections then opens its next connection to another process.
    if (deps.stopping?.aborted) reply.header('connection', 'close');
    done();
  });
  if (deps.settings.basePath !== '') answerBelow(app, deps.settings.basePath);
  refuseForeignHosts(app, deps.settings);
  refuseForeignPages(app, deps.settings);
  jsonBodies(app);
  takeRefusedBodies(app);
  requestMetrics(app, deps);
  requestSpans(app);
  const clients = new ClientHasher(deps.db);
  countVisits(app, deps, clients);
  await securityHeaders(app, deps.settings);
  await app.register(cookie);
  await app.register(multipart);
  await openApi(app, deps);
  const web = await webClient(app, deps);
  notFound(app, web);
  healthRoutes(app, deps);
  problemPages(app);
  await referencePage(app);
  const replies = new ReplyCache(deps.metrics);
  replies.listen(app, deps);
  const ontologies = new Ontologies(deps.db);
  const routeDeps = {
    ...deps,
    ...{ clients, ontologies, slims: new Slims(deps.db, ontologies) },
    ...{ streams: new OpenStreams(), replies },
  };
  await mountTwice(app, routeDeps, web);
  app.addHook('onClose', async () => deps.mail?.settled());
  limitConnections(app);
  // Node would refuse an unknown expectation without a problem document. The service may ignore it (RFC 9110,
  // 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  startSweep(app, deps);
  return app as unknown as FastifyInstance;
}

function serverOptions({ log, settings }: HttpDeps): FastifyHttpOptions<Server> {
  return {
    ...(log === null ? { logger: false } : { loggerInstance: log }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: requestIdField }),
    genReqId: ({ headers }) => requestIdOf(headers),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Node would answer without a problem document.
    http: { requireHostHeader: false },
    // Requests that come in while the server closes are answered, not refused.
    return503OnClosing: false,
    clientErrorHandler: refuseSyntax,
    trustProxy: settings.trustedProxies.length > 0 ? settings.trustedProxies : false,
    routerOptions: { maxParamLength: 300 },
    ...(settings.basePath === ''
      ? {}
      : { rewriteUrl: ({ url = '/' }) => withoutBasePath(settings.basePath, url) }),
    // A path that is not valid percent-encoding never reaches a route.
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply, error);
    },
  };
}

/** Mounts the same handlers twice: under /v1, in the description, and bare, as deprecated aliases. */
async function mountTwice(
  app: Api,
  deps: RouteDeps & { replies: ReplyCache },
  web: WebClient | null,
): Promise<void> {
  const lanes = readLanes(deps.db.pool.options.max as number);
  const uploads = new UploadsAtOnce();
  const routes = async (scope: Api, canonical: boolean) => {
    if (!canonical) deprecate(scope, web);
    guardRoutes(scope, deps, canonical, uploads);
    hideServerPaths(scope);
    deps.replies.serve(scope);
    shedLoad(scope, deps, lanes);
    packReplies(scope);
    for (const module of routeModules) module(scope, deps);
  };
  await app.register(async (scope) => routes(scope as unknown as Api, true), { prefix: '/v1' });
  await app.register(async (scope) => routes(scope as unknown as Api, false));
  let description: string | undefined;
  for (const url of ['/v1/openapi.json', '/openapi.json']) {
    app.get(url, { schema: { hide: true } }, async (_request, reply) => {
      description ??= JSON.stringify(app.swagger());
      return reply.type('application/json').send(description);
    });
  }
}

function deprecate(scope: Api, web: WebClient | null): void {
  scope.addHook('onRequest', async (request, reply) => {
    // A browser gets the API for a bare path that is not a page.
    if (web?.wants(request) && web.hasPage(request.url)) return web.send(request, reply);
    reply.header('deprecation', deprecatedSince);
    const path = request.url.split('?', 1)[0];
    reply.header('link', `<${scope.basePath}/v1${path}>; rel="successor-version"`);
    if (web !== null) reply.header('vary', 'Accept');
  });
}

/**
 * Closes connections beyond the limit at once, so that open ones are still served. The log mentions it at
 * most once a minute.
 */
function limitConnections(app: Api): void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  app.server.maxConnections = maxConnections;
  app.server.on('drop', () => {
    if (performance.now() - warnedAt < dropWarningMs) return;
    warnedAt = performance.now();
    app.log.warn({ limit: maxConnections }, 'too many connections; further ones are closed');
  });
}

/** Deletes counters and sessions that are over. The sweep runs only if the app really listens. */
function startSweep(app: Api, deps: HttpDeps): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', async () => {
    const sweep = () => {
      sweepAccounts(deps.db).catch((error) => app.log.warn({ err: error }, 'sweep failed'));
    };
    timer = setInterval(sweep, sweepIntervalMs).unref();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}
