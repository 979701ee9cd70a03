import { maxBodyTokens } from '@kindred/contracts/route';
import type { FastifyRequest } from 'fastify';
import { parseJson } from '../uploads/json-text.js';
import type { Api } from '../deps.js';
import { fieldProblem } from '../problems.js';

/**
 * JSON bodies. An empty body with a JSON content type, as many clients send it, counts as no body. The bytes of an upload are not parsed
 * here: its handler has them read outside of the event loop.
 */
export function jsonBodies(api: Api): void {
  api.removeContentTypeParser(['application/json', 'text/plain']);
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) =>
      request.routeOptions.config?.takesBytes ? body : parseJson(body, maxBodyTokens),
  );
  api.addHook('onRequest', (request, _reply, done) => {
    if (!request.url.includes('%00')) return done();
    done(fieldProblem('', 'the address holds the character U+0000 (%00)'));
  });
}
