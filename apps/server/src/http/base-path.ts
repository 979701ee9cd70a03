import type { Api } from './deps.js';

/**
 * The path of a request as the routes have it. A proxy may pass the path of SVC_BASE_URL on or take it away, and programs of this
 * machine do not know of it.
 */
export function withoutBasePath(basePath: string, url: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}

/** Addresses of this service in `Location` begin with its path; those of other services stay. */
export function answerBelow(app: Api, basePath: string): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', basePath + location);
    done(null, payload);
  });
}
