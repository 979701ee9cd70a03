import type { deadLetterReply, workersReply } from '@kindred/contracts/resources/workers';
import type { z } from 'zod';
import type { DeadLetter } from '../../../broker/broker.js';
import { messageJobId } from './message-job.js';
import type { listWorkerProcesses } from '../../../store/jobs/worker-processes.repository.js';

type Worker = Awaited<ReturnType<typeof listWorkerProcesses>>[number];

export function presentWorker(row: Worker): z.infer<typeof workersReply>['workers'][number] {
  const { id, role, host, pid, queues, version, running_jobs, started_at, last_seen_at } = row;
  return { id, role, host, pid, queues, version, running_jobs, started_at, last_seen_at };
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
