import { createHash } from 'node:crypto';
import { type OperationRow, ProblemError } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type QuotaResource, type QuotaSubject, requireQuotaLeft } from '../accounts/limits.js';
import { submitCounted } from '../work/jobs/answered-work.js';
import { type IdempotencyClaim, isClaimed } from '../store/accounts/idempotency.repository.js';
import type { RouteDeps } from './deps.js';
import { requireRole } from './plugins/credentials.js';
import { requirePossible } from './possible.js';
import { fieldProblem, validationProblem } from './problems.js';
import { faultsIn } from './validation.js';

/**
 * Gives the payload to store, after the checks that a job must pass before it is queued: known operation, its
 * own queue, role, and a payload that fits. The payload stays as the caller sent it, without defaults; only
 * UUIDs become lower case.
 * @throws ProblemError unknown_operation, unknown_queue, role_too_low, validation_failed
 */
export function checkOperation(
  request: FastifyRequest,
  body: { operation: string; queue_name: string; payload: Record<string, unknown> },
): Record<string, unknown> {
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
  const faults = faultsIn(row.payload, body.payload, ['payload']);
  if (faults.length > 0) throw validationProblem(faults);
  return withSpellingOf(row.payload.parse(body.payload), body.payload);
}

/**
 * Gives `given` with its ids spelled as in `parsed`. Other values that the schema added or changed are left
 * out.
 */
function withSpellingOf<T>(parsed: unknown, given: T): T {
  if (typeof given === 'string')
    return typeof parsed === 'string' && parsed === given.toLowerCase() ? (parsed as T) : given;
  if (typeof given !== 'object' || given === null || typeof parsed !== 'object' || parsed === null)
    return given;
  const spelled = (item: unknown, key: string | number) =>
    withSpellingOf((parsed as Record<string, unknown>)[key], item);
  if (Array.isArray(given)) return given.map(spelled) as T;
  return Object.fromEntries(Object.entries(given).map(([key, item]) => [key, spelled(item, key)])) as T;
}

/**
 * Gives the account whose quota a write takes, and its claim on the Idempotency-Key, null without the header.
 */
export async function callerOf(
  deps: RouteDeps,
  request: FastifyRequest,
  fingerprint: string | Uint8Array,
): Promise<{ subject: QuotaSubject; claim: IdempotencyClaim | null }> {
  const subject = await quotaSubject(deps, request);
  const key = idempotencyKey(request);
  if (key === null) return { subject, claim: null };
  const claim = {
    principal: subject.key,
    route: `${request.method} ${request.routeOptions.url?.replace(/^\/v1(?=\/)/, '')}`,
    key,
    bodySha256: createHash('sha256').update(fingerprint).digest('hex'),
  };
  return { subject, claim };
}

/**
 * Refuses a caller whose daily quota is used up before their body is read, except for a request that was
 * answered before.
 * @throws ProblemError quota_exceeded
 */
export function beforeBody(deps: RouteDeps, resource: QuotaResource) {
  return async (request: FastifyRequest): Promise<void> => {
    const { subject, claim } = await callerOf(deps, request, '');
    if (!(await isClaimed(deps.db, claim))) await requireQuotaLeft(deps.db, deps.settings, subject, resource);
  };
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

/**
 * Names the principal that a counter or a key belongs to. Never call it inside a transaction, because it may
 * need another connection.
 */
export async function principalKey(deps: RouteDeps, request: FastifyRequest): Promise<string> {
  const { user } = request.principal;
  return user === null ? `ip:${await deps.clients.hash(request.ip)}` : `user:${user.id}`;
}

export async function quotaSubject(deps: RouteDeps, request: FastifyRequest): Promise<QuotaSubject> {
  return { principal: request.principal, key: await principalKey(deps, request) };
}

interface QueuedJob {
  id: string;
  status: 'QUEUED';
}

/** Answers a "queue X" shortcut: 202 with `Location` and `{id, status}`. */
export async function queueShortcut(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  job: { operation: (typeof operationRows)[number]['name']; payload: Record<string, unknown> },
): Promise<QueuedJob> {
  return queueSaying(deps, request, reply, { job, said: {} });
}

/** Queues a job and adds more facts about it to the reply. */
export async function queueSaying<Said extends Record<string, unknown>>(
  deps: RouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { job, said }: { job: Parameters<typeof queueShortcut>[3]; said: Said },
): Promise<QueuedJob & Said> {
  const { queue } = operationRows.find((row) => row.name === job.operation) as OperationRow;
  const caller = await callerOf(deps, request, JSON.stringify(job));
  if (!(await isClaimed(deps.db, caller.claim))) await requirePossible(deps, job, '');
  const answer = await submitCounted(deps, caller, { ...job, queueName: queue }, ({ id }) => ({
    status: 202,
    headers: { location: `/v1/jobs/${id}` },
    body: { id, status: 'QUEUED', ...said },
  }));
  reply.code(answer.status).headers(answer.headers);
  return answer.body as QueuedJob & Said;
}
