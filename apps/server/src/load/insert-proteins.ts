import { type PayloadOf, ProblemError, type ProteinRecord, type SourceBatch } from '@kindred/contracts';
import { insertProteinsPayload } from '@kindred/contracts/resources/proteins';
import { type FastaRecord, isoformOf, readFasta } from '@kindred/kernels/formats';
import { inTransaction, type Transaction } from '../store/postgres/db.js';
import {
  type DigestedProtein,
  type StoredProteins,
  upsertProteins,
} from '../store/proteins/protein-upsert.repository.js';
import {
  dropCheckpoint,
  findCheckpoint,
  saveCheckpoint,
} from '../store/annotations/source-checkpoints.repository.js';
import { sequenceMd5 } from '../store/proteins/sequences.repository.js';
import type { ListedProtein } from '../store/references/reference-proteins.repository.js';
import { loadProblem, nothingLoaded } from './load-problem.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { readAhead } from '../ground/read-ahead.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'insert_proteins'>;
type Batches = AsyncIterable<SourceBatch<ProteinRecord>>;
/**
 * The function runs in a transaction after the one that stored these proteins and their sequences, while the
 * next ones are stored. Its calls follow each other, one batch at a time.
 */
type AlsoStore = (trx: Transaction, proteins: readonly ListedProtein[]) => Promise<void>;

const name = 'insert_proteins';
const maxAccessionLength = 100;
/** A file costs no requests, so its batches are larger than the pages of UniProt. */
const pagesPerFileBatch = 8;
const eventIntervalMs = 2000;

/**
 * Streams proteins from a FASTA file or a UniProt query. Each batch is committed separately, and a second run
 * changes nothing.
 */
export const insertProteins: Operation<'insert_proteins'> = {
  name,
  async run(payload, context) {
    const { search_criteria, fasta_url, page_size } = payload;
    await context.emit(`${name}.start`, { search_criteria, fasta_url, page_size });
    try {
      const batches =
        fasta_url === undefined
          ? await fromUniprot(payload, context)
          : readAhead(fromFasta(fasta_url, payload, new SourceSession(context, wholeStreams)));
      const saved = await findCheckpoint(context.db, context.jobId);
      const result = await new ProteinLoad(payload, context, saved?.counts).run(batches);
      if (fasta_url === undefined) await dropCheckpoint(context.db, context.jobId);
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } catch (error) {
      throw loadProblem(error, fasta_url ?? 'The answer of UniProt');
    }
  },
};

const wholeStreams = { operation: name, rowLimit: null, headerLines: 0, sideUrls: [] };

async function fromUniprot(payload: Payload, context: OperationContext): Promise<Batches> {
  const source = await context.plugins.source('uniprot');
  if (source.proteins === undefined) {
    throw new ProblemError(
      'service_unavailable',
      'The installed source plugin "uniprot" offers no proteins.',
    );
  }
  const { search_criteria, include_isoforms, page_size, timeout_seconds } = payload;
  const resume = (await findCheckpoint(context.db, context.jobId))?.checkpoint ?? null;
  const parameters = { search_criteria, include_isoforms, page_size, timeout_seconds, resume };
  return source.proteins(parameters, new SourceSession(context, wholeStreams).context);
}

async function* fromFasta(url: string, payload: Payload, session: SourceSession): Batches {
  const stream = await session.context.openStream(url, { timeoutMs: 1000 * payload.timeout_seconds });
  let seen = 0;
  for await (const { records, rejected } of readFasta(stream.bytes, {
    batchSize: pagesPerFileBatch * payload.page_size,
  })) {
    seen += records.length + rejected.length;
    yield { records: records.map(digested), rejected, skipped: 0, seen, total: null, header: {} };
  }
}

/**
 * Loads a FASTA file as the operation does, isoforms included.
 * @throws ProblemError nothing_loaded, bad_fasta, and the errors of the source
 */
export async function insertFasta(
  fasta_url: string,
  context: OperationContext,
  alsoStore: AlsoStore,
): Promise<Record<string, number> & { content_sha256: string }> {
  const payload = insertProteinsPayload.parse({ fasta_url });
  const session = new SourceSession(context, wholeStreams);
  try {
    const load = new ProteinLoad(payload, context, {}, alsoStore);
    const counts = await load.run(readAhead(fromFasta(fasta_url, payload, session)));
    return { ...counts, content_sha256: session.contentSha256 } as never;
  } catch (error) {
    throw loadProblem(error, fasta_url);
  }
}

/** The fields are copied one by one, because object spreads cost as much as the reading. */
function digested(record: FastaRecord): DigestedProtein & { line: number } {
  const { canonicalAccession, isoformIndex } = isoformOf(record.accession);
  return {
    line: record.line,
    accession: record.accession,
    canonicalAccession,
    isoformIndex,
    entryName: record.entryName,
    reviewed: record.reviewed,
    proteinName: record.proteinName,
    geneName: record.geneName,
    organism: record.organism,
    taxonId: record.taxonId,
    sequence: record.sequence,
    sequenceMd5: sequenceMd5(record.sequence),
  };
}

const noneStored: StoredProteins = {
  proteins_inserted: 0,
  proteins_updated: 0,
  proteins_unchanged: 0,
  sequences_changed: 0,
  sequences_inserted: 0,
  sequences_reused: 0,
};
const noCounts = {
  pages: 0,
  retrieved_records: 0,
  isoform_records: 0,
  isoforms_skipped: 0,
  duplicates_skipped: 0,
  ...noneStored,
};
/** These counts depend on what the database held before; the others depend on the file alone. */
export const countsOfStoring: readonly string[] = Object.keys(noneStored);

class ProteinLoad {
  readonly #payload: Payload;
  readonly #context: OperationContext;
  readonly #rejections: RejectionLog;
  readonly #startMs = performance.now();
  // The first page is always reported.
  #lastEventMs = Number.NEGATIVE_INFINITY;
  #counts = { ...noCounts };

  readonly #alsoStore: AlsoStore | null;
  /** The present call of `alsoStore` settles this promise; it is settled when none runs. */
  #storing: Promise<void> = Promise.resolve();

  /** `counts` includes the pages that the job stored before a restart. */
  constructor(
    payload: Payload,
    context: OperationContext,
    counts: Record<string, number> = {},
    alsoStore: AlsoStore | null = null,
  ) {
    this.#alsoStore = alsoStore;
    this.#counts = { ...noCounts, ...counts };
    this.#payload = payload;
    this.#context = context;
    this.#rejections = new RejectionLog(context, `${name}.bad_records`, 'skip');
  }

  async run(batches: Batches): Promise<Record<string, unknown>> {
    const limit = this.#payload.total_limit ?? Number.POSITIVE_INFINITY;
    let total: number | null = null;
    for await (const batch of batches) {
      this.#context.signal.throwIfAborted();
      total = batch.total;
      if (batch.restarted) this.#counts = { ...noCounts };
      await this.#rejections.add(batch.rejected);
      const records = batch.records.slice(0, limit - this.#counts.retrieved_records);
      await this.#store(records, batch.checkpoint ?? null);
      await this.#context.progress(this.#counts.retrieved_records, total);
      if (this.#counts.retrieved_records >= limit) {
        await this.#context.emit(
          `${name}.limit_reached`,
          { total_limit: this.#payload.total_limit },
          'warning',
        );
        break;
      }
    }
    await this.#storing;
    await this.#report(true);
    await this.#context.progress(this.#counts.retrieved_records, this.#counts.retrieved_records);
    this.#throwIfNothingKept();
    const elapsed_seconds = (performance.now() - this.#startMs) / 1000;
    return { ...this.#counts, bad_records: this.#rejections.total, elapsed_seconds };
  }

  async #store(records: readonly ProteinRecord[], checkpoint: string | null): Promise<void> {
    const counts = { ...this.#counts };
    this.#counts = counts;
    counts.pages++;
    counts.retrieved_records += records.length;
    const chosen = await this.#choose(records);
    const { db, jobId } = this.#context;
    let listed: ListedProtein[] = [];
    if (chosen.length > 0 || checkpoint !== null) {
      await inTransaction(db, async (trx) => {
        if (chosen.length > 0) {
          const { stored, sequenceIds } = await upsertProteins(trx, chosen);
          listed = chosen.map(({ accession }, i) => ({ accession, sequenceId: sequenceIds[i] }));
          for (const key of Object.keys(stored) as (keyof StoredProteins)[]) counts[key] += stored[key];
        }
        if (checkpoint !== null) await saveCheckpoint(trx, jobId, { checkpoint, counts });
      });
    }
    await this.#storeMore(listed);
    await this.#report(false);
  }

  /**
   * Stores a batch while the next one is read. At most one call of `alsoStore` is behind, so the database
   * works on both.
   */
  async #storeMore(proteins: readonly ListedProtein[]): Promise<void> {
    const alsoStore = this.#alsoStore;
    if (alsoStore === null || proteins.length === 0) return;
    await this.#storing;
    this.#storing = inTransaction(this.#context.db, (trx) => alsoStore(trx, proteins));
    // The empty handler avoids an unhandledRejection; the error surfaces at the next await.
    this.#storing.catch(() => {});
  }

  /** Chooses distinct accessions of a usable length, and isoforms only if requested. */
  async #choose(records: readonly ProteinRecord[]): Promise<ProteinRecord[]> {
    const byAccession = new Map<string, ProteinRecord>();
    for (const record of records) {
      const isIsoform = record.isoformIndex !== null;
      if (isIsoform) this.#counts.isoform_records++;
      if (isIsoform && !this.#payload.include_isoforms) this.#counts.isoforms_skipped++;
      else if (record.accession.length > maxAccessionLength) {
        const reason = `accession ${record.accession.slice(0, 40)}... has more than ${maxAccessionLength} characters`;
        await this.#rejections.add([{ line: (record as { line?: number }).line ?? 0, reason }]);
      } else if (byAccession.has(record.accession)) this.#counts.duplicates_skipped++;
      else byAccession.set(record.accession, record);
    }
    return [...byAccession.values()];
  }

  async #report(isLast: boolean): Promise<void> {
    const nowMs = performance.now();
    if (!isLast && nowMs - this.#lastEventMs < eventIntervalMs) return;
    this.#lastEventMs = nowMs;
    const { pages, retrieved_records, proteins_inserted, proteins_updated } = this.#counts;
    const fields = { page: pages, retrieved_total: retrieved_records, proteins_inserted, proteins_updated };
    await this.#context.emit(`${name}.page_done`, fields);
  }

  #throwIfNothingKept(): void {
    const counts = this.#counts;
    if (counts.proteins_inserted + counts.proteins_updated + counts.proteins_unchanged > 0) return;
    const { search_criteria, fasta_url } = this.#payload;
    const { first, total } = this.#rejections;
    const reasons = {
      'isoforms that were not requested': counts.isoforms_skipped,
      'that cannot be used': total,
    };
    if (counts.retrieved_records === 0 && first !== null) {
      throw new ProblemError(
        'bad_fasta',
        `No usable record; the first error: line ${first.line}: ${first.reason}.`,
      );
    }
    const hint = 'Look at the query and at include_isoforms.';
    const rows = counts.retrieved_records;
    throw nothingLoaded(fasta_url ?? `the UniProt query ${search_criteria}`, { rows, reasons, hint });
  }
}
