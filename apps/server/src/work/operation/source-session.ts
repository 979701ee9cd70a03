import { createHash } from 'node:crypto';
import type { FetchOptions, SourceContext, SourceStream } from '@kindred/contracts';
import type { OperationContext } from './operation.js';
import { RowCutter } from './row-cutter.js';

export interface SessionOptions {
  operation: string;
  /** All content streams together give at most this number of rows; null means no limit. */
  rowLimit: number | null;
  /** Each stream begins with this number of header lines. */
  headerLines: number;
  /** Side files have these addresses; they are part of the content's digest, but have no rows. */
  sideUrls: readonly string[];
  keep?: (accession: string) => boolean;
}

/**
 * Connects an operation with a source plugin. All reads go through the session: it computes digests, cuts at
 * the row limit, and stops with the job. A failed stream counts in neither digest nor limit, so it can be
 * read again.
 */
export class SourceSession {
  readonly context: SourceContext;
  readonly #operation: OperationContext;
  readonly #options: SessionOptions;
  readonly #digests: Buffer[] = [];
  #rowsLeft: number | null;
  /** Each address has its response headers here. */
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

  get limitReached(): boolean {
    return this.#rowsLeft === 0;
  }

  /** The response for `url` has these headers; local files have none. */
  headersOf(url: string): Record<string, string> {
    return this.#headers.get(url) ?? {};
  }

  /**
   * The digest (sha256) covers the unpacked bytes. For several streams, it is the digest of their digests in
   * order.
   */
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
