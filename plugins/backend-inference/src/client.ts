import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import { wholeBytes } from '@kindred/kernels/formats';
import { headerLength, misfit, packTexts, readTensors, type Tensor, type TensorHead } from './tensors.js';

export interface ServerSettings {
  /** The address that the operator set; no other one is contacted. */
  url: string;
  token: string | null;
  timeoutMs: number;
  maxRetries: number;
  retryBaseMs: number;
}
export interface ModelMetadata {
  name: string;
  inputs: TensorHead[];
  outputs: TensorHead[];
}

const retryStatuses = new Set([408, 429, 500, 502, 503, 504]);
const maxWaitMs = 20_000;
const maxReplyBytes = 2 ** 30;
/** A model name must be a single path segment. */
const modelName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

/** A server that speaks the Open Inference Protocol, version 2 (KServe, Triton and others), over HTTP. */
export class InferenceClient {
  readonly #settings: ServerSettings;
  /** Whether the server takes binary tensors; undefined until that is known. */
  #binary: boolean | undefined;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  /** Returns the names of the loaded models; empty if the server does not list them. */
  async models(): Promise<string[]> {
    const answer = await this.#call('/v2/repository/index', { body: Buffer.from('{}') });
    if (answer.status !== 200) return [];
    const list = json<{ name?: unknown; state?: unknown }[]>(answer.body);
    if (!Array.isArray(list)) return [];
    return list
      .filter(({ state }) => state === undefined || state === '' || state === 'READY')
      .flatMap(({ name }) => (typeof name === 'string' && modelName.test(name) ? [name] : []));
  }

  /** @throws ProblemError unknown_model */
  async metadata(model: string): Promise<ModelMetadata> {
    const unknown = () =>
      new ProblemError('unknown_model', `The inference server has no model ${model.slice(0, 100)}.`);
    if (!modelName.test(model)) throw unknown();
    const answer = await this.#call(`/v2/models/${model}`);
    // A status of 400 counts, too, because Triton replies it to an unknown name.
    if (answer.status === 404 || answer.status === 400) throw unknown();
    if (answer.status !== 200) throw refusal(answer);
    const metadata = json<ModelMetadata>(answer.body);
    if (!Array.isArray(metadata?.inputs) || !Array.isArray(metadata.outputs))
      throw misfit(`the description of ${model} has no inputs and outputs`);
    return metadata;
  }

  /** Sends texts to one input and returns the numbers of one output. */
  async infer(
    { model, input, output }: { model: string; input: TensorHead; output: string },
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<Tensor> {
    const shape = input.shape.length === 2 ? [texts.length, 1] : [texts.length];
    const tensor = { name: input.name, datatype: 'BYTES', shape };
    this.#binary ??= await this.#hasBinary(signal);
    const binary = this.#binary;
    const packed = binary ? packTexts(texts) : Buffer.alloc(0);
    const head = Buffer.from(
      JSON.stringify({
        inputs: [
          binary
            ? { ...tensor, parameters: { binary_data_size: packed.length } }
            : { ...tensor, data: texts },
        ],
        outputs: [{ name: output, ...(binary && { parameters: { binary_data: true } }) }],
      }),
    );
    const headers: Record<string, string> = binary
      ? { 'content-type': 'application/octet-stream', [headerLength]: String(head.length) }
      : { 'content-type': 'application/json' };
    const answer = await this.#call(`/v2/models/${model}/infer`, {
      body: Buffer.concat([head, packed]),
      headers,
      signal,
    });
    if (answer.status !== 200) throw refusal(answer);
    const found = readTensors(answer.body, answer.jsonLength).find(({ name }) => name === output);
    if (found === undefined) throw misfit(`it has no output ${output}`);
    return found;
  }

  async #hasBinary(signal?: AbortSignal): Promise<boolean> {
    const answer = await this.#call('/v2', { signal });
    if (answer.status !== 200) return false;
    const { extensions } = json<{ extensions?: unknown }>(answer.body) ?? {};
    return Array.isArray(extensions) && extensions.includes('binary_tensor_data');
  }

  async #call(
    path: string,
    request: { body?: Buffer; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Answer> {
    const { maxRetries, retryBaseMs } = this.#settings;
    for (let attempt = 1; ; attempt++) {
      let fault: string;
      let waitMs = retryBaseMs * 2 ** (attempt - 1);
      try {
        const answer = await this.#callOnce(path, request);
        if (!retryStatuses.has(answer.status)) return answer;
        fault = `${answer.status}: ${messageOf(answer)}`;
        waitMs = answer.retryAfterMs ?? waitMs;
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        if (error instanceof ProblemError) throw error;
        fault = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
      }
      if (attempt > maxRetries) {
        throw new ProblemError(
          'fetch_failed',
          `The inference server did not answer ${path} (${fault}); given up after ${attempt} attempts.`,
        );
      }
      await sleep(Math.min(waitMs, maxWaitMs), undefined, { signal: request.signal });
    }
  }

  async #callOnce(
    path: string,
    { body, headers, signal }: { body?: Buffer; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Answer> {
    const { url, token, timeoutMs } = this.#settings;
    const limit = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      // A redirect could lead to an address that the operator did not allow.
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(body !== undefined && { body: new Uint8Array(body) }),
    });
    const retryAfter = response.headers.get('retry-after');
    return {
      status: response.status,
      body: await boundedBody(response),
      jsonLength: response.headers.get(headerLength),
      retryAfterMs: retryAfter !== null && /^\d+$/.test(retryAfter) ? 1000 * Number(retryAfter) : null,
    };
  }
}

interface Answer {
  status: number;
  body: Buffer;
  jsonLength: string | null;
  retryAfterMs: number | null;
}

function boundedBody({ body }: Response): Promise<Buffer> {
  const tooMany = () => misfit(`it has more than ${maxReplyBytes} bytes`);
  return wholeBytes((body ?? []) as AsyncIterable<Uint8Array>, maxReplyBytes, tooMany);
}

function json<T>(body: Buffer): T {
  try {
    return JSON.parse(body.toString('utf8')) as T;
  } catch (error) {
    throw misfit(`it is not JSON: ${(error as Error).message}`);
  }
}

function messageOf({ body }: Answer): string {
  try {
    return String(JSON.parse(body.toString('utf8')).error).slice(0, 300);
  } catch {
    return body.toString('utf8', 0, 300);
  }
}

function refusal(answer: Answer): ProblemError {
  return new ProblemError(
    'fetch_failed',
    `The inference server answered ${answer.status}: ${messageOf(answer)}.`,
  );
}
