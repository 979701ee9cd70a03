import { ProblemError } from '@kindred/contracts';
import type { TermCounts } from '@kindred/kernels/enrichment';
import { type CountQuestion, type SnapshotColumns, termCountsOf } from '../predict/banks/term-counts.js';
import type { AnnotationSetRow } from '../store/annotations/annotations.repository.js';
import type { RouteDeps } from './deps.js';

/** How long a question waits for the counts of its set; they are made meanwhile and afterwards, and clients ask again. */
const mostCountingMs = 25_000;
const countingRetrySeconds = 5;

/**
 * Gives how many proteins of a set have each term of an ontology.
 * @throws ProblemError being_counted if they are not counted in time
 */
export async function countsInTime(
  { db, compute, memory, settings }: Pick<RouteDeps, 'db' | 'compute' | 'memory' | 'settings'>,
  set: AnnotationSetRow,
  snapshot: SnapshotColumns,
  asked?: CountQuestion,
): Promise<TermCounts> {
  const counts = termCountsOf(set, snapshot, { db, compute, memory, cacheDir: settings.cacheDir }, asked);
  const wait = AbortSignal.timeout(mostCountingMs);
  return within(wait, counts).catch((error: unknown) => {
    throw wait.aborted && error === wait.reason ? beingCounted(set, error) : error;
  });
}

function beingCounted({ source, source_version }: AnnotationSetRow, cause: unknown): ProblemError {
  return new ProblemError(
    'being_counted',
    `The service is counting how many proteins of the annotation set ${source} ${source_version} have each term. It does so once for each set, and keeps the counts. Ask again in ${countingRetrySeconds} seconds.`,
    { headers: { 'retry-after': String(countingRetrySeconds) }, cause },
  );
}

/** Waits as long as the caller does; the work continues after that. */
async function within<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  let leave = () => {};
  const over = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
