import type { deadLetterReply, workerStates, workersReply } from '@kindred/contracts/resources/workers';
import type { z } from 'zod';
import type { DeadLetter } from '../../../broker/broker.js';
import { messageJobId } from './message-job.js';
import type { ListedWorker } from '../../../store/jobs/worker-processes.repository.js';

export function presentWorker(row: ListedWorker): z.infer<typeof workersReply>['workers'][number] {
  const { id, role, host, pid, queues, version, running_jobs, working, started_at, last_seen_at } = row;
  const state = stateOf(row);
  return { id, role, host, pid, queues, version, state, running_jobs, working, started_at, last_seen_at };
}

function stateOf({ lost, draining, working, running_jobs }: ListedWorker): (typeof workerStates)[number] {
  if (lost) return 'lost';
  if (draining) return 'draining';
  return working > 0 || running_jobs > 0 ? 'busy' : 'idle';
}

/** The body stays out: it may be large and binary. */
export function presentDeadLetter(letter: DeadLetter): z.infer<typeof deadLetterReply> {
  return {
    id: letter.id,
    from_queue: letter.fromQueue,
    died_at: letter.diedAt,
    headers: letter.headers,
    size_bytes: letter.body.byteLength,
    job_id: messageJobId(letter.body),
  };
}
