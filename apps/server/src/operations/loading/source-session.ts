import { createHash } from 'node:crypto';
import type { FetchOptions, SourceContext, SourceStream } from '@kindred/contracts';
import type { OperationContext } from '../operation.js';
import { RowCutter } from './row-cutter.js';

export interface SessionOptions {
  operation: string;
  /** Rows that may be read of the content streams together; null: all. */
  rowLimit: number | null;
  /** Lines at the start of each stream that are no rows. */
  headerLines: number;
  /** Addresses of side files: part of the content's digest, without rows. */
  sideUrls: readonly string[];
  keep?: (accession: string) => boolean;
}

/**
 * What a source plugin sees of an operation. All that it reads goes through here: digested, cut at the row limit, and
 * stopped when the job is. A stream that broke off leaves no trace in digest and limit, so that it can be read again.
 */
export class SourceSession {
  readonly context: SourceContext;
  readonly #operation: OperationContext;
  readonly #options: SessionOptions;
  readonly #digests: Buffer[] = [];
  #rowsLeft: number | null;
  /** Of the answers, by address. */
  readonly #headers = new Map<string, Record<string, string>>();

  constructor(operation: OperationContext, options: SessionOptions) {
    this.#operation = operation;
    this.#options = options;
    this.#rowsLeft = options.rowLimit;
    this.context = {
      openStream: (url, fetchOptions) => this.#open(url, fetchOptions),
      emit: (event, fields, level) => operation.emit(this.#prefixed(event), fields, level),
      signal: operation.signal,
      ...(options.keep && { keep: options.keep }),
    };
  }

  /** True once as many rows were read as the limit allows. */
  get limitReached(): boolean {
    return this.#rowsLeft === 0;
  }

  /** What the server said of the file at `url`; empty for files of this machine. */
  headersOf(url: string): Record<string, string> {
    return this.#headers.get(url) ?? {};
  }

  /** sha256 of the unpacked bytes; of several streams, that of their digests one after the other. */
  get contentSha256(): string {
    if (this.#digests.length === 1) return this.#digests[0].toString('hex');
    return createHash('sha256').update(Buffer.concat(this.#digests)).digest('hex');
  }

  #prefixed(event: string): string {
    return event.includes('.') ? event : `${this.#options.operation}.${event}`;
  }

  async #open(url: string, fetchOptions: FetchOptions = {}): Promise<SourceStream> {
    const { sources, signal, emit } = this.#operation;
    const stream = await sources.open(url, {
      ...fetchOptions,
      signal,
      onRetry: ({ attempt, waitMs, reason }) =>
        emit('http.retry', { attempt, wait_seconds: waitMs / 1000, reason }, 'warning'),
    });
    this.#headers.set(url, stream.headers);
    return { ...stream, bytes: this.#counted(stream.bytes, this.#options.sideUrls.includes(url)) };
  }

  async *#counted(bytes: AsyncIterable<Uint8Array>, isSideFile: boolean): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    const limit = isSideFile ? null : this.#rowsLeft;
    const cutter = limit === null ? null : new RowCutter(limit, this.#options.headerLines);
    for await (const chunk of bytes) {
      this.#operation.signal.throwIfAborted();
      const part = cutter === null ? chunk : cutter.take(chunk);
      hash.update(part);
      yield part;
      if (cutter?.rowsLeft === 0) break;
    }
    cutter?.end();
    this.#digests.push(hash.digest());
    if (cutter !== null) this.#rowsLeft = cutter.rowsLeft;
  }
}
