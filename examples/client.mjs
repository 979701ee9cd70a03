// Helpers of the example scripts besides the client of the API: the service of this machine, and tables to read and to print.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@kindred/client';

/** @param {{ url: string, apiKey: string }} service */
export function apiClient({ url, apiKey }) {
  const client = new Client({
    baseUrl: url,
    headers: { authorization: `ApiKey ${apiKey}` },
    waitWhenLimited: true,
    toError: ({ document }) => new Error(sentenceOf(document)),
  });
  const route = (path) => path.replace(/^\/v1(?=\/)/, '');

  /** Waits for the end of a job. @returns the job, with its result and `seconds` from its start to its end */
  async function finish(id) {
    const job = await client.finish(id);
    return { ...job, seconds: (Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1000 };
  }
  const post = (path, body) => client.post(route(path), { body });

  return {
    post,
    finish,
    get: (path) => client.get(route(path)),
    text: async (path) => (await client.download(route(path))).text(),
    /** Queues an operation by its shortcut, and waits for its end. */
    queue: async (path, body) => finish((await post(path, body)).id),
    /** Queues an operation by its name, and waits for its end. */
    run: async (operation, queue_name, payload) =>
      finish((await post('/jobs', { operation, queue_name, payload })).id),
    /** Sends a FASTA text as a form, with other fields. */
    upload(path, fasta, fields) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', new Blob([fasta]), 'queries.fasta');
      return client.post(route(path), { form });
    },
  };
}

function sentenceOf({ status, detail, errors }) {
  const faults = errors.map((fault) => `${fault.path}: ${fault.message}`);
  return [detail, ...faults, ...(status === 0 ? [] : [`(HTTP ${status})`])].join(' ');
}

/** Reads the rows of a TSV with a header, as objects. */
export function readTsv(text) {
  const [header, ...lines] = text.trimEnd().split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, index) => [name, cells[index]]));
  });
}

/** Writes text in columns of equal width. */
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

/** Returns the service that the arguments name, or else the one that runs on the data folder of this machine. */
export function serviceOf({ url, 'api-key': apiKey, 'data-dir': dataDir }) {
  const read = (file) => JSON.parse(readFileSync(join(dataDir, file), 'utf8'));
  try {
    return { url: url ?? read('service.json').url, apiKey: apiKey ?? read('local-credential.json').apiKey };
  } catch {
    throw new Error(`No service runs on ${dataDir}: start it with "npm start", or give --url and --api-key.`);
  }
}

/** The options of every script, for `parseArgs`. */
export const serviceOptions = {
  url: { type: 'string', default: process.env.SVC_URL },
  'api-key': { type: 'string', default: process.env.SVC_API_KEY },
  'data-dir': { type: 'string', default: process.env.SVC_DATA_DIR ?? 'data' },
};
