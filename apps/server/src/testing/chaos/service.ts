import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from '@kindred/testkit';
import { Command, rolesOf, treeOf, type Tree } from '../supervise/command.js';

const shownLines = 12;
/** A frozen process answers nobody, so the caller asks again after this time. */
const callMs = 20_000;

/**
 * Runs a service of `serve` that may be killed at any time, and a client that asks until it gets an answer.
 */
export class ChaosService {
  #command: Command | null = null;
  #port = 0;

  constructor(
    readonly dataDir: string,
    readonly env: NodeJS.ProcessEnv,
  ) {}

  async start(): Promise<void> {
    this.#command = Command.run(['serve', '--port', String(this.#port)], {
      SVC_DATA_DIR: this.dataDir,
      ...this.env,
    });
    await this.#command.untilReady();
    this.#port = Number(new URL(this.#command.ready as string).port);
  }

  get supervisor(): number {
    return (this.#command as Command).pid;
  }

  /** Throws while the process is being started again. */
  pidOf(role: keyof Tree): number {
    if (role === 'postgres') return treeOf(this.supervisor, this.dataDir).postgres;
    return rolesOf(this.supervisor)[role];
  }

  /** Kills the supervisor with SIGKILL, and starts a new one at once. */
  async replaceSupervisor(): Promise<void> {
    await this.#command?.end('SIGKILL');
    await this.start();
  }

  async stop(): Promise<void> {
    const code = await this.#command?.end();
    if (code !== 0) throw new Error(`serve ended with ${code} and said:\n${this.#command?.stderr}`);
  }

  /** Ends the remaining processes after a failure. */
  async abandon(): Promise<void> {
    if (
      this.#command !== null &&
      this.#command.child.exitCode === null &&
      this.#command.child.signalCode === null
    )
      await this.#command.end('SIGKILL');
    for (const pid of processesOf(this.dataDir)) process.kill(pid, 'SIGKILL');
  }

  /** Gives the status of /health/ready; null means no answer. */
  async readiness(): Promise<number | null> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/health/ready`, {
      signal: AbortSignal.timeout(callMs),
    }).catch(() => null);
    await response?.body?.cancel();
    return response?.status ?? null;
  }

  /**
   * Repeats a request while nobody answers or the service is not ready; `key` makes a write that comes twice
   * count once.
   */
  async call<T>(path: string, write?: { body: unknown; key: string }): Promise<T> {
    const deadline = Date.now() + patienceMs;
    const headers = this.#credential();
    if (write) Object.assign(headers, { 'content-type': 'application/json', 'idempotency-key': write.key });
    for (let answer = 'no answer'; ; await sleep(100)) {
      const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
        method: write ? 'POST' : 'GET',
        headers,
        body: write && JSON.stringify(write.body),
        signal: AbortSignal.timeout(callMs),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response?.ok && typeof text === 'string') return JSON.parse(text) as T;
      if (response) answer = `${response.status} ${text}`;
      // The status 409 means that the first try with this key is still being answered, or that its process
      // died during it.
      const mayPass = response === null || response.status >= 500 || (write && response.status === 409);
      if (!mayPass || Date.now() > deadline) throw new Error(`${path}: ${answer}`);
    }
  }

  /** Returns the last lines of the supervisor and the processes. */
  lastLines(): string {
    const logs = join(this.dataDir, 'logs');
    const texts = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
    return [this.#command?.stderr ?? '', ...texts]
      .map((text) => text.trim().split('\n').slice(-shownLines).join('\n'))
      .join('\n\n');
  }

  /** Lists the lines of the logs that name the job. */
  #logOf(id: string): string {
    const logs = join(this.dataDir, 'logs');
    return readdirSync(logs)
      .flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'))
      .filter((line) => line.includes(id))
      .join('\n');
  }

  /**
   * Gives the credential of the command line. If the database does not belong to the service, everybody may
   * do everything.
   */
  #credential(): Record<string, string> {
    if (this.env.SVC_DB_URL !== undefined) return {};
    const { apiKey } = JSON.parse(readFileSync(join(this.dataDir, 'local-credential.json'), 'utf8'));
    return { authorization: `ApiKey ${apiKey}` };
  }

  async finish(id: string): Promise<void> {
    for (;;) {
      const job = await this.call<{ status: string; error_message: string | null }>(`/v1/jobs/${id}`);
      if (job.status === 'SUCCEEDED') return;
      if (job.status === 'FAILED' || job.status === 'CANCELLED')
        throw new JobFailed(
          `job ${id} is ${job.status}: ${job.error_message}\n${this.#logOf(id)}`,
          job.error_message ?? '',
        );
      await sleep(150);
    }
  }
}

/** The error names a job that did not succeed, with the reason in its row. */
export class JobFailed extends Error {
  constructor(
    text: string,
    readonly reason: string,
  ) {
    super(text);
  }
}

/** Finds living processes that name the folder in their command or their environment. */
export function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${name}/status`, 'utf8'))) return false;
        return ['cmdline', 'environ'].some((file) =>
          readFileSync(`/proc/${name}/${file}`, 'utf8').includes(folder),
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
