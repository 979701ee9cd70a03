// What the example scripts need of the HTTP API, with nothing but fetch: send, wait for a job, read and write tables.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 300;

/** @param {{ url: string, apiKey: string }} service */
export function apiClient({ url, apiKey }) {
  async function request(method, path, { body, type } = {}) {
    const headers = {
      authorization: `ApiKey ${apiKey}`,
      ...(type === undefined ? {} : { 'content-type': type }),
    };
    for (;;) {
      const response = await fetch(new URL(path, url), { method, headers, body });
      if (response.ok) return response;
      const problem = await response.json().catch(() => ({}));
      if (response.status === 429 && response.headers.has('retry-after')) {
        await sleep(1000 * Number(response.headers.get('retry-after')));
        continue;
      }
      const faults = (problem.errors ?? []).map((fault) => `${fault.path}: ${fault.message}`);
      const words = [problem.detail ?? problem.title ?? '', ...faults].join(' ');
      throw new Error(`${method} ${path}: HTTP ${response.status}. ${words}`);
    }
  }

  async function post(path, body) {
    return (await request('POST', path, { body: JSON.stringify(body), type: 'application/json' })).json();
  }

  /** Waits for the end of a job. @returns the job, with its result and `seconds` from its start to its end */
  async function finish(id) {
    for (;;) {
      const job = await (await request('GET', `/v1/jobs/${id}`)).json();
      if (job.status === 'SUCCEEDED')
        return { ...job, seconds: (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000 };
      if (job.status === 'FAILED' || job.status === 'CANCELLED')
        throw new Error(
          `Job ${id} (${job.operation}) is ${job.status}: ${job.error_message ?? 'no reason given'}`,
        );
      await sleep(pollMs);
    }
  }

  return {
    post,
    finish,
    get: async (path) => (await request('GET', path)).json(),
    text: async (path) => (await request('GET', path)).text(),
    /** Queues an operation by its shortcut and waits. */
    queue: async (path, body) => finish((await post(path, body)).id),
    /** Queues an operation by its name and waits. */
    run: async (operation, queue_name, payload) =>
      finish((await post('/v1/jobs', { operation, queue_name, payload })).id),
    /** Sends a FASTA text as a form. */
    async upload(path, fasta, name) {
      const form = new FormData();
      form.set('name', name);
      form.set('file', new Blob([fasta]), 'queries.fasta');
      return (await request('POST', path, { body: form })).json();
    },
  };
}

/** Rows of a TSV with a header, as objects. */
export function readTsv(text) {
  const [header, ...lines] = text.trimEnd().split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  });
}

/** Text in columns of equal width. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The service that the arguments name, else the one that runs on the data folder of this machine. */
export function serviceOf({ url, 'api-key': apiKey, 'data-dir': dataDir }) {
  const read = (file) => JSON.parse(readFileSync(join(dataDir, file), 'utf8'));
  try {
    return { url: url ?? read('service.json').url, apiKey: apiKey ?? read('local-credential.json').apiKey };
  } catch {
    throw new Error(`No service runs on ${dataDir}: start it with "npm start", or give --url and --api-key.`);
  }
}

/** Options of every script, for `parseArgs`. */
export const serviceOptions = {
  url: { type: 'string', default: process.env.SVC_URL },
  'api-key': { type: 'string', default: process.env.SVC_API_KEY },
  'data-dir': { type: 'string', default: process.env.SVC_DATA_DIR ?? 'data' },
};
