import { type PayloadOf, ProblemError } from '@kindred/contracts';
import { readSecondaryAccessions } from '@kindred/kernels/formats';
import { withAdvisoryLock } from '../store/postgres/advisory-lock.js';
import { inTransaction } from '../store/postgres/db.js';
import {
  replaceSecondaryAccessions,
  type SecondaryAccession,
  secondaryAccessionSource,
} from '../store/proteins/secondary-accessions.repository.js';
import type { Operation, OperationContext } from '../work/operation/operation.js';
import { loadProblem } from './load-problem.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';
import { isUnchanged, rememberSource } from './unchanged-source.js';

type Payload = PayloadOf<'load_secondary_accessions'>;
const name = 'load_secondary_accessions';

/**
 * Loads the list completely or not at all, and replaces the previous one. The same content is not written
 * again.
 */
export const loadSecondaryAccessions: Operation<'load_secondary_accessions'> = {
  name,
  async run(payload, context) {
    const { list_url: url } = payload;
    await context.emit(`${name}.start`, { list_url: url });
    try {
      const known = await secondaryAccessionSource(context.db);
      const isKnown =
        known?.source_url === url && (await isUnchanged(url, known.content_sha256, context, name));
      const result = isKnown
        ? { skipped: true, pairs: known.pair_count, rows_unreadable: 0, content_sha256: known.content_sha256 }
        : await load(payload, known?.content_sha256, context);
      await context.emit(`${name}.done`, result);
      return { kind: 'done', result };
    } catch (error) {
      throw loadProblem(error, url);
    }
  },
};

async function load(
  payload: Payload,
  knownSha256: string | undefined,
  context: OperationContext,
): Promise<Record<string, unknown>> {
  const { list_url: url, timeout_seconds, on_bad_line } = payload;
  const session = new SourceSession(context, {
    operation: name,
    rowLimit: null,
    headerLines: 0,
    sideUrls: [],
  });
  const rejections = new RejectionLog(context, `${name}.bad_lines`, on_bad_line);
  const stream = await session.context.openStream(url, { timeoutMs: 1000 * timeout_seconds });
  const pairs = new Map<string, SecondaryAccession>();
  for await (const { records, rejected } of readSecondaryAccessions(stream.bytes)) {
    context.signal.throwIfAborted();
    await rejections.add(rejected);
    for (const { secondary, accession } of records)
      pairs.set(`${secondary} ${accession}`, { secondary, accession });
  }
  if (pairs.size === 0) {
    const { first } = rejections;
    const why = first === null ? 'it has no pair' : `line ${first.line}: ${first.reason}`;
    throw new ProblemError('bad_file', `${url} has no secondary accessions: ${why}.`);
  }
  const { contentSha256: content_sha256 } = session;
  const result = { pairs: pairs.size, rows_unreadable: rejections.total, content_sha256 };
  if (content_sha256 === knownSha256) return { skipped: true, ...result };
  const source = { source_url: url, content_sha256, pair_count: pairs.size };
  await withAdvisoryLock(context.db, 'secondary accessions', () =>
    inTransaction(context.db, (trx) =>
      replaceSecondaryAccessions(trx, [...pairs.values()], source, context.jobId),
    ),
  );
  await rememberSource(url, session.headersOf(url), content_sha256, context);
  return { skipped: false, ...result };
}
