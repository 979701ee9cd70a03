import { absent, ProblemError } from '@kindred/contracts';
import {
  formerSecretHours,
  maxWebhooks,
  testEvent,
  type webhookBody,
  type webhookChange,
} from '@kindred/contracts/resources/webhooks';
import type { z } from 'zod';
import type { Principal } from '../../accounts/principal.js';
import { sha256Hex } from '../../accounts/tokens.js';
import { appendAudit } from '../../store/accounts/audit.repository.js';
import { lockUser } from '../../store/accounts/users.repository.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../../store/postgres/db.js';
import { type DeliveryRow, insertTestDelivery } from '../../store/jobs/webhook-deliveries.repository.js';
import {
  countWebhooks,
  deleteWebhook,
  disableWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
} from '../../store/jobs/webhooks.repository.js';
import { randomUUID } from 'node:crypto';
import { webhookSecret } from './secret.js';

/** The functions need these settings besides the database. */
export interface WebhookRules {
  /** The secrets of webhooks are derived from it. */
  serverSecret: string;
  /** @throws ProblemError address_refused */
  checkAddress: (address: string) => void;
}

/** A webhook is named together with its caller, because another user's webhook looks like an absent one. */
interface Target {
  id: string;
  principal: Principal;
}

/** @throws ProblemError address_refused, conflict (too many), validation_failed (no account) */
export async function addWebhook(
  db: Database,
  { user }: Principal,
  { serverSecret, checkAddress }: WebhookRules,
  { url, description, events, operations }: z.output<typeof webhookBody>,
): Promise<{ webhook: WebhookRow; secret: string }> {
  if (user === null)
    throw new ProblemError('credential_missing', 'A webhook belongs to an account: send a credential.');
  checkAddress(url);
  const id = randomUUID();
  const secret = webhookSecret(serverSecret, id, 1);
  const webhook = await inTransaction(db, async (trx) => {
    // The account is locked, so that two requests at once cannot both add the last allowed webhook.
    await lockUser(trx, user.id);
    if ((await countWebhooks(trx, user.id)) >= maxWebhooks)
      throw new ProblemError(
        'conflict',
        `You have ${maxWebhooks} webhooks, which is the limit: delete one first.`,
      );
    const row = await insertWebhook(trx, {
      id,
      user_id: user.id,
      url,
      description,
      events: unique(events),
      operations: operations === null ? null : unique(operations),
      secret_sha256: sha256Hex(secret),
    });
    await audit(trx, 'webhook_create', row, user.id);
    return row;
  });
  return { webhook, secret };
}

/** @throws ProblemError not_found */
export async function ownWebhook(db: Queryable, { id, principal }: Target): Promise<WebhookRow> {
  return requireOwn(await findWebhook(db, id), { id, principal });
}

/** @throws ProblemError not_found, address_refused */
export function changeWebhook(
  db: Database,
  target: Target,
  { checkAddress }: WebhookRules,
  { url, enabled, events, operations, description }: z.output<typeof webhookChange>,
): Promise<WebhookRow> {
  if (url !== undefined) checkAddress(url);
  return inTransaction(db, async (trx) => {
    const before = await lockOwn(trx, target);
    let after = await updateWebhook(trx, target.id, {
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(events !== undefined && { events: unique(events) }),
      ...(operations !== undefined && { operations: operations === null ? null : unique(operations) }),
    });
    if (enabled === false && before.disabled_at === null)
      after = await disableWebhook(trx, target.id, 'Disabled by its owner or an administrator.');
    if (enabled === true && before.disabled_at !== null)
      after = await updateWebhook(trx, target.id, {
        disabled_at: null,
        disabled_reason: null,
        failures: 0,
        failing_since: null,
      });
    await audit(trx, 'webhook_change', after, target.principal.user?.id ?? null);
    return after;
  });
}

/**
 * Gives a new secret; the previous one also signs for a while.
 * @throws ProblemError not_found
 */
export async function rotateSecret(
  db: Database,
  target: Target,
  { serverSecret }: WebhookRules,
): Promise<{ webhook: WebhookRow; secret: string }> {
  return inTransaction(db, async (trx) => {
    const before = await lockOwn(trx, target);
    const secret_number = before.secret_number + 1;
    const secret = webhookSecret(serverSecret, target.id, secret_number);
    const until = new Date(Date.now() + formerSecretHours * 3_600_000).toISOString();
    const webhook = await updateWebhook(trx, target.id, {
      secret_number,
      secret_sha256: sha256Hex(secret),
      previous_secret_until: until,
    });
    await audit(trx, 'webhook_rotate', webhook, target.principal.user?.id ?? null);
    return { webhook, secret };
  });
}

/** @throws ProblemError not_found; conflict if it is disabled */
export function pingWebhook(db: Database, target: Target): Promise<DeliveryRow> {
  return inTransaction(db, async (trx) => {
    const { disabled_at } = await lockOwn(trx, target);
    if (disabled_at !== null)
      throw new ProblemError(
        'conflict',
        'The webhook is disabled: enable it first (PATCH with enabled: true).',
      );
    return insertTestDelivery(trx, target.id, testEvent);
  });
}

/** @throws ProblemError not_found */
export async function removeWebhook(db: Database, target: Target): Promise<void> {
  await inTransaction(db, async (trx) => {
    const webhook = await lockOwn(trx, target);
    await deleteWebhook(trx, target.id);
    await audit(trx, 'webhook_delete', webhook, target.principal.user?.id ?? null);
  });
}

async function lockOwn(trx: Transaction, target: Target): Promise<WebhookRow> {
  return requireOwn(await lockWebhook(trx, target.id), target);
}

function requireOwn(webhook: WebhookRow | undefined, { id, principal }: Target): WebhookRow {
  if (webhook !== undefined && (principal.role === 'admin' || webhook.user_id === principal.user?.id))
    return webhook;
  throw absent('webhook', id);
}

/** Records the host alone, because paths and queries of webhook addresses often hold a secret. */
export async function audit(
  trx: Transaction,
  action: 'webhook_create' | 'webhook_change' | 'webhook_rotate' | 'webhook_delete' | 'webhook_disable',
  { id, url, user_id }: Pick<WebhookRow, 'id' | 'url' | 'user_id'>,
  actorUserId: string | null,
): Promise<void> {
  const payload = { host: new URL(url).host, owner_user_id: user_id };
  await appendAudit(trx, { actorUserId, action, target: `webhook:${id}`, payload });
}

const unique = (items: readonly string[]): string[] => [...new Set(items)];
