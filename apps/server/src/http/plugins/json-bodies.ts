import type { Api } from '../deps.js';
import { fieldProblem } from '../problems.js';

/** JSON bodies. An empty body with a JSON content type is not a body, as many clients send it. */
export function jsonBodies(api: Api): void {
  const parse = api.getDefaultJsonParser('error', 'error');
  api.removeContentTypeParser(['application/json', 'text/plain']);
  api.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text.trim() === '') return done(null, undefined);
    // PostgreSQL can store no NUL; saying so here names the cause.
    if (text.includes('\\u0000'))
      return done(fieldProblem('', 'a text holds the character U+0000, which cannot be stored'));
    return parse(request, text, done);
  });
  api.addHook('onRequest', async (request) => {
    if (/%00/.test(request.url)) throw fieldProblem('', 'the address holds the character U+0000 (%00)');
  });
}
