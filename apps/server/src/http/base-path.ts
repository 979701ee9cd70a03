import type { Api } from './deps.js';

/**
 * Gives the path of a request as the routes have it. A proxy may keep or remove the path of SVC_BASE_URL, and
 * programs of this machine do not know that path.
 */
export function withoutBasePath(basePath: string, url: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}

/** Addresses of this service in `Location` begin with its path; addresses of other services stay. */
export function answerBelow(app: Api, basePath: string): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const location = reply.getHeader('location');
    if (typeof location === 'string' && location.startsWith('/'))
      reply.header('location', basePath + location);
    done(null, payload);
  });
}
