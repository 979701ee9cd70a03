// The statements of the specification on limits and pages, and on the reset. The file comes last, because nothing is left after the
// reset.
import { ask, is, places, post, problem, state } from './statements-lib.mjs';

async function pages(list) {
  const all = (await ask('GET', `${list}?limit=500`, { as: 'admin' })).body.map(({ id }) => id);
  const walked = [];
  for (let next = `/v1${list}?limit=2`; next !== null; ) {
    const reply = await ask('GET', next, { as: 'admin', mount: '' });
    walked.push(...reply.body.map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1] ?? null;
  }
  return { all, walked };
}

// The statements on limits.
{
  const of = places.limits;
  const thanks = (comment) => post('/support', comment === undefined ? {} : { comment });
  state(of, 'a support comment has at most 500 characters', () => thanks('x'.repeat(501)), problem(422));
  state(of, 'a support comment of 500 characters', () => thanks('x'.repeat(500)), is(201));
  state('Showcase, support, benchmark', 'a thumbs-up needs no comment', () => thanks(), is(201));
  state(
    'Showcase, support, benchmark',
    'GET /support has the count and recent comments',
    () => ask('GET', '/support'),
    is(200, ({ body }) => body.count >= 4 && body.comments.length > 0),
  );
  for (const list of [
    '/jobs',
    '/datasets',
    '/experiment-runs',
    '/query-sets',
    '/embeddings/prediction-sets',
    '/embeddings/configs',
  ])
    state(
      of,
      `${list}: pages by cursor have every row once`,
      () => pages(list),
      ({ all, walked }) =>
        JSON.stringify(all) === JSON.stringify(walked) || `${walked.length} of ${all.length}`,
    );
  const form = (count) => {
    const fasta = new FormData();
    fasta.set(
      'fasta_text',
      Array.from(
        { length: count },
        (_, at) => `>q${at}\nMDSPEVTFTLAYLVFAVCFVFTPNEF${'ACDEFGHIKL'[at]}\n`,
      ).join(''),
    );
    return fasta;
  };
  const annotate = (count) => ask('POST', '/annotate?save_history=false', { body: form(count) });
  state(of, 'an anonymous caller annotates up to 10 sequences a day', () => annotate(7), is(202));
  state(
    of,
    'more than that is 429 with Retry-After',
    () => annotate(1),
    (reply) =>
      problem(429)(reply) === true && (Number(reply.headers.get('retry-after')) > 0 || 'no Retry-After'),
  );
  const refused = async () => {
    for (let tries = 0; tries < 40; tries++) {
      const reply = await post(
        '/reranker-models/import-by-reference',
        { artifact_uri: 'file:///nope', run_json: {}, spec_yaml: '' },
        'cleo',
      );
      if (reply.status === 429) return reply;
    }
    return { status: 0, said: '', headers: new Headers() };
  };
  state(
    of,
    'login failures are limited with 429 and Retry-After',
    async () => {
      for (let tries = 0; tries < 30; tries++) {
        const reply = await post('/auth/login', { email: 'ben@example.org', password: 'wrong wrong wrong' });
        if (reply.status === 429) return reply;
      }
      return refused();
    },
    (reply) =>
      problem(429)(reply) === true && (Number(reply.headers.get('retry-after')) > 0 || 'no Retry-After'),
  );
}

// The statements on the reset.
{
  state(
    'Maintenance and admin',
    'POST /admin/reset-db needs an admin',
    () => post('/admin/reset-db', undefined, 'cleo'),
    problem(403),
  );
  state(
    'Maintenance and admin',
    'POST /admin/reset-db re-applies all migrations',
    () => post('/admin/reset-db', undefined, 'admin'),
    ({ status }) => [200, 202, 204].includes(status) || status,
  );
  state(
    'Maintenance and admin',
    'after it the catalogue is empty',
    () => ask('GET', '/proteins/stats'),
    is(200, ({ body }) => body.total === 0),
  );
}
