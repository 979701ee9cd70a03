import { ProblemError } from '@kindred/contracts';
import { type QuotaSubject, takeQuota } from '../accounts/limits.js';
import type { AccountSettings } from '../accounts/settings.js';
import {
  claimKey,
  type IdempotencyClaim,
  type StoredAnswer,
  storeAnswer,
} from '../store/accounts/idempotency.repository.js';
import type { JobRow } from '../store/jobs/jobs.repository.js';
import { inTransaction, type Transaction } from '../store/postgres/db.js';
import type { JobDeps } from './publish.js';
import { enqueueJob, type JobRequest, publishCommitted } from './submit.js';

/** What the work of one request gives. */
export interface AnsweredWork {
  /** What the route answers; remembered for the Idempotency-Key. */
  answer: StoredAnswer;
  /** Published after the commit. */
  jobs: JobRow[];
}

/**
 * Runs the work of a request in one transaction and publishes its jobs after the commit. With a claim (the request's
 * Idempotency-Key) the same key and body get the first answer again, also when both requests come at once.
 * @throws ProblemError idempotency_mismatch
 */
export async function commitWork(
  deps: JobDeps,
  claim: IdempotencyClaim | null,
  work: (trx: Transaction) => Promise<AnsweredWork>,
): Promise<StoredAnswer> {
  const { answer, jobs } = await inTransaction(deps.db, (trx) =>
    claim === null ? work(trx) : workOnce(trx, claim, work),
  );
  await publishCommitted(deps, jobs);
  return answer;
}

async function workOnce(
  trx: Transaction,
  claim: IdempotencyClaim,
  work: (trx: Transaction) => Promise<AnsweredWork>,
): Promise<AnsweredWork> {
  const first = await claimKey(trx, claim);
  if (first === null) {
    const done = await work(trx);
    await storeAnswer(trx, claim, done.answer);
    return done;
  }
  if (first.bodySha256 !== claim.bodySha256) {
    throw new ProblemError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body. Use a new key for new work.',
    );
  }
  const headers = { ...first.answer.headers, 'idempotency-replayed': 'true' };
  return { answer: { ...first.answer, headers }, jobs: [] };
}

/** Queues one job of a request and takes it from the daily quota. @throws ProblemError quota_exceeded, idempotency_mismatch */
export function submitCounted(
  deps: JobDeps & { settings: AccountSettings },
  { claim, subject }: { claim: IdempotencyClaim | null; subject: QuotaSubject },
  job: JobRequest,
  answerOf: (row: JobRow) => StoredAnswer,
): Promise<StoredAnswer> {
  return commitWork(deps, claim, async (trx) => {
    await takeQuota(trx, deps.settings, subject, { resource: 'jobs', units: 1 });
    const row = await enqueueJob(trx, { ...job, ownerUserId: subject.principal.user?.id ?? null });
    return { answer: answerOf(row), jobs: [row] };
  });
}
