import { type AnnotationRecord, ProblemError, type SourceBatch } from '@kindred/contracts';
import type { LoadingSet } from '../store/annotations/annotation-load.repository.js';
import type { Transaction } from '../store/postgres/db.js';
import type { KnownTerm } from '../store/ontology/term-lookup.js';
import { AnnotationTally } from './annotation-tally.js';
import { NamesOfProteins } from './names-of-proteins.js';
import { AnnotationWriter } from './annotation-writer.js';
import type { AnnotationLoad } from './annotation-load.js';
import type { OperationContext } from '../work/operation/operation.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';
import { yieldToEventLoop } from '../ground/event-loop.js';

const eventIntervalMs = 2000;

export interface FillInput {
  load: AnnotationLoad;
  set: LoadingSet;
  proteinIds: ReadonlyMap<string, number>;
  terms: ReadonlyMap<string, KnownTerm>;
  oboVersion: string;
  /** The batches have this connection for themselves. */
  connection: Pick<Transaction, 'client'>;
}

/** Reads the whole source and fills the set with the usable rows. */
export class AnnotationFill {
  readonly tally = new AnnotationTally();
  readonly names = new NamesOfProteins();
  header: Record<string, string> = {};
  readonly #input: FillInput;
  readonly #context: OperationContext;
  readonly #session: SourceSession;
  readonly #rejections: RejectionLog;
  readonly #writer: AnnotationWriter;
  readonly #proteinOf: (accession: string) => number | undefined;
  #seen = 0;
  #lastEventMs = performance.now();

  constructor(input: FillInput, context: OperationContext) {
    const { load, set, proteinIds } = input;
    this.#input = input;
    this.#context = context;
    this.#proteinOf = rememberingLast(proteinIds);
    this.#rejections = new RejectionLog(context, `${load.operation}.bad_lines`, load.onBadLine);
    this.#writer = new AnnotationWriter(input.connection, set, load.pageSize);
    this.#session = new SourceSession(context, {
      operation: load.operation,
      rowLimit: load.rowLimit,
      headerLines: load.headerLines,
      sideUrls: load.sideUrls,
      keep: (accession) => {
        if (this.#proteinOf(accession) !== undefined) return true;
        this.tally.missAccession(accession);
        return false;
      },
    });
  }

  get contentSha256(): string {
    return this.#session.contentSha256;
  }

  /** Lines of the source are counted here, unreadable ones included. */
  get rowsRead(): number {
    return this.#seen;
  }

  get unreadable(): number {
    return this.#rejections.total;
  }

  /** The server's response for the file has these headers. */
  headersOf(url: string): Record<string, string> {
    return this.#session.headersOf(url);
  }

  /** Resolves after all batches in flight settle, even if one failed. */
  async run(): Promise<void> {
    try {
      await this.#readAll();
    } finally {
      await this.#writer.settle();
    }
  }

  async #readAll(): Promise<void> {
    const { load } = this.#input;
    await this.#context.emit(`${load.operation}.download_start`, { url: load.url });
    let isFirst = true;
    for await (const batch of load.source.annotations(load.parameters, this.#session.context)) {
      if (isFirst) await this.#checkHeader(batch.header);
      isFirst = false;
      await this.#take(batch);
      if (this.#session.limitReached) {
        await this.#context.emit(
          `${load.operation}.limit_reached`,
          { total_limit: load.rowLimit },
          'warning',
        );
        break;
      }
    }
    await this.#writer.finish();
    await this.#report();
    await this.#context.progress(this.#seen, this.#seen);
    this.#throwIfNoUsableRow();
  }

  result(): Record<string, unknown> {
    return {
      pages: this.#writer.pages,
      total_lines_read: this.#seen,
      annotations_inserted: this.tally.kept,
      proteins_annotated: this.tally.proteinCount,
      ...this.tally.statistics,
      ...this.tally.explanation(this.#rejections.total),
      content_sha256: this.contentSha256,
    };
  }

  async #take(batch: SourceBatch<AnnotationRecord>): Promise<void> {
    this.#context.signal.throwIfAborted();
    await this.#rejections.add(batch.rejected);
    this.header = batch.header;
    this.#seen = batch.seen;
    this.tally.notInDatabase += batch.skipped;
    for (const record of batch.records) {
      if (this.#add(record)) await this.#writer.flush();
    }
    if (performance.now() - this.#lastEventMs > eventIntervalMs) await this.#report();
    // Batches already in memory follow each other without yielding; only a turn of the event loop sends bytes
    // to the database.
    await yieldToEventLoop();
    await this.#context.progress(this.#seen, batch.total);
  }

  /** The result is true when a batch is full. */
  #add(record: AnnotationRecord): boolean {
    const { terms } = this.#input;
    const proteinId = this.#proteinOf(record.accession);
    if (proteinId === undefined) {
      // A source may ignore `keep`, so other accessions can still arrive.
      this.tally.notInDatabase++;
      this.tally.missAccession(record.accession);
      return false;
    }
    const term = terms.get(record.goId);
    if (term === undefined || term.isObsolete) {
      this.tally.loseTerm(record.goId, term === undefined ? 'unknown_term' : 'obsolete_term');
      return false;
    }
    this.tally.keep(proteinId, term, record);
    this.names.add(proteinId, record);
    return this.#writer.add(proteinId, term.rowId, record);
  }

  async #report(): Promise<void> {
    this.#lastEventMs = performance.now();
    await this.#context.emit(`${this.#input.load.operation}.page_done`, {
      page: this.#writer.pages,
      total_lines: this.#seen,
      total_inserted: this.tally.kept,
      total_skipped: this.tally.skipped + this.#rejections.total,
    });
  }

  /**
   * An older snapshot lacks terms of annotations that were made with a newer ontology, so a warning says so.
   */
  async #checkHeader(header: Record<string, string>): Promise<void> {
    const { load, oboVersion } = this.#input;
    const made = dateIn(header['go-version'] ?? '');
    const loaded = dateIn(oboVersion);
    if (made === null || loaded === null) return;
    const fields = { go_version: made, obo_version: oboVersion, newer_than_snapshot: made > loaded };
    await this.#context.emit(
      `${load.operation}.ontology_checked`,
      fields,
      made > loaded ? 'warning' : 'info',
    );
  }

  #throwIfNoUsableRow(): void {
    const { total, first } = this.#rejections;
    if (this.tally.kept + this.tally.skipped > 0) return;
    const why =
      first === null
        ? 'it has no annotation line'
        : `none of its ${total} lines can be read; line ${first.line}: ${first.reason}`;
    throw new ProblemError('bad_file', `${this.#input.load.url}: ${why}.`);
  }
}

/**
 * Rows of one protein follow each other in most files, and a lookup would have to hash each freshly cut
 * string again.
 */
function rememberingLast<V>(map: ReadonlyMap<string, V>): (key: string) => V | undefined {
  let lastKey = '';
  let last = map.get(lastKey);
  return (key) => {
    if (key !== lastKey) {
      lastKey = key;
      last = map.get(key);
    }
    return last;
  };
}

function dateIn(text: string): string | null {
  return /\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? null;
}
