import { z } from 'zod';
import { afterQuery, limitQuery } from '../fields.js';
import { type UserId, uuidOf, type WebhookId } from '../ids.js';
import { operationRows } from '../operations.js';
import { routesOf } from '../route.js';
import { finalStatuses, jobStatuses } from '../vocabulary.js';

/** The ends of a job, by the names of their events. */
export const webhookEvents = finalStatuses.map((status) => `job.${status.toLowerCase()}`);
export const testEvent = 'ping';
export const maxWebhooks = 10;
/** The number of hours for which a delivery is tried, and after which a webhook that took nothing is disabled. */
export const deliveryHours = 24;
/** The number of hours after a rotation in which the former secret signs, too. */
export const formerSecretHours = 24;

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;

const events = z
  .array(z.enum(webhookEvents))
  .min(1)
  .max(webhookEvents.length)
  .meta({ description: 'Ends of jobs to send' });
const operationNames = operationRows.map(({ name }) => name);
const operations = z
  .array(z.enum(operationNames))
  .min(1)
  .max(operationNames.length)
  .nullable()
  .meta({ description: 'Only jobs of these operations; null: of every operation' });
const address = z.string().trim().min(1).max(2048).meta({
  description: 'https:// on a public host, or what SVC_WEBHOOK_ALLOWED_HOSTS names',
});
const description = z.string().trim().max(500).nullable();

export const webhookParams = z.object({ id: uuidOf<WebhookId>() });
export const webhookBody = z.strictObject({
  url: address,
  description: description.default(null),
  events: events.default(webhookEvents),
  operations: operations.default(null),
});
export const webhookChange = z
  .strictObject({
    url: address,
    description,
    events,
    operations,
    enabled: z.boolean().meta({ description: 'true: send again; what failed before is not repeated' }),
  })
  .partial();
export const webhookListQuery = z.strictObject({
  user_id: uuidOf<UserId>().optional().meta({ description: 'Of another user; admin only' }),
  limit: limitQuery(100),
  after: afterQuery,
});
export const deliveryListQuery = z.strictObject({ limit: limitQuery(100, 20), after: afterQuery });

export const webhookReply = z.object({
  id: z.guid(),
  user_id: z.guid(),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(z.string()),
  operations: z.array(z.string()).nullable(),
  enabled: z.boolean(),
  disabled_at: z.string().nullable(),
  disabled_reason: z.string().nullable(),
  failures: z.int().meta({ description: 'Attempts since the last that succeeded' }),
  failing_since: z.string().nullable(),
  previous_secret_until: z
    .string()
    .nullable()
    .meta({ description: 'Until then the former secret signs as well' }),
  created_at: z.string(),
});
export const newWebhookReply = webhookReply.extend({
  secret: z.string().meta({ description: 'Verifies the signatures; it is shown only once' }),
});
export const deliveryReply = z.object({
  id: z.guid().meta({ description: 'The webhook-id header of the message' }),
  event: z.string(),
  job_id: z.guid().nullable(),
  state: z.enum(deliveryStates),
  attempts: z.int(),
  response_status: z.int().nullable().meta({ description: 'HTTP status of the last answer' }),
  error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
  created_at: z.string(),
  last_attempt_at: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
});

/** The message that a webhook receives, by the Standard Webhooks convention. */
export const webhookMessage = z.object({
  type: z.enum([...webhookEvents, testEvent]),
  timestamp: z.string().meta({ description: 'When the job ended, or the test was requested' }),
  data: z
    .object({
      id: z.guid(),
      operation: z.string(),
      status: z.enum(jobStatuses),
      parent_job_id: z.guid().nullable(),
      description: z.string().nullable(),
      tags: z.array(z.string()),
      error_code: z.string().nullable(),
      error_message: z.string().nullable(),
      created_at: z.string(),
      started_at: z.string().nullable(),
      finished_at: z.string().nullable(),
      result: z
        .record(z.string(), z.unknown())
        .nullable()
        .meta({ description: 'null also where it is longer than 16 KiB: GET /jobs/{id} has it' }),
    })
    .nullable()
    .meta({ description: 'The job as it ended; null in a test' }),
});

const own = 'On your own webhooks; an admin on any.';
export const webhookRoutes = routesOf('webhooks', {
  create: {
    method: 'POST',
    path: '/webhooks',
    floor: 'researcher',
    summary: 'Have your ended jobs sent to an address; the secret is shown once',
    rate: 'webhooks',
    refuses: [409],
    body: webhookBody,
    reply: { 201: newWebhookReply },
  },
  list: {
    method: 'GET',
    path: '/webhooks',
    floor: 'researcher',
    summary: 'List your webhooks, newest first',
    query: webhookListQuery,
    reply: { 200: z.array(webhookReply) },
  },
  show: {
    method: 'GET',
    path: '/webhooks/:id',
    floor: 'researcher',
    summary: 'One webhook',
    access: own,
    params: webhookParams,
    reply: { 200: webhookReply },
  },
  change: {
    method: 'PATCH',
    path: '/webhooks/:id',
    floor: 'researcher',
    summary: 'Change, disable or enable a webhook',
    access: own,
    params: webhookParams,
    body: webhookChange,
    reply: { 200: webhookReply },
  },
  remove: {
    method: 'DELETE',
    path: '/webhooks/:id',
    floor: 'researcher',
    summary: 'Delete a webhook with its deliveries',
    access: own,
    params: webhookParams,
    reply: { 204: z.null() },
  },
  rotate: {
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    floor: 'researcher',
    summary: 'Make a new secret, shown once; the former one signs as well for a day',
    access: own,
    rate: 'webhooks',
    params: webhookParams,
    reply: { 200: newWebhookReply },
  },
  ping: {
    method: 'POST',
    path: '/webhooks/:id/ping',
    floor: 'researcher',
    summary: 'Send a test message',
    access: own,
    rate: 'webhooks',
    refuses: [409],
    params: webhookParams,
    reply: { 202: deliveryReply },
  },
  deliveries: {
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    floor: 'researcher',
    summary: 'What was sent, newest first, with the answer or why it failed',
    access: own,
    params: webhookParams,
    query: deliveryListQuery,
    reply: { 200: z.array(deliveryReply) },
  },
});
