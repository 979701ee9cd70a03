// The functions that the walk of the specification shares. They make a table of statements, each with its place in the document, a
// request and a test of the reply.
import { appendFileSync } from 'node:fs';

/** The sections of the specification. */
export const places = {
  wire: 'What the service does',
  resources: 'Resources and their fields',
  states: 'States and transitions',
  health: 'Health',
  authentication: 'Authentication',
  events: 'Events',
  errors: 'Errors',
  limits: 'Limits',
  versioning: 'Versioning',
};

/** The service, and headers by role and name, which are set before the walk. */
export const world = { url: '', headers: {}, ids: {} };
const statements = [];

/** Adds a statement. `sees` gets the reply and returns true, or says what is wrong. */
export function state(place, says, request, sees) {
  statements.push({ place, says, request, sees });
}

/** Sends one request; JSON is parsed. `as` is a name of `world.headers`. */
export async function ask(
  method,
  path,
  { as = 'viewer', body, headers = {}, mount = '/v1', text = false } = {},
) {
  const isForm = body instanceof FormData || typeof body === 'string';
  const response = await fetch(`${world.url}${mount}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...world.headers[as],
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || isForm ? body : JSON.stringify(body),
  });
  const raw = Buffer.from(await response.arrayBuffer());
  const said = raw.toString('utf8');
  const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    raw,
    said,
    body: isJson && !text && said !== '' ? JSON.parse(said) : said,
  };
}

/** Expects the status, and that `holds` accepts the reply. */
export const is =
  (status, holds = () => true) =>
  (reply) => {
    if (reply.status !== status) return `${reply.status}, not ${status}: ${reply.said.slice(0, 300)}`;
    const found = holds(reply);
    return found === true
      ? true
      : `${typeof found === 'string' ? `${found}: ` : ''}${reply.said.slice(0, 300)}`;
  };

/** Expects a problem document; `holds` may test more of its members. */
export const problem = (status, type, holds = () => true) =>
  is(status, ({ headers, body }) => {
    if (!headers.get('content-type')?.startsWith('application/problem+json')) return 'no problem document';
    if (body.status !== status || typeof body.title !== 'string' || !/^\/problems\/[a-z-]+$/.test(body.type))
      return 'members of the problem';
    if (type !== undefined && body.type !== type) return `type ${body.type}`;
    return holds(body);
  });

/** Sends all requests in turn. @returns counts */
export async function walk() {
  const counts = new Map();
  const failures = [];
  for (const { place, says, request, sees } of statements) {
    const found = await Promise.resolve()
      .then(request)
      .then(sees)
      .catch((error) => error.stack.split('\n').slice(0, 2).join(' '));
    const [tried, failed] = counts.get(place) ?? [0, 0];
    counts.set(place, [tried + 1, failed + (found === true ? 0 : 1)]);
    if (found === true) continue;
    const line = `FAILED: statements: ${place}: ${says}: ${found === false ? 'it does not hold' : found}`;
    failures.push(line);
    console.log(line);
    if (process.env.KINDRED_FAILURES) appendFileSync(process.env.KINDRED_FAILURES, `${line}\n`);
  }
  for (const [place, [tried, failed]] of counts) console.log(`${place}: ${tried} statements, ${failed} fail`);
  return { tried: statements.length, failed: failures.length };
}

export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const id = (name) => world.ids[name];
export const ping = { operation: 'ping', queue_name: 'svc.ping' };
export const rows = (text) => text.replace(/\n$/, '').split('\n');
export const post = (path, body, as, more = {}) => ask('POST', path, { body, as, ...more });

/** Returns the job when it has ended. */
export async function finished(job) {
  for (;;) {
    const { body } = await ask('GET', `/jobs/${job}`, { as: 'admin' });
    if (['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(body.status)) return body;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Makes a form with one sequence in a file. */
export function fasta(
  name = 'q1',
  sequence = 'MDSPEVTFTLAYLVFAVCFVFTPNEFHAAGLTVQNLLSGWLGSEDAAFVPFHLRRTAATL',
) {
  const form = new FormData();
  form.set('name', 'statements');
  form.set('file', new Blob([`>${name} first OX=9606\n${sequence}\n`]), 'q.fasta');
  return form;
}
