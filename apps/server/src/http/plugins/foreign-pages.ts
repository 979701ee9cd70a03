import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import type { Api, HttpSettings } from '../deps.js';

/**
 * Refuses foreign hosts against DNS rebinding. A page whose own name suddenly resolves to this machine has
 * the same origin for its browser, but still sends that name as Host. IP addresses cannot be rebound; health
 * probes use whatever name they have.
 */
export function refuseForeignHosts(app: Api, { allowedHosts, allowedOrigins }: HttpSettings): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const fault = hostFault(raw);
    done(fault === null ? undefined : new ProblemError('malformed_request', fault));
  });
  const given = allowedHosts ?? allowedOrigins;
  if (given.includes('*')) return;
  const allowed = new Set(['localhost', ...given.map(hostNameOf)]);
  const isOurs = (name: string) =>
    name === '' || allowed.has(name) || name.endsWith('.localhost') || isIP(name) !== 0;
  // Parsing an address takes longer than all other work here, and nearly all requests have the host of the
  // previous one.
  let last = '';
  app.addHook('onRequest', ({ host, routeOptions }, _reply, done) => {
    if (host === last) return done();
    const name = hostNameOf(host);
    if (isOurs(name)) last = host;
    else if (!routeOptions.url?.startsWith('/health')) return done(foreignHost(name));
    done();
  });
}

/** Says what RFC 9112 (3.2) refuses; null means nothing. */
function hostFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  if (headers.host === undefined) return httpVersion === '1.1' ? 'The request has no header Host.' : null;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at].length === 4 && rawHeaders[at].toLowerCase() === 'host') hosts++;
  return hosts > 1 ? 'The request has more than one header Host.' : null;
}

function foreignHost(name: string): ProblemError {
  return new ProblemError(
    'malformed_request',
    `This service does not answer requests to the host ${JSON.stringify(name.slice(0, 100))}. An operator can add it to SVC_ALLOWED_HOSTS.`,
  );
}

/**
 * Gives the name without scheme and port, in lower case, and an IPv6 address without brackets; '' without a
 * host.
 */
function hostNameOf(host: string): string {
  const url = urlOf(host);
  return url === null ? host : url.hostname.replaceAll(/^\[|\]$/g, '');
}

function urlOf(host: string): URL | null {
  const address = host.includes('://') ? host : `http://${host}`;
  return URL.canParse(address) ? new URL(address) : null;
}

const reads = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes that a browser makes for the page of another service, whatever credential they carry. A POST
 * without a body needs no permission of the target, a login changes the visitor's session, and without
 * authentication everyone is administrator. Programs send neither Origin nor Sec-Fetch-Site and pass.
 */
export function refuseForeignPages(app: Api, settings: HttpSettings): void {
  const configured = configuredOrigins(settings);
  app.addHook('onRequest', (request, _reply, done) => {
    if (reads.has(request.method)) return done();
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const isOurPage = site === undefined || site === 'same-origin' || site === 'none';
    if (isOurPage && (origin === undefined || configured(origin, request))) return done();
    done(
      new ProblemError(
        'origin_refused',
        `A page of ${JSON.stringify((origin ?? 'another site').slice(0, 100))} may not write to this service. If that is the address of the service itself, an operator sets SVC_BASE_URL to it.`,
      ),
    );
  });
}

/**
 * Tells whether an Origin is an address that the operator configured, or the address that the connection
 * arrived at. The Host header does not count, because its sender chooses it.
 */
function configuredOrigins({ allowedOrigins, allowedHosts }: HttpSettings) {
  const origins = new Set(allowedOrigins.map((address) => new URL(address).origin));
  const hosts = new Set((allowedHosts ?? []).flatMap((host) => urlOf(host)?.host ?? []));
  return (origin: string, { socket }: FastifyRequest): boolean => {
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    if (origins.has(url.origin) || hosts.has(url.host)) return true;
    if (Number(url.port || 80) !== socket.localPort) return false;
    const name = hostNameOf(origin);
    return hosts.has(name) || namesOf(socket.localAddress ?? '').includes(name);
  };
}

/** A browser reaches a local address by these names without a name server. */
function namesOf(address: string): string[] {
  const plain = address.replace(/^::ffff:/, '');
  const isLoopback = plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
  return isLoopback ? ['localhost', '127.0.0.1', '::1', plain] : [plain];
}
