import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ProblemCode, ProblemError } from '@kindred/contracts';

/** How the command line reaches a service. */
export interface ServiceAccess {
  url: string;
  apiKey: string | null;
}

export interface JobView {
  id: string;
  operation: string;
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  progress_current: number;
  progress_total: number | null;
  queue_position: number | null;
  error_code: string | null;
  error_message: string | null;
  result: Record<string, unknown> | null;
}

const pollMs = 300;
const patienceMs = 30_000;

/** The few calls that the command line makes; failures carry the problem document's sentence. */
export class ApiClient {
  constructor(private readonly access: ServiceAccess) {}

  async get<T>(path: string): Promise<T> {
    return (await this.request('GET', path)).json() as Promise<T>;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return (await this.request('POST', path, JSON.stringify(body), 'application/json')).json() as Promise<T>;
  }

  async patch<T>(path: string, body: unknown): Promise<T> {
    return (await this.request('PATCH', path, JSON.stringify(body), 'application/json')).json() as Promise<T>;
  }

  async upload<T>(path: string, file: string, fields: Record<string, string>): Promise<T> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([await readFile(file)]), basename(file));
    return (await this.request('POST', path, form)).json() as Promise<T>;
  }

  async text(path: string): Promise<ReadableStream<Uint8Array>> {
    const response = await this.request('GET', path);
    return response.body as ReadableStream<Uint8Array>;
  }

  /** Polls until the job has ended. @throws ProblemError with the job's own message when it did not succeed */
  async finish(jobId: string, onUpdate?: (job: JobView) => void): Promise<JobView> {
    for (;;) {
      const job = await this.patiently(() => this.get<JobView>(`/v1/jobs/${jobId}`));
      onUpdate?.(job);
      if (job.status === 'SUCCEEDED') return job;
      if (job.status === 'FAILED' || job.status === 'CANCELLED') {
        const reason = job.error_message ?? `it was ${job.status.toLowerCase()}`;
        throw new ProblemError(
          'dependency_failed',
          `Job ${job.id} (${job.operation}) did not succeed: ${reason}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** A part of the service that died is back in seconds, and the job goes on. */
  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        const away = error instanceof ProblemError && error.slug === 'service-unavailable';
        if (!away || Date.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  private async request(
    method: string,
    path: string,
    body?: string | FormData,
    type?: string,
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json, text/tab-separated-values;q=0.9' };
    if (this.access.apiKey !== null) headers.authorization = `ApiKey ${this.access.apiKey}`;
    if (type !== undefined) headers['content-type'] = type;
    const response = await fetch(new URL(path, this.access.url), { method, headers, body }).catch(
      (cause: Error) => {
        throw new ProblemError(
          'service_unavailable',
          `No answer from ${this.access.url}: start it with "npm start", or give --url.`,
          { cause },
        );
      },
    );
    if (!response.ok) throw await problemOf(response, this.access.apiKey === null);
    return response;
  }
}

async function problemOf(response: Response, isAnonymous: boolean): Promise<ProblemError> {
  const problem = (await response.json().catch(() => ({}))) as {
    detail?: string;
    title?: string;
    errors?: { path: string; message: string }[];
  };
  const said = problem.detail ?? problem.title ?? '';
  const faults = (problem.errors ?? [])
    .filter((fault) => !said.includes(fault.message))
    .map((fault) => `${fault.path}: ${fault.message}`)
    .join('; ');
  const text = [said, faults].filter(Boolean).join(' ');
  // Without a key the quota is the smallest, and shared by all of an address.
  const isForKey = response.status === 401 || (response.status === 429 && isAnonymous);
  const key = isForKey ? ' The command line takes a key by --api-key or SVC_API_KEY.' : '';
  return new ProblemError(codeOf(response.status), `${text}${key} (HTTP ${response.status})`);
}

/** Decides the exit code of the command. */
function codeOf(status: number): ProblemCode {
  if (status === 401) return 'credential_missing';
  if (status === 403) return 'role_too_low';
  if (status === 503) return 'service_unavailable';
  if (status >= 500) return 'internal_error';
  return status === 409 || status === 429 ? 'conflict' : 'bad_file';
}
