import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import swaggerUi from '@fastify/swagger-ui';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { prefersHtml } from '../accept.js';
import type { Api, HttpDeps, HttpSettings } from '../deps.js';
import { mark, markWithName } from '../pages/mark.js';
import { problemPage, problemPageStyle } from '../pages/problem-pages.js';
import { absent } from '../problems.js';
import { cookieName } from './credentials.js';
import { isNetworkWorker, networkWorkerPolicy, serveNetworkWeights } from './network-weights.js';

const styleHash = `'sha256-${createHash('sha256').update(problemPageStyle).digest('base64')}'`;

const yearSeconds = 365 * 86_400;

/** The security headers let pages load scripts, styles and data from this service alone. */
export async function securityHeaders(api: Api, { allowedOrigins, basePath }: HttpSettings): Promise<void> {
  const headers = await headersBy({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", styleHash],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // The header is sent only if users come by https: on a plain address it would lock visitors out. Other
    // names do not belong to us, nor does a host on which we only have a path.
    strictTransportSecurity:
      basePath === '' && allowedOrigins.some((address) => address.startsWith('https:'))
        ? { maxAge: yearSeconds, includeSubDomains: false }
        : false,
    crossOriginEmbedderPolicy: false,
  });
  // Headers are set on the raw reply, so that streams that write their own head have them, too.
  api.addHook('onRequest', (_request, { raw }, done) => {
    for (const [name, value] of headers) raw.setHeader(name, value);
    done();
  });
}

/**
 * The headers of helmet are made once: they are the same for every reply, and making them takes a tenth of a
 * short request.
 */
async function headersBy(options: FastifyHelmetOptions): Promise<[name: string, value: string][]> {
  const probe = fastify();
  await probe.register(helmet, options);
  probe.get('/', async (_request, { raw }) => raw.getHeaders());
  const reply = await probe.inject('/');
  await probe.close();
  return Object.entries(reply.json<Record<string, string>>());
}

/** Serves the API reference at /docs, from files of this service. */
export async function referencePage(api: Api): Promise<void> {
  await api.register(swaggerUi, {
    routePrefix: '/docs',
    logo: { type: 'image/svg+xml', content: markWithName, href: `${api.basePath}/`, target: '_self' },
    theme: {
      title: 'Kindred API',
      favicon: [{ filename: 'favicon.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: mark }],
    },
    // The prefix serves addresses without a slash at their end; other addresses are relative.
    indexPrefix: api.basePath,
    uiConfig: { url: '/v1/openapi.json', deepLinking: true, docExpansion: 'list', validatorUrl: null },
  });
}

export function problemPages(api: Api): void {
  api.get('/problems', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(problemPage()),
  );
  api.get('/problems/:slug', { schema: { hide: true } }, async (request, reply) => {
    const { slug } = request.params as { slug: string };
    const page = problemPage(slug);
    if (page === null) throw absent('problem page', slug);
    return reply.type('text/html; charset=utf-8').send(page);
  });
}

/** The web client is absent if it was not built. */
export interface WebClient {
  /** Returns true when a page answers this request instead of the API. */
  wants(request: FastifyRequest): boolean;
  /** Returns true if the client has a page at the path; for other paths it shows "not found", with 404. */
  hasPage(url: string): boolean;
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

/** Programs that request the bare address and accept anything also get the page. */
function isFrontDoor({ url, headers }: FastifyRequest): boolean {
  return url.split('?', 1)[0] === '/' && /\*\/\*/.test(headers.accept ?? '*/*');
}

export async function webClient(api: Api, { settings }: HttpDeps): Promise<WebClient | null> {
  const root = settings.webRoot;
  if (root === null || !existsSync(join(root, 'index.html'))) return null;
  const pages = pagePattern(root);
  const index = readFileSync(join(root, 'index.html'), 'utf8');
  await api.register(fastifyStatic, {
    root,
    prefix: '/',
    // One route per file means that no path of a request ever reaches the file system.
    wildcard: false,
    index: false,
    decorateReply: true,
    // The build has packed the files: x.js.gz for x.js.
    preCompressed: true,
    setHeaders: (response, path) => {
      const forever = /[/\\]assets[/\\]/.test(path);
      response.header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (isNetworkWorker(path)) response.header('content-security-policy', networkWorkerPolicy);
    },
  });
  serveNetworkWeights(api, settings);
  return {
    wants: (request) =>
      (request.method === 'GET' || request.method === 'HEAD') &&
      !/^\/(v1|docs|health|metrics|problems)(\/|\?|$)/.test(request.url) &&
      (prefersHtml(request.headers.accept) || isFrontDoor(request)),
    hasPage: (url) => pages.test(url.split('?', 1)[0]),
    send: (request, reply) => sendPage(index, request, reply),
  };
}

/**
 * The text is shown if the client cannot be loaded, because the browser asks another server for its files.
 */
const adviceOnPath =
  'There is no such page. If this service is to be reached below a path, its operator sets SVC_BASE_URL to the whole address.';

/**
 * Sends the document of the client with the addresses of its files relative to the page. So the client is
 * loaded below any path, and can say when the service was set up for another path. A browser without a session gets a mark, so
 * that the client does not ask who is signed in. No browser keeps that document, because the mark is wrong after a login. A browser that
 * comes from another site, or does not say from where, keeps the cookie back, so nothing is known then.
 */
function sendPage(index: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { basePath } = request.server;
  const from = request.headers['sec-fetch-site'];
  const isVisitor = request.cookies[cookieName] === undefined && from !== undefined && from !== 'cross-site';
  const [path, query] = request.url.split(/(?=\?)/, 2);
  // The relative addresses of the files would be wrong at this address.
  if (basePath !== '' && request.originalUrl.split('?', 1)[0] === basePath)
    return reply.redirect(`/${query ?? ''}`);
  const up = '../'.repeat(path.split('/').length - 2) || './';
  const page = index
    .replaceAll('="./', `="${up}`)
    .replace('data-base-path="/"', `data-base-path="${basePath}/"`)
    .replace('<html', isVisitor ? '$& data-visitor' : '$&')
    .replace('<div id="root">', reply.statusCode === 404 ? `$&<p>${adviceOnPath}</p>` : '$&');
  return reply
    .headers({ vary: 'Accept', 'cache-control': isVisitor ? 'no-store' : 'no-cache' })
    .type('text/html; charset=utf-8')
    .send(page);
}

/**
 * The pattern matches the router's paths, such as `/jobs/$jobId`, which the build of the client writes into a
 * file.
 */
function pagePattern(root: string): RegExp {
  const paths: string[] = JSON.parse(readFileSync(join(root, 'pages.json'), 'utf8'));
  const patterns = paths.map((path) => path.replaceAll('.', '\\.').replaceAll(/\$\w+/g, '[^/]+'));
  return new RegExp(`^(${patterns.join('|')})/?$`);
}
