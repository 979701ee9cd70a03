import type { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { pauseMs } from '../retry-policy.js';
import { artifactProblem, isBeyondEnd, mayPass } from './s3-errors.js';
import type { Bucket } from './s3-bucket.js';

interface Wanted {
  uri: string;
  key: string;
  start: number;
  endExclusive: number;
  signal: AbortSignal | undefined;
}

/**
 * Streams an object. If the connection breaks or stalls, reading resumes at the same byte of the same version of the
 * object (by its ETag); each received byte resets the count of failures.
 * @throws ProblemError artifact_not_found, artifact_store_failed; the reason of the signal
 */
export async function* readObject(bucket: Bucket, wanted: Wanted): AsyncGenerator<Uint8Array> {
  let position = wanted.start;
  let version: string | undefined;
  for (let failures = 0; ; ) {
    wanted.signal?.throwIfAborted();
    const attempt = new Attempt(bucket.idleMs, wanted.signal);
    try {
      const answer = await open(bucket, { ...wanted, start: position }, version, attempt.signal);
      if (answer === null) return;
      version = answer.ETag;
      const end = position + (answer.ContentLength ?? 0);
      for await (const chunk of answer.Body as Readable) {
        attempt.alive();
        position += (chunk as Uint8Array).byteLength;
        failures = 0;
        yield chunk as Uint8Array;
      }
      if (position >= end) return;
      throw new Error(`the connection ended ${end - position} bytes before the end of the object`);
    } catch (error) {
      wanted.signal?.throwIfAborted();
      failures++;
      if (failures > bucket.retry.retries || !mayPass(error))
        throw artifactProblem(attempt.cause(error), wanted.uri, 'read');
      await new Promise((resolve) => setTimeout(resolve, pauseMs(bucket.retry.pause, failures - 1)));
    } finally {
      attempt.end();
    }
  }
}

async function open(
  bucket: Bucket,
  { key, start, endExclusive }: Wanted,
  version: string | undefined,
  signal: AbortSignal,
): Promise<GetObjectCommandOutput | null> {
  // An empty range cannot be requested, so one byte is requested and not read: a missing object is still
  // reported.
  const last = Math.max(start, endExclusive - 1);
  const everything = start === 0 && endExclusive === Number.MAX_SAFE_INTEGER;
  const request = new GetObjectCommand({
    Bucket: bucket.name,
    Key: key,
    ...(everything ? {} : { Range: `bytes=${start}-${last === Number.MAX_SAFE_INTEGER - 1 ? '' : last}` }),
    ...(version === undefined ? {} : { IfMatch: version }),
  });
  try {
    const answer = await bucket.client.send(request, { abortSignal: signal });
    if (endExclusive > start) return answer;
    (answer.Body as Readable).destroy();
    return null;
  } catch (error) {
    if (isBeyondEnd(error)) return null;
    throw error;
  }
}

/** An attempt is aborted when no data comes for a while, or when the caller stops. */
class Attempt {
  readonly #controller = new AbortController();
  readonly #onStop = () => this.#controller.abort(this.#caller?.reason);
  #timer: NodeJS.Timeout;
  #silent = false;
  readonly #idleMs: number;
  readonly #caller: AbortSignal | undefined;

  constructor(idleMs: number, caller: AbortSignal | undefined) {
    this.#idleMs = idleMs;
    this.#caller = caller;
    caller?.addEventListener('abort', this.#onStop);
    this.#timer = this.#watch();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  alive(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#watch();
  }
  /** The timeout is reported, and not the abort that it caused. */
  cause(error: unknown): unknown {
    return this.#silent ? new Error(`no byte came for ${this.#idleMs} ms`) : error;
  }
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#onStop);
    this.#controller.abort();
  }

  #watch(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#silent = true;
      this.#controller.abort();
    }, this.#idleMs);
  }
}
