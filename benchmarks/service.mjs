// A service of its own for a benchmark, which uses only the service's API.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const mainFile = fileURLToPath(new URL('../apps/server/dist/main.js', import.meta.url));

/** Starts a service on an empty data folder. It may read files of `importDir`. */
export async function startService(dataDir, importDir, settings = {}) {
  const env = { ...process.env, SVC_DATA_DIR: dataDir, SVC_IMPORT_DIR: importDir };
  for (const name of ['SVC_DB_URL', 'SVC_AMQP_URL', 'SVC_URL', 'SVC_API_KEY']) delete env[name];
  Object.assign(env, settings);
  const child = spawn(process.execPath, [mainFile, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await Promise.race([
    new Promise((resolve) => child.on('message', (/** @type {any} */ { ready }) => ready && resolve(ready))),
    ended.then((code) => Promise.reject(new Error(`the service ended with ${code} before it was ready`))),
  ]);
  const { apiKey } = JSON.parse(readFileSync(join(dataDir, 'local-credential.json'), 'utf8'));
  return {
    pid: child.pid,
    url,
    api: apiOf(url, apiKey),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function apiOf(url, apiKey) {
  const headers = { authorization: `ApiKey ${apiKey}` };
  const call = async (path, options = {}) => {
    const response = await fetch(url + path, { ...options, headers: { ...headers, ...options.headers } });
    if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${await response.text()}`);
    return response;
  };
  const json = async (path, options) => (await call(path, options)).json();
  const post = (path, body) =>
    json(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  return {
    headers,
    call,
    json,
    post,
    upload: (path, body) => json(path, { method: 'POST', body }),
    /** Submits a job, waits for its end, and returns its result. */
    async run(path, body) {
      const { id } = await post(path, body);
      for (;;) {
        const job = await json(`/v1/jobs/${id}`);
        if (job.status === 'SUCCEEDED') return job.result;
        if (job.status === 'FAILED') throw new Error(`${job.operation}: ${job.error_message}`);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    },
    /** Reads an answer to its end, and returns its lines. */
    async lines(path) {
      let lines = 0;
      for await (const chunk of (await call(path)).body) for (const byte of chunk) if (byte === 10) lines++;
      return lines;
    },
  };
}
