import { setTimeout as sleep } from 'node:timers/promises';
import {
  ProblemError,
  type RejectedLine,
  type SourceBatch,
  type SourceContext,
  type SourceStream,
} from '@kindred/contracts';
import { FormatError } from '@kindred/kernels/formats';
import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { nextLink } from './next-link.js';

/** The differences between the formats that UniProt offers. */
export interface PagedFormat<T> {
  firstAddress: string;
  accept: string;
  /** The name of the format, for messages. */
  name: string;
  read(bytes: AsyncIterable<Uint8Array>): AsyncIterable<{ records: T[]; rejected: readonly RejectedLine[] }>;
  keyOf(record: T): { accession: string; line: number };
}
export interface PagingOptions {
  page_size: number;
  timeout_seconds: number;
  max_retries: number;
  resume: string | null;
}

interface Page<T> {
  records: T[];
  rejected: RejectedLine[];
  next: string | null;
  /** The value of X-Total-Results. */
  total: number | null;
  /** The value of X-UniProt-Release. */
  release: string | null;
}

const retryPauseMs = 500;
const maxRestarts = 2;

/**
 * Reads the records of a query, one batch for each page, and follows the Link header. A page is passed on when it is complete; records
 * already seen on an earlier page are rejected. If UniProt publishes a release in the middle, the search restarts, so that releases never
 * mix.
 * @throws ProblemError fetch_failed for an unreadable page, pages that end before the announced total, or a Link to an earlier page
 */
export async function* pages<T>(
  format: PagedFormat<T>,
  options: PagingOptions,
  context: SourceContext,
): AsyncGenerator<SourceBatch<T>> {
  let from = parseCheckpoint(options.resume, format.firstAddress);
  for (let restarts = 0; ; restarts++) {
    const search = new Search(format, options, context);
    const changed = yield* search.run(from, restarts > 0);
    if (changed === null) return;
    await context.emit('uniprot.release_changed', { ...changed, restarts: restarts + 1 }, 'warning');
    if (restarts === maxRestarts) {
      throw new ProblemError(
        'fetch_failed',
        `UniProt changed from release ${changed.from} to ${changed.to} while it was read; run the job again later.`,
      );
    }
    from = null;
  }
}

class Search<T> {
  readonly #format: PagedFormat<T>;
  readonly #options: PagingOptions;
  readonly #context: SourceContext;
  /** The accessions seen so far, to find duplicates. */
  readonly #accessions = new Set<string>();
  readonly #visited = new Set<string>();
  /** The number of distinct records, including unreadable ones. */
  #retrieved = 0;
  #release: string | null = null;

  constructor(format: PagedFormat<T>, options: PagingOptions, context: SourceContext) {
    this.#format = format;
    this.#options = options;
    this.#context = context;
  }

  /** Reads the pages. Returns both releases if the release changed, else null. */
  async *run(
    from: Checkpoint | null,
    isRestart: boolean,
  ): AsyncGenerator<SourceBatch<T>, { from: string; to: string; page: number } | null> {
    const { emit } = this.#context;
    this.#retrieved = from?.retrieved ?? 0;
    this.#release = from?.release ?? null;
    if (from !== null) await emit('uniprot.resumed', { retrieved: from.retrieved, page: from.page });
    let address: string | null = from?.address ?? this.#format.firstAddress;
    for (let number = from?.page ?? 1; address !== null; number++) {
      if (this.#visited.has(address)) {
        throw new ProblemError(
          'fetch_failed',
          `UniProt's page ${number} leads back to a page that was read before.`,
        );
      }
      this.#visited.add(address);
      await emit('uniprot.fetch_page_start', { page: number, has_cursor: number > 1 });
      const page: Page<T> = await this.#fetch(address);
      if (this.#release !== null && page.release !== null && page.release !== this.#release)
        return { from: this.#release, to: page.release, page: number };
      this.#release ??= page.release;
      const batch = await this.#toBatch(page, number);
      await emit('uniprot.fetch_page_done', { page: number, records: page.records.length });
      yield isRestart && number === 1 ? { ...batch, restarted: true } : batch;
      if (page.next === null) await this.#checkEnd(page, number);
      address = page.next;
    }
    return null;
  }

  async #toBatch(page: Page<T>, number: number): Promise<SourceBatch<T>> {
    const records: T[] = [];
    const rejected = page.rejected.map(({ line, reason }) => ({ line, reason: `page ${number}: ${reason}` }));
    let repeated = 0;
    for (const record of page.records) {
      const { accession, line } = this.#format.keyOf(record);
      if (this.#accessions.has(accession)) {
        repeated++;
        rejected.push({ line, reason: `page ${number}: accession ${accession} came before` });
        continue;
      }
      this.#accessions.add(accession);
      records.push(record);
    }
    if (repeated > 0)
      await this.#context.emit('uniprot.repeated_records', { page: number, records: repeated }, 'warning');
    this.#retrieved += records.length + page.rejected.length;
    const { release } = page;
    const checkpoint: Checkpoint | null =
      page.next === null
        ? null
        : { address: page.next, page: number + 1, retrieved: this.#retrieved, release: this.#release };
    return {
      records,
      rejected,
      skipped: 0,
      seen: this.#retrieved,
      total: page.total,
      header: release === null ? {} : { 'uniprot-release': release },
      checkpoint: checkpoint && JSON.stringify(checkpoint),
    };
  }

  /** Checks that the pages reached the total. A few entries may be counted in the total but not sent; a larger gap is a lost page. */
  async #checkEnd(page: Page<T>, number: number): Promise<void> {
    const missing = (page.total ?? 0) - this.#retrieved;
    if (missing <= 0) return;
    const received = page.records.length + page.rejected.length;
    const { page_size } = this.#options;
    if (received >= page_size || missing >= page_size) {
      throw new ProblemError(
        'fetch_failed',
        `UniProt announced ${page.total} records, but page ${number} has no Link to a next one after ${this.#retrieved}.`,
      );
    }
    await this.#context.emit(
      'uniprot.fewer_records',
      { announced: page.total, received: this.#retrieved },
      'warning',
    );
  }

  /** Retries an interrupted body. Opening the stream already retries on status and connection errors. */
  async #fetch(address: string): Promise<Page<T>> {
    const { timeout_seconds, max_retries } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const stream = await this.#context.openStream(address, {
        headers: { accept: this.#format.accept },
        timeoutMs: 1000 * timeout_seconds,
      });
      try {
        return await this.#read(address, stream);
      } catch (error) {
        if (error instanceof FormatError) {
          const message = `UniProt's reply is not ${this.#format.name}: ${error.message}.`;
          throw new ProblemError('bad_file', message, { cause: error });
        }
        if (attempt > max_retries || this.#context.signal.aborted) throw error;
        const waitMs = retryPauseMs * 2 ** (attempt - 1);
        const fields = { attempt, wait_seconds: waitMs / 1000, reason: (error as Error).message };
        await this.#context.emit('http.retry', fields, 'warning');
        await sleep(waitMs, undefined, { signal: this.#context.signal });
      }
    }
  }

  async #read(address: string, stream: SourceStream): Promise<Page<T>> {
    const page: Page<T> = {
      records: [],
      rejected: [],
      next: nextLink(stream.headers.link, address),
      total: countOf(stream.headers['x-total-results']),
      release: stream.headers['x-uniprot-release'] ?? null,
    };
    for await (const { records, rejected } of this.#format.read(stream.bytes)) {
      page.records.push(...records);
      // An empty reply (no hit) is valid here, although an empty file is not.
      if (page.total !== 0) page.rejected.push(...rejected);
    }
    return page;
  }
}

function countOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
