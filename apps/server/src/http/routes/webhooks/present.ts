import type { deliveryReply, deliveryStates, webhookReply } from '@kindred/contracts/resources/webhooks';
import type { z } from 'zod';
import type { DeliveryRow } from '../../../store/jobs/webhook-deliveries.repository.js';
import type { WebhookRow } from '../../../store/jobs/webhooks.repository.js';

export function presentWebhook(row: WebhookRow): z.infer<typeof webhookReply> {
  const { id, user_id, url, description, events, operations, created_at } = row;
  const { disabled_at, disabled_reason, failures, failing_since, previous_secret_until } = row;
  return {
    id,
    user_id,
    url,
    description,
    events,
    operations,
    enabled: disabled_at === null,
    disabled_at,
    disabled_reason,
    failures,
    failing_since,
    previous_secret_until,
    created_at,
  };
}

export function presentDelivery(row: DeliveryRow): z.infer<typeof deliveryReply> {
  const { id, event, job, attempts, response_status, error, created_at, last_attempt_at, next_attempt_at } =
    row;
  return {
    id,
    event,
    job_id: (job as { id: string } | null)?.id ?? null,
    state: row.state as (typeof deliveryStates)[number],
    attempts,
    response_status,
    error,
    created_at,
    last_attempt_at,
    next_attempt_at,
  };
}
