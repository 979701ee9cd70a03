import type { HttpMethod } from '@kindred/contracts';
import { finalStatuses } from '@kindred/contracts/vocabulary';
import { noAnswer, Problem, problemOf } from './problem.js';
import type { InputArgument, PathOf, Reply, ReplyCheck, UploadForm } from './types.js';

export interface ClientOptions {
  /** The address of the service. The default is that of the page. */
  baseUrl?: string;
  /** Headers that are sent with every request, a credential for instance. */
  headers?: Record<string, string>;
  credentials?: RequestInit['credentials'];
  /** A function that validates every JSON reply (`checkReply`). Without it, replies are taken as the contracts declare them. */
  check?: ReplyCheck;
  /** Whether to wait as long as a 429 says and send again. By default a 429 is thrown. */
  waitWhenLimited?: boolean;
  /** A function that makes the error that is thrown instead of a Problem. */
  toError?: (problem: Problem) => Error;
}

export interface Page<Row> {
  rows: Row[];
  /** The cursor of the next page, from the Link header; null at the end. */
  next: string | null;
}

type Job = Reply<'GET', '/jobs/:id'>;
export interface FinishOptions {
  onUpdate?: (job: Job) => void;
  signal?: AbortSignal;
  /** The number of milliseconds between two requests; default 300. */
  pollMs?: number;
  /** The time for which the service may be away while its job goes on; default 30 s. */
  patienceMs?: number;
}

/** The parts of a request, after the types have done their work. */
interface Parts {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  form?: UploadForm;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}
type RowOf<List> = List extends readonly (infer Row)[] ? Row : never;

/**
 * The HTTP API, typed by the routes of the contracts: the paths, their parameters and their replies. Every method throws a Problem for a
 * refusal, and a Problem with status 0 if nothing answers. While the service makes what an answer needs (being_counted), the client asks
 * again until the answer is there.
 */
export class Client {
  readonly #options: ClientOptions;
  constructor(options: ClientOptions = {}) {
    this.#options = options;
  }

  get<P extends PathOf<'GET'>>(path: P, ...[input]: InputArgument<'GET', P>): Promise<Reply<'GET', P>> {
    return this.#json('GET', path, input);
  }
  post<P extends PathOf<'POST'>>(path: P, ...[input]: InputArgument<'POST', P>): Promise<Reply<'POST', P>> {
    return this.#json('POST', path, input);
  }
  patch<P extends PathOf<'PATCH'>>(
    path: P,
    ...[input]: InputArgument<'PATCH', P>
  ): Promise<Reply<'PATCH', P>> {
    return this.#json('PATCH', path, input);
  }
  delete<P extends PathOf<'DELETE'>>(
    path: P,
    ...[input]: InputArgument<'DELETE', P>
  ): Promise<Reply<'DELETE', P>> {
    return this.#json('DELETE', path, input);
  }

  /** Returns one page of a list with a cursor; `query.after` takes the cursor of the page before. */
  async page<P extends PathOf<'GET'>>(
    path: P,
    ...[input]: InputArgument<'GET', P>
  ): Promise<Page<RowOf<Reply<'GET', P>>>> {
    const response = await this.#send('GET', path, input);
    const rows = await this.#read('GET', path, response);
    return { rows: rows as RowOf<Reply<'GET', P>>[], next: nextCursor(response.headers.get('link')) };
  }

  /** Returns a reply that is not JSON. The caller reads its body. */
  download<P extends PathOf<'GET'>>(path: P, ...[input]: InputArgument<'GET', P>): Promise<Response> {
    return this.#send('GET', path, input);
  }

  /** Returns the address of a route, for a link. */
  address<P extends PathOf<'GET'>>(path: P, ...[input]: InputArgument<'GET', P>): string {
    return this.#address(path, input as Parts | undefined);
  }

  /** Polls a job until it ends. @throws Problem with code job_failed if it did not succeed */
  async finish(jobId: string, options: FinishOptions = {}): Promise<Job> {
    const { onUpdate, signal, pollMs = 300, patienceMs = 30_000 } = options;
    for (;;) {
      const job = await this.#patiently(patienceMs, signal, () =>
        this.get('/jobs/:id', { params: { id: jobId }, signal }),
      );
      onUpdate?.(job);
      if (job.status === 'SUCCEEDED') return job;
      if (finalStatuses.includes(job.status)) throw this.#thrown(jobFailed(job));
      await delay(pollMs, signal);
    }
  }

  /** Queues an operation by its name and waits for its end. */
  async run(
    operation: { operation: string; queue_name: string; payload: Record<string, unknown> },
    options?: FinishOptions,
  ): Promise<Job> {
    const { id } = await this.post('/jobs', { body: operation });
    return this.finish(id, options);
  }

  /** Repeats a request while the service is away. A part of the service that died restarts within seconds, and the job goes on. */
  async #patiently<T>(
    patienceMs: number,
    signal: AbortSignal | undefined,
    ask: () => Promise<T>,
  ): Promise<T> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!isAway(error) || Date.now() > deadline) throw error;
        await delay(1000, signal);
      }
    }
  }

  async #json<T>(method: HttpMethod, path: string, input: unknown): Promise<T> {
    return (await this.#read(method, path, await this.#send(method, path, input))) as T;
  }

  async #read(method: HttpMethod, path: string, response: Response): Promise<unknown> {
    if (response.status === 204) return null;
    const body: unknown = await response.json();
    const { check } = this.#options;
    return check === undefined ? body : check({ method, path, status: response.status }, body);
  }

  async #send(method: HttpMethod, path: string, input: unknown): Promise<Response> {
    const parts = (input ?? {}) as Parts;
    const address = this.#address(path, parts);
    const isJson = parts.body !== undefined;
    const streamed = parts.form !== undefined && 'bytes' in parts.form ? parts.form : undefined;
    const init: RequestInit = {
      method,
      signal: parts.signal,
      headers: {
        accept: 'application/json, */*;q=0.9',
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(streamed === undefined ? {} : { 'content-type': streamed.type }),
        ...this.#options.headers,
        ...parts.headers,
      },
      body: isJson ? JSON.stringify(parts.body) : (parts.form as FormData | undefined),
      ...(this.#options.credentials === undefined ? {} : { credentials: this.#options.credentials }),
    };
    for (;;) {
      if (streamed !== undefined) Object.assign(init, { body: streamed.bytes(), duplex: 'half' });
      const response = await fetch(address, init).catch((cause: unknown) => {
        throw parts.signal?.aborted ? cause : this.#thrown(noAnswer(cause));
      });
      if (response.ok) return response;
      const problem = await problemOf(response);
      const { code, retryAfterSeconds } = problem.document;
      const mayWait = code === 'being_counted' || (this.#options.waitWhenLimited && response.status === 429);
      if (!mayWait || retryAfterSeconds === null) throw this.#thrown(problem);
      await delay(1000 * retryAfterSeconds, parts.signal);
    }
  }

  #thrown(problem: Problem): Error {
    const error = this.#options.toError?.(problem) ?? problem;
    if (error !== problem) error.cause ??= problem;
    return error;
  }

  #address(path: string, { params = {}, query = {} }: Parts = {}): string {
    const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) search.set(name, String(value));
    }
    const text = search.size === 0 ? '' : `?${search}`;
    return `${(this.#options.baseUrl ?? '').replace(/\/$/, '')}/v1${filled}${text}`;
  }
}

/** Says whether the service, or the part of it that answers, is unreachable for now. */
function isAway(error: unknown): boolean {
  const problem = error instanceof Problem ? error : (error as Error).cause;
  return problem instanceof Problem && [0, 502, 503, 504].includes(problem.document.status);
}

function jobFailed(job: Job): Problem {
  const reason = job.error_message ?? `it was ${job.status.toLowerCase()}`;
  return new Problem({
    status: 200,
    title: 'Job did not succeed',
    detail: `Job ${job.id} (${job.operation}) did not succeed: ${reason}`,
    code: 'job_failed',
    errors: [],
    requestId: null,
    retryAfterSeconds: null,
  });
}

/** Rejects with the signal's reason. No listener is left on the signal, which may outlive many polls. */
function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the `after` parameter of the link with rel="next"; null if there is none. */
export function nextCursor(link: string | null): string | null {
  const address = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  return address === undefined ? null : new URL(address, 'http://any').searchParams.get('after');
}
