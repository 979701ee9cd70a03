import { createHash } from 'node:crypto';
import { type OperationRow, operationRows, ProblemError } from '@kindred/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type QuotaSubject, takeQuota } from '../accounts/limits.js';
import { enqueueJob, type JobRequest, publishCommitted } from '../jobs/submit.js';
import { inTransaction, type Transaction } from '../store/postgres/db.js';
import { claimKey, type StoredAnswer, storeAnswer } from '../store/accounts/idempotency.repository.js';
import type { JobRow } from '../store/jobs/jobs.repository.js';
import type { RouteDeps } from './deps.js';
import { requireRole } from './plugins/credentials.js';
import { fieldProblem, validationProblem } from './problems.js';
import { faultsOf, reportInput } from './validation.js';

/**
 * The operation's row, after the checks that a job must pass before it is queued: known operation, its own queue, role,
 * and a payload that fits.
 * @throws ProblemError unknown_operation, unknown_queue, role_too_low, validation_failed
 */
export function checkOperation(
  request: FastifyRequest,
  body: { operation: string; queue_name: string; payload: Record<string, unknown> },
): OperationRow {
  const row: OperationRow | undefined = operationRows.find((candidate) => candidate.name === body.operation);
  if (row === undefined) {
    const known = operationRows.map((candidate) => candidate.name).join(', ');
    throw new ProblemError(
      'unknown_operation',
      `No operation ${JSON.stringify(body.operation)}. There are: ${known}.`,
      {
        errors: [{ path: '/operation', message: `expected one of ${known}`, code: 'unknown_operation' }],
      },
    );
  }
  if (body.queue_name !== row.queue) {
    throw new ProblemError(
      'unknown_queue',
      `${row.name} runs on ${row.queue}, not on ${JSON.stringify(body.queue_name)}.`,
      {
        errors: [{ path: '/queue_name', message: `expected ${row.queue}`, code: 'unknown_queue' }],
      },
    );
  }
  if (!row.light) requireRole(request.principal, 'operator');
  const payload = row.payload.safeParse(body.payload, reportInput);
  if (!payload.success) throw validationProblem(faultsOf(payload.error, ['payload']));
  return row;
}

export interface Work {
  /** What the route answers; remembered for the Idempotency-Key. */
  answer: StoredAnswer;
  /** Published after the commit. */
  jobs: JobRow[];
}

/**
 * Runs the work of a route in one transaction and publishes its jobs after the commit. With an `Idempotency-Key` the
 * same key and body get the first answer again, also when both requests come at once.
 * @throws ProblemError idempotency_mismatch
 */
export async function commitWork(
  deps: RouteDeps,
  request: FastifyRequest,
  fingerprint: string | Uint8Array,
  work: (trx: Transaction) => Promise<Work>,
): Promise<StoredAnswer> {
  const key = idempotencyKey(request);
  if (key === null) {
    const { answer, jobs } = await inTransaction(deps.db, work);
    await publishCommitted(deps, jobs);
    return answer;
  }
  const claim = {
    principal: await principalKey(deps, request),
    route: `${request.method} ${request.routeOptions.url?.replace(/^\/v1(?=\/)/, '')}`,
    key,
    bodySha256: createHash('sha256').update(fingerprint).digest('hex'),
  };
  const { answer, jobs } = await inTransaction(deps.db, async (trx): Promise<Work> => {
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
    return {
      answer: { ...first.answer, headers: { ...first.answer.headers, 'idempotency-replayed': 'true' } },
      jobs: [],
    };
  });
  await publishCommitted(deps, jobs);
  return answer;
}

function idempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw fieldProblem(
    '/Idempotency-Key',
    'expected 1 to 255 visible ASCII characters in the header Idempotency-Key',
  );
}

/** Who a counter or a key belongs to. Never call it inside a transaction: it may need a connection of its own. */
export async function principalKey(deps: RouteDeps, request: FastifyRequest): Promise<string> {
  const { user } = request.principal;
  return user === null ? `ip:${await deps.clients.hash(request.ip)}` : `user:${user.id}`;
}

export async function quotaSubject(deps: RouteDeps, request: FastifyRequest): Promise<QuotaSubject> {
  return { principal: request.principal, key: await principalKey(deps, request) };
}

/** Takes one job of the daily quota and writes the row; inside the transaction of the request. */
export async function enqueueCounted(
  { settings }: RouteDeps,
  trx: Transaction,
  subject: QuotaSubject,
  job: JobRequest,
): Promise<JobRow> {
  await takeQuota(trx, settings, subject, { resource: 'jobs', units: 1 });
  return enqueueJob(trx, { ...job, ownerUserId: subject.principal.user?.id ?? null });
}

/** A "queue X" shortcut: 202 with `Location` and `{id, status}`. */
export async function queueShortcut(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  job: { operation: (typeof operationRows)[number]['name']; payload: Record<string, unknown> },
): Promise<{ id: string; status: 'QUEUED' }> {
  const { queue } = operationRows.find((row) => row.name === job.operation) as OperationRow;
  const subject = await quotaSubject(deps, request);
  const answer = await commitWork(deps, request, JSON.stringify(job), async (trx) => {
    const row = await enqueueCounted(deps, trx, subject, { ...job, queueName: queue });
    const headers = { location: `/v1/jobs/${row.id}` };
    return { answer: { status: 202, headers, body: { id: row.id, status: 'QUEUED' } }, jobs: [row] };
  });
  reply.code(answer.status).headers(answer.headers);
  return answer.body as { id: string; status: 'QUEUED' };
}
