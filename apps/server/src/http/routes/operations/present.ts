import type { deadLetterReply, workersReply } from '@kindred/contracts/resources/workers';
import type { z } from 'zod';
import type { DeadLetter } from '../../../work/broker/broker.js';
import { messageJobId } from './message-job.js';
import type { ListedWorker } from '../../../store/jobs/worker-processes.repository.js';

export function presentWorker(row: ListedWorker): z.infer<typeof workersReply>['workers'][number] {
  const { id, role, host, pid, queues, version, state, running_jobs, working, started_at, last_seen_at } =
    row;
  return { id, role, host, pid, queues, version, state, running_jobs, working, started_at, last_seen_at };
}

/** The body is left out, because it may be large and binary. */
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
