import { type MetadataRecord, type PayloadOf, ProblemError, type SourceBatch } from '@kindred/contracts';
import { inTransaction } from '../store/postgres/db.js';
import {
  countKnownProteins,
  fillProteinNames,
  upsertMetadata,
} from '../store/proteins/protein-metadata.repository.js';
import {
  dropCheckpoint,
  findCheckpoint,
  saveCheckpoint,
} from '../store/annotations/source-checkpoints.repository.js';
import { loadProblem, nothingLoaded } from './load-problem.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'fetch_uniprot_metadata'>;
type Batch = SourceBatch<MetadataRecord>;
const name = 'fetch_uniprot_metadata';
const eventIntervalMs = 2000;

const noCounts = {
  pages: 0,
  rows: 0,
  metadata_upserted: 0,
  metadata_unchanged: 0,
  proteins_touched: 0,
  proteins_in_database: 0,
};
type Counts = typeof noCounts;

/**
 * Fetches UniProt's metadata of the proteins of a query. Each page is committed separately, and a restarted
 * job continues after the last page.
 */
export const fetchUniprotMetadata: Operation<'fetch_uniprot_metadata'> = {
  name,
  async run(payload, context) {
    const { search_criteria, page_size } = payload;
    await context.emit(`${name}.start`, { search_criteria, page_size });
    try {
      const result = await new MetadataFetch(payload, context).run();
      await dropCheckpoint(context.db, context.jobId);
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } catch (error) {
      throw loadProblem(error, 'The answer of UniProt');
    }
  },
};

class MetadataFetch {
  readonly #payload: Payload;
  readonly #context: OperationContext;
  readonly #rejections: RejectionLog;
  #counts: Counts = { ...noCounts };
  #release: string | null = null;
  #lastEventMs = performance.now();

  constructor(payload: Payload, context: OperationContext) {
    this.#payload = payload;
    this.#context = context;
    this.#rejections = new RejectionLog(context, `${name}.bad_records`, 'skip');
  }

  async run(): Promise<Record<string, unknown>> {
    const startMs = performance.now();
    const limit = this.#payload.total_limit ?? Number.POSITIVE_INFINITY;
    for await (const batch of await this.#batches()) {
      this.#context.signal.throwIfAborted();
      if (batch.restarted) this.#counts = { ...noCounts };
      this.#release = batch.header['uniprot-release'] ?? this.#release;
      await this.#rejections.add(batch.rejected);
      await this.#store(batch, batch.records.slice(0, limit - this.#counts.rows));
      await this.#context.progress(this.#counts.rows, batch.total);
      if (this.#counts.rows >= limit) {
        await this.#context.emit(`${name}.limit_reached`, { total_limit: limit }, 'warning');
        break;
      }
    }
    await this.#context.progress(this.#counts.rows, this.#counts.rows);
    if (this.#counts.rows === 0) {
      const reasons = { 'that cannot be read': this.#rejections.total };
      const source = `the UniProt query ${this.#payload.search_criteria}`;
      throw nothingLoaded(source, { rows: this.#rejections.total, reasons, hint: 'Look at the query.' });
    }
    return {
      ...this.#counts,
      bad_records: this.#rejections.total,
      uniprot_release: this.#release,
      elapsed_seconds: (performance.now() - startMs) / 1000,
    };
  }

  async #batches(): Promise<AsyncIterable<Batch>> {
    const { plugins, db, jobId } = this.#context;
    const source = await plugins.source('uniprot');
    if (source.metadata === undefined) {
      throw new ProblemError(
        'service_unavailable',
        'The installed source plugin "uniprot" offers no metadata.',
      );
    }
    const saved = await findCheckpoint(db, jobId);
    if (saved !== undefined) this.#counts = { ...noCounts, ...saved.counts };
    const { search_criteria, page_size, timeout_seconds } = this.#payload;
    const parameters = { search_criteria, page_size, timeout_seconds, resume: saved?.checkpoint ?? null };
    const session = new SourceSession(this.#context, {
      operation: name,
      rowLimit: null,
      headerLines: 0,
      sideUrls: [],
    });
    return source.metadata(parameters, session.context);
  }

  async #store(batch: Batch, records: readonly MetadataRecord[]): Promise<void> {
    const { db, jobId } = this.#context;
    const counts = { ...this.#counts };
    counts.pages++;
    counts.rows += records.length;
    await inTransaction(db, async (trx) => {
      const written = await upsertMetadata(trx, records);
      counts.metadata_upserted += written;
      counts.metadata_unchanged += records.length - written;
      const accessions = records.map(({ accession }) => accession);
      counts.proteins_in_database += await countKnownProteins(trx, accessions);
      if (this.#payload.update_protein_core) counts.proteins_touched += await fillProteinNames(trx, records);
      if (batch.checkpoint) await saveCheckpoint(trx, jobId, { checkpoint: batch.checkpoint, counts });
    });
    this.#counts = counts;
    if (performance.now() - this.#lastEventMs < eventIntervalMs) return;
    this.#lastEventMs = performance.now();
    await this.#context.emit(`${name}.page_done`, { page: counts.pages, total_rows: counts.rows });
  }
}
