import {
  type AnnotationRecord,
  ProblemError,
  type SourceBatch,
  type SourceContext,
  type SourceStream,
} from '@kindred/contracts';
import { FormatError, parseEcoMapping, readQuickGo } from '@kindred/kernels/formats';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QuickGoParameters } from './parameters.js';

type Batch = SourceBatch<AnnotationRecord>;

interface Download {
  parameters: QuickGoParameters;
  context: SourceContext;
  codeOfEco?: ReadonlyMap<string, string>;
  /** The number of lines of the finished downloads. */
  seen: number;
}

const retryPauseMs = 500;
const reportedEcoFaults = 20;

/** Sends one request for each batch of gene products, in the order given; without gene products one request for everything. */
export async function* downloadAnnotations(
  parameters: QuickGoParameters,
  context: SourceContext,
): AsyncGenerator<Batch> {
  const download: Download = { parameters, context, seen: 0 };
  if (parameters.eco_mapping_url !== null)
    download.codeOfEco = await readEcoMapping(parameters.eco_mapping_url, download);
  const ids = parameters.gene_product_ids;
  if (ids === null) {
    yield* everything(download);
    return;
  }
  const size = parameters.gene_product_batch_size;
  const count = Math.ceil(ids.length / size);
  await context.emit('batching', { total_accessions: ids.length, total_batches: count, batch_size: size });
  for (let start = 0; start < ids.length; start += size)
    yield* wholeBatch(ids.slice(start, start + size), download);
}

async function readEcoMapping(
  url: string,
  { parameters, context }: Download,
): Promise<ReadonlyMap<string, string>> {
  await context.emit('eco_mapping_start', { eco_mapping_url: url });
  const stream = await context.openStream(url, { timeoutMs: 1000 * parameters.timeout_seconds });
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream.bytes) chunks.push(chunk);
  const { codeOf, rejected } = parseEcoMapping(chunks);
  if (codeOf.size === 0)
    throw new ProblemError('bad_file', `${url} has no line with an ECO id and an evidence code.`);
  const level = rejected.length > 0 ? 'warning' : 'info';
  const fields = {
    mapped: codeOf.size,
    rejected: rejected.length,
    examples: rejected.slice(0, reportedEcoFaults),
  };
  await context.emit('eco_mapping_done', fields, level);
  return codeOf;
}

function addressOf(ids: readonly string[] | null, parameters: QuickGoParameters): string {
  const url = new URL(parameters.quickgo_base_url);
  url.searchParams.set('geneProductType', 'protein');
  url.searchParams.set('downloadLimit', String(parameters.download_limit));
  if (ids !== null) url.searchParams.set('geneProductId', ids.join(','));
  return url.href;
}

function openDownload(
  ids: readonly string[] | null,
  { parameters, context }: Download,
): Promise<SourceStream> {
  return context.openStream(addressOf(ids, parameters), {
    headers: { accept: 'text/tsv' },
    timeoutMs: 1000 * parameters.timeout_seconds,
  });
}

async function* readOne(stream: SourceStream, download: Download): AsyncGenerator<Batch> {
  const { parameters, context, codeOfEco } = download;
  const options = { batchSize: parameters.page_size, ...(codeOfEco && { codeOfEco }) };
  for await (const batch of readQuickGo(stream.bytes, options)) {
    const { keep } = context;
    const records = keep ? batch.records.filter((record) => keep(record.accession)) : batch.records;
    const skipped = batch.records.length - records.length;
    yield { ...batch, records, skipped, seen: download.seen + batch.seen, total: null };
  }
}

/**
 * Reads everything without a buffer for retries, which would be too large. Rows are passed on at once, so a broken connection makes the
 * load fail.
 */
async function* everything(download: Download): AsyncGenerator<Batch> {
  let rows = 0;
  for await (const batch of readOne(await openDownload(null, download), download)) {
    rows += rowsOf(batch);
    yield batch;
  }
  if (rows < download.parameters.download_limit) return;
  throw new ProblemError(
    'fetch_failed',
    `QuickGO gave ${rows} rows, the most that one download may have, so that rows are missing; name gene products or load a GAF file.`,
  );
}

/** Passes a batch on when it is complete, so that an interrupted download can be retried. */
async function* wholeBatch(ids: readonly string[], download: Download): AsyncGenerator<Batch> {
  const batches = await withRetries(ids, download);
  const rows = batches.reduce((sum, batch) => sum + rowsOf(batch), 0);
  if (rows >= download.parameters.download_limit) {
    if (ids.length === 1) {
      throw new ProblemError(
        'fetch_failed',
        `QuickGO has more than ${download.parameters.download_limit} rows for ${ids[0]}.`,
      );
    }
    const half = Math.ceil(ids.length / 2);
    yield* wholeBatch(ids.slice(0, half), download);
    yield* wholeBatch(ids.slice(half), download);
    return;
  }
  yield* batches;
  download.seen = batches.at(-1)?.seen ?? download.seen;
}

function rowsOf(batch: Batch): number {
  return batch.records.length + batch.rejected.length + batch.skipped;
}

/** Refuses the response of another request, which a proxy's cache may give: it would duplicate rows there and lose rows here. */
async function refuseOtherRows(
  ids: readonly string[],
  batches: readonly Batch[],
  context: SourceContext,
): Promise<void> {
  const asked = new Set(ids.map(canonicalOf));
  const other = batches
    .flatMap(({ records }) => records)
    .find(({ accession }) => !asked.has(canonicalOf(accession)));
  if (other === undefined) return;
  await context.emit('other_rows', { accession: other.accession, line: other.line }, 'warning');
  throw new ProblemError(
    'fetch_failed',
    `QuickGO answered with rows of ${other.accession}, which was not requested.`,
  );
}

/** Returns the requested accession, to which isoforms (`-2`) and chains (`:PRO_...`) belong. */
const canonicalOf = (accession: string) => accession.split(/[-:]/, 1)[0];

/** Retries an interrupted body. Opening the stream already retries on status and connection errors. */
async function withRetries(ids: readonly string[], download: Download): Promise<Batch[]> {
  const { parameters, context } = download;
  for (let attempt = 1; ; attempt++) {
    const stream = await openDownload(ids, download);
    try {
      const batches: Batch[] = [];
      for await (const batch of readOne(stream, download)) batches.push(batch);
      await refuseOtherRows(ids, batches, context);
      return batches;
    } catch (error) {
      if (error instanceof FormatError) {
        throw new ProblemError('bad_file', `QuickGO's answer can't be read: ${error.message}.`, {
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
