import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFile } from '../../ground/folders.js';
import { isAlive } from '../../run/supervise/process-identity.js';

const endMs = 35_000;

/** Holds one run of the built command, its output and its exit. */
export class Command {
  stdout = '';
  stderr = '';
  ready: string | null = null;
  readonly ended: Promise<number | string>;

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk) => (this.stdout += chunk));
    child.stderr?.on('data', (chunk) => (this.stderr += chunk));
    child.on('message', (message: { ready?: string }) => (this.ready = message.ready ?? this.ready));
    this.ended = new Promise((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? code ?? -1)),
    );
  }

  static run(
    args: string[],
    env: NodeJS.ProcessEnv,
    { uid, program = programFile }: { uid?: number; program?: string } = {},
  ): Command {
    if (!existsSync(program)) throw new Error(`${program} is missing: run npm run build first`);
    // The command runs as its users run it, because some libraries behave better if CI is set.
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_') && name !== 'CI'),
    );
    return new Command(
      spawn(process.execPath, [program, ...args], {
        env: { ...clean, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        uid,
      }),
    );
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /**
   * Waits until the condition holds.
   * @throws Error with all output if the process ends first
   */
  async until(condition: (command: this) => boolean): Promise<this> {
    let end: number | string | null = null;
    void this.ended.then((code) => (end = code));
    while (!condition(this)) {
      if (end !== null) throw new Error(`it ended with ${end} and said:\n${this.stderr}`);
      await sleep(10);
    }
    return this;
  }
  untilReady(): Promise<this> {
    return this.until((command) => command.ready !== null);
  }

  /**
   * Sends the signal and returns the exit code.
   * @throws Error if the process exceeds the documented shutdown time
   */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> {
    this.child.kill(signal);
    const late = sleep(endMs, null, { ref: false });
    const code = await Promise.race([this.ended, late]);
    if (code === null)
      throw new Error(`${signal} did not end it in ${endMs / 1000} s; it said:\n${this.stderr}`);
    return code;
  }
}

export interface Tree {
  http: number;
  worker: number;
  postgres: number;
}

/** Finds API and worker of a running service (Linux: from /proc). */
export function rolesOf(supervisor: number): Omit<Tree, 'postgres'> {
  const roles = new Map<string, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const read = (file: string) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, 'utf8');
      } catch {
        return '';
      }
    };
    const stat = read('stat');
    if (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] !== String(supervisor)) continue;
    roles.set(read('cmdline').split('\0')[2], Number(name));
  }
  const [http, worker] = ['http', 'worker'].map((role) => roles.get(role));
  if (http === undefined || worker === undefined) throw new Error(`process ${supervisor} has no whole tree`);
  return { http, worker };
}

/** Finds the processes of a service with the embedded database. */
export function treeOf(supervisor: number, dataDir: string): Tree {
  const postgres = Number.parseInt(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8'), 10);
  return { ...rolesOf(supervisor), postgres };
}

export async function untilGone(pids: number[], patienceMs = endMs): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (const pid of pids) {
    while (await isAlive(pid)) {
      if (Date.now() > deadline) throw new Error(`process ${pid} lives on`);
      await sleep(20);
    }
  }
}

/** Calls the service of a data folder with its own key; retries while parts are restarting. */
export async function callApi<T>(
  dataDir: string,
  path: string,
  body?: unknown,
  read: (response: Response) => Promise<unknown> = (response) => response.json(),
): Promise<T> {
  const readJson = (name: string) => JSON.parse(readFileSync(join(dataDir, name), 'utf8'));
  const { url } = readJson('service.json');
  const { apiKey } = readJson('local-credential.json');
  const deadline = Date.now() + endMs;
  for (;;) {
    const response = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `ApiKey ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch(() => null);
    if (response?.ok) return (await read(response)) as T;
    if (response !== null && response.status < 500) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    if (Date.now() > deadline) throw new Error(`${path}: no good answer in ${endMs / 1000} s`);
    await sleep(100);
  }
}

interface JobReply {
  id: string;
  status: string;
  error_message: string | null;
}

/**
 * Queues an operation and waits for its success, which proves that API, database, queue and worker all work.
 */
export async function runJob(dataDir: string, path: string, body: unknown): Promise<JobReply> {
  const { id } = await callApi<{ id: string }>(dataDir, path, body);
  for (;;) {
    const job = await callApi<JobReply>(dataDir, `/v1/jobs/${id}`);
    if (job.status === 'SUCCEEDED') return job;
    if (job.status === 'FAILED') throw new Error(`${path}: ${job.error_message}`);
    await sleep(50);
  }
}
export const ping = (dataDir: string) =>
  runJob(dataDir, '/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' });
