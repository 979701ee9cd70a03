import { setTimeout as sleep } from 'node:timers/promises';
import {
  ProblemError,
  type ProteinRecord,
  type SourceBatch,
  type SourceContext,
  type SourceStream,
} from '@kindred/contracts';
import { FormatError, isoformOf, readFasta, type FastaRecord } from '@kindred/kernels/formats';
import type { UniprotParameters } from './index.js';
import { nextLink } from './next-link.js';

interface Page {
  records: FastaRecord[];
  rejected: { line: number; reason: string }[];
  next: string | null;
  /** X-Total-Results. */
  total: number | null;
  release: string | null;
}

interface Progress {
  /** Seen so far, to find what comes twice. */
  accessions: Set<string>;
  retrieved: number;
  pageSize: number;
}

const retryPauseMs = 500;

/**
 * Proteins of a query, one batch per page, following the Link header. A page is handed on when all of it is there.
 * @throws ProblemError fetch_failed: a page that can't be had, pages that end before the announced total, a Link that leads back
 */
export async function* searchProteins(
  parameters: UniprotParameters,
  context: SourceContext,
): AsyncGenerator<SourceBatch<ProteinRecord>> {
  const visited = new Set<string>();
  const state: Progress = { accessions: new Set(), retrieved: 0, pageSize: parameters.page_size };
  let address: string | null = firstAddress(parameters);
  for (let number = 1; address !== null; number++) {
    if (visited.has(address)) {
      throw new ProblemError(
        'fetch_failed',
        `UniProt's page ${number} leads back to a page that was read before.`,
      );
    }
    visited.add(address);
    await context.emit('uniprot.fetch_page_start', { page: number, has_cursor: number > 1 });
    const page = await fetchPage(address, parameters, context);
    state.retrieved += page.records.length + page.rejected.length;
    await context.emit('uniprot.fetch_page_done', { page: number, records: page.records.length });
    yield toBatch(page, number, state);
    if (page.next === null) await checkEnd(page, number, state, context);
    address = page.next;
  }
}

function firstAddress(parameters: UniprotParameters): string {
  const url = new URL(parameters.base_url);
  url.searchParams.set('format', 'fasta');
  url.searchParams.set('query', parameters.search_criteria);
  url.searchParams.set('size', String(parameters.page_size));
  if (parameters.include_isoforms) url.searchParams.set('includeIsoform', 'true');
  return url.href;
}

/** A few entries without a sequence may be counted in the total and not sent; more than that is a lost page. */
async function checkEnd(page: Page, number: number, state: Progress, context: SourceContext): Promise<void> {
  const missing = (page.total ?? 0) - state.retrieved;
  if (missing <= 0) return;
  const received = page.records.length + page.rejected.length;
  if (received >= state.pageSize || missing >= state.pageSize) {
    throw new ProblemError(
      'fetch_failed',
      `UniProt announced ${page.total} records, but page ${number} has no Link to a next one after ${state.retrieved}.`,
    );
  }
  await context.emit(
    'uniprot.fewer_records',
    { announced: page.total, received: state.retrieved },
    'warning',
  );
}

function toBatch(page: Page, number: number, state: Progress): SourceBatch<ProteinRecord> {
  const rejected = page.rejected.map(({ line, reason }) => ({ line, reason: `page ${number}: ${reason}` }));
  const records: ProteinRecord[] = [];
  for (const record of page.records) {
    if (state.accessions.has(record.accession)) {
      rejected.push({
        line: record.line,
        reason: `page ${number}: accession ${record.accession} came before`,
      });
    } else {
      state.accessions.add(record.accession);
      records.push(toProtein(record));
    }
  }
  const header: Record<string, string> = page.release === null ? {} : { 'uniprot-release': page.release };
  return { records, rejected, skipped: 0, seen: state.retrieved, total: page.total, header };
}

function toProtein(record: FastaRecord): ProteinRecord {
  const { accession, entryName, reviewed, proteinName, geneName, organism, taxonId, sequence } = record;
  const names = { entryName, reviewed, proteinName, geneName, organism, taxonId };
  return { accession, ...isoformOf(accession), ...names, sequence };
}

/** Statuses and connections are tried again by whoever opens the stream; here a body that breaks off is. */
async function fetchPage(
  address: string,
  parameters: UniprotParameters,
  context: SourceContext,
): Promise<Page> {
  for (let attempt = 1; ; attempt++) {
    const stream = await context.openStream(address, {
      headers: { accept: 'text/plain;format=fasta' },
      timeoutMs: 1000 * parameters.timeout_seconds,
    });
    try {
      return await readPage(address, stream);
    } catch (error) {
      if (error instanceof FormatError) {
        throw new ProblemError('bad_file', `UniProt's answer is no FASTA: ${error.message}.`, {
          cause: error,
        });
      }
      if (attempt > parameters.max_retries || context.signal.aborted) throw error;
      const waitMs = retryPauseMs * 2 ** (attempt - 1);
      const fields = { attempt, wait_seconds: waitMs / 1000, reason: (error as Error).message };
      await context.emit('http.retry', fields, 'warning');
      await sleep(waitMs, undefined, { signal: context.signal });
    }
  }
}

async function readPage(address: string, stream: SourceStream): Promise<Page> {
  const page: Page = {
    records: [],
    rejected: [],
    next: nextLink(stream.headers.link, address),
    total: countOf(stream.headers['x-total-results']),
    release: stream.headers['x-uniprot-release'] ?? null,
  };
  for await (const batch of readFasta(stream.bytes)) {
    page.records.push(...batch.records);
    // An empty answer (no hit) is no fault here, as it is in a file.
    if (page.total !== 0) page.rejected.push(...batch.rejected);
  }
  return page;
}

function countOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
