import { type DomainMatchRecord, type PayloadOf, ProblemError, type SourceBatch } from '@kindred/contracts';
import { loadProblem, nothingLoaded } from './load-problem.js';
import { MatchWriter } from './match-writer.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { readAhead } from '../ground/read-ahead.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';

type Payload = PayloadOf<'load_interpro_annotations'>;
const name = 'load_interpro_annotations';
const eventIntervalMs = 2000;

/**
 * Loads InterPro matches from a file for the sequences in the database. Each batch is committed separately,
 * and a second run adds nothing.
 */
export const loadInterproAnnotations: Operation<'load_interpro_annotations'> = {
  name,
  async run(payload, context) {
    const { matches_url, interpro_release } = payload;
    await context.emit(`${name}.start`, { matches_url, interpro_release });
    try {
      const result = await load(payload, context);
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } catch (error) {
      throw loadProblem(error, matches_url);
    }
  },
};

async function load(payload: Payload, context: OperationContext): Promise<Record<string, unknown>> {
  const startMs = performance.now();
  const rejections = new RejectionLog(context, `${name}.bad_lines`, payload.on_bad_line);
  const writer = new MatchWriter(context, payload.interpro_release);
  const { session, batches } = await matchesOf(payload, context);
  let format = payload.format as string;
  let lines = 0;
  let usable = 0;
  let skipped = 0;
  let lastEventMs = startMs;
  for await (const batch of readAhead(batches)) {
    context.signal.throwIfAborted();
    lines = batch.seen;
    format = batch.header.format ?? format;
    usable += batch.records.length + batch.skipped;
    skipped += batch.skipped;
    await rejections.add(batch.rejected);
    await writer.store(batch.records);
    await context.progress(lines, null);
    if (performance.now() - lastEventMs < eventIntervalMs) continue;
    lastEventMs = performance.now();
    await context.emit(`${name}.page_done`, { total_lines: lines, total_inserted: writer.inserted });
  }
  await context.progress(lines, lines);
  if (usable === 0) {
    const { first } = rejections;
    const why = first === null ? 'it has no match' : `line ${first.line}: ${first.reason}`;
    throw new ProblemError('bad_file', `${payload.matches_url}: nothing could be read as ${format}: ${why}.`);
  }
  if (writer.inserted + writer.unchanged === 0) {
    const reasons = {
      'of sequences that are not in the database': writer.notInDatabase,
      'without an InterPro entry': skipped,
      'that cannot be read': rejections.total,
    };
    const hint = 'Load the proteins first, or upload the sequences as a query set.';
    throw nothingLoaded(payload.matches_url, { rows: lines, reasons, hint });
  }
  return {
    format,
    interpro_release: payload.interpro_release,
    total_lines_read: lines,
    ...writer.result(),
    rows_unreadable: rejections.total,
    content_sha256: session.contentSha256,
    elapsed_seconds: (performance.now() - startMs) / 1000,
  };
}

async function matchesOf(
  payload: Payload,
  context: OperationContext,
): Promise<{ session: SourceSession; batches: AsyncIterable<SourceBatch<DomainMatchRecord>> }> {
  const source = await context.plugins.source('interpro');
  if (source.domainMatches === undefined) {
    throw new ProblemError(
      'service_unavailable',
      'The installed source plugin "interpro" offers no matches.',
    );
  }
  const session = new SourceSession(context, {
    operation: name,
    rowLimit: null,
    headerLines: 0,
    sideUrls: [],
  });
  const { matches_url, format, page_size, timeout_seconds } = payload;
  const parameters = { matches_url, format, page_size, timeout_seconds };
  return { session, batches: source.domainMatches(parameters, session.context) };
}
