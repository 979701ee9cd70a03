import type { webhookMessage } from '@kindred/contracts/resources/webhooks';
import type { z } from 'zod';
import type { ClaimedDelivery } from '../../store/jobs/webhook-deliveries.repository.js';
import { withoutFolders } from '../../ground/without-folders.js';

type Message = z.infer<typeof webhookMessage>;

/** Makes the message about a job as it ended, without folders of this machine. */
export function presentMessage({
  event,
  job,
  created_at,
}: Pick<ClaimedDelivery, 'event' | 'job' | 'created_at'>): Message {
  if (job === null) return { type: event, timestamp: created_at, data: null };
  const {
    id,
    operation,
    status,
    parent_job_id,
    description,
    tags,
    error_code,
    error_message,
    result,
    ...times
  } = withoutFolders(job as unknown as NonNullable<Message['data']>);
  return {
    type: event,
    timestamp: times.finished_at ?? created_at,
    data: {
      id,
      operation,
      status,
      parent_job_id,
      description,
      tags,
      error_code,
      error_message,
      created_at: times.created_at,
      started_at: times.started_at,
      finished_at: times.finished_at,
      result,
    },
  };
}
