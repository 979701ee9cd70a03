import { maxBodyTokens } from '@kindred/contracts/route';
import { ProblemError } from '@kindred/contracts';
import type { FastifyRequest } from 'fastify';
import { parseJson } from '../uploads/json-text.js';
import type { Api } from '../deps.js';
import { fieldProblem } from '../problems.js';

/**
 * Parses JSON bodies. An empty body with a JSON content type, as many clients send it, counts as no body. The
 * bytes of an upload are not parsed here, because its handler parses them outside the event loop.
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
    const fault = mediaFault(request);
    if (fault !== null) return done(new ProblemError('unsupported_media_type', fault));
    if (!request.url.includes('%00')) return done();
    done(fieldProblem('', 'the address holds the character U+0000 (%00)'));
  });
}

/** Says why no route can read the body; null means that a route may. */
function mediaFault({ headers, routeOptions }: FastifyRequest): string | null {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    return 'A body with a Content-Encoding is not read. Send it as it is; a file of sequences may be packed with gzip.';
  const isForm = headers['content-type']?.toLowerCase().startsWith('multipart/') === true;
  if (isForm && routeOptions.url !== undefined && routeOptions.config.takesForm !== true)
    return 'This route takes no form. Send application/json.';
  return null;
}
