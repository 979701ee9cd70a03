import { ProblemError } from '@kindred/contracts';
import { type QuotaSubject, takeQuota } from '../../accounts/limits.js';
import type { AccountSettings } from '../../accounts/settings.js';
import {
  claimKey,
  type IdempotencyClaim,
  type StoredAnswer,
  storeAnswer,
} from '../../store/accounts/idempotency.repository.js';
import type { JobRow, NewJob } from '../../store/jobs/jobs.repository.js';
import { inTransaction, type Transaction } from '../../store/postgres/db.js';
import { grouped } from '../../store/postgres/grouped.js';
import { type JobDeps, publishWithin } from './publish.js';
import { enqueueJob, insertQueued, type JobRequest, newJobOf, publishCommitted } from './submit.js';

/** The work of one request has these results. */
export interface AnsweredWork {
  /** The route's reply is remembered for the Idempotency-Key. */
  answer: StoredAnswer;
  /** These jobs are published after the commit. */
  jobs: JobRow[];
}

/**
 * Runs the work of a request in one transaction and publishes its jobs after the commit. With a claim (the
 * request's Idempotency-Key), the same key and body get the first answer again, even when both requests come
 * at once.
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

/**
 * Queues one job of a request and takes it from the daily quota.
 * @throws ProblemError quota_exceeded, idempotency_mismatch
 */
export async function submitCounted(
  deps: JobDeps & { settings: AccountSettings },
  { claim, subject }: { claim: IdempotencyClaim | null; subject: QuotaSubject },
  job: JobRequest,
  answerOf: (row: JobRow) => StoredAnswer,
): Promise<StoredAnswer> {
  const request = { ...job, ownerUserId: subject.principal.user?.id ?? null };
  if (claim === null && !request.waitsForJobId) {
    const row = await submitTogether(deps.db, { deps, subject, job: newJobOf(request) });
    if (row.published_at === null) await publishCommitted(deps, [row]);
    return answerOf(row);
  }
  return commitWork(deps, claim, async (trx) => {
    await takeQuota(trx, deps.settings, subject, { resource: 'jobs', units: 1 });
    const row = await enqueueJob(trx, request);
    return { answer: answerOf(row), jobs: [row] };
  });
}

interface Submission {
  deps: JobDeps & { settings: AccountSettings };
  subject: QuotaSubject;
  job: NewJob;
}

/**
 * Requests of one caller that come at the same time share a transaction. If the quota is too small for all,
 * it refuses each request by itself.
 */
const submitTogether = grouped(
  (_db, submissions: readonly Submission[]): Promise<JobRow[]> => {
    const [{ deps, subject }] = submissions;
    return inTransaction(deps.db, async (trx) => {
      await takeQuota(trx, deps.settings, subject, { resource: 'jobs', units: submissions.length });
      const jobs = await insertQueued(
        trx,
        submissions.map(({ job }) => job),
        deps.broker.publishWithin !== undefined,
      );
      await publishWithin(trx, deps.broker, jobs);
      return jobs;
    });
  },
  ({ subject: { key, principal } }) => `${principal.kind} ${principal.role} ${key}`,
);
