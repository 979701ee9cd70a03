import { setTimeout as sleep } from 'node:timers/promises';
import { deliveryHours } from '@kindred/contracts/resources/webhooks';
import { pauseSeconds, retryPolicy } from '../../ground/retry-policy.js';
import { sha256Hex } from '../../accounts/tokens.js';
import type { Poster, PostOutcome } from '../../ground/sources/poster.js';
import { type Database, inTransaction } from '../../store/postgres/db.js';
import {
  type ClaimedDelivery,
  claimDeliveries,
  settleDelivered,
  settleFailed,
} from '../../store/jobs/webhook-deliveries.repository.js';
import { disableWebhook } from '../../store/jobs/webhooks.repository.js';
import { presentMessage } from './message.js';
import { signedHeaders, webhookSecret } from './secret.js';
import { audit } from './webhooks.js';

const places = 4;
/**
 * A lease of a webhook lasts longer than an attempt; a process that was killed holds the webhook for this
 * time.
 */
const leaseSeconds = 60;
const gone = 410;

export interface SenderOptions {
  db: Database;
  poster: Poster;
  serverSecret: string;
  /** The sender looks into the outbox after each pause of this length. */
  periodMs: number;
  onFault: (error: unknown) => void;
}

/**
 * Sends the messages of the outbox. Any number of processes may do so: each holds a webhook while it sends
 * one of its messages, so that a slow receiver takes one place, and a killed process loses nothing.
 */
export class WebhookSender {
  readonly #stopped = new AbortController();
  readonly #options: SenderOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #loop: Promise<void>;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#loop = this.#run();
  }

  /** Takes no more deliveries, and waits for those that are being sent. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#loop;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    const { periodMs, onFault } = this.#options;
    while (!signal.aborted) {
      const claimed = await this.#claim().catch((error: unknown) => {
        onFault(error);
        return [];
      });
      for (const delivery of claimed) {
        const sending = this.#send(delivery)
          .catch(onFault)
          .finally(() => this.#running.delete(sending));
        this.#running.add(sending);
      }
      if (claimed.length > 0) continue;
      const pause = sleep(periodMs * (0.8 + 0.4 * Math.random()), undefined, { signal }).catch(() => {});
      await Promise.race([pause, ...this.#running]);
    }
  }

  async #claim(): Promise<ClaimedDelivery[]> {
    const free = places - this.#running.size;
    return free > 0 ? claimDeliveries(this.#options.db, free, leaseSeconds) : [];
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await this.#post(delivery);
    await inTransaction(this.#options.db, async (trx) => {
      if (outcome.status !== null && outcome.status >= 200 && outcome.status < 300)
        return settleDelivered(trx, delivery, outcome.status);
      const error = outcome.error ?? `The answer was ${outcome.status}.`;
      const tookNothing = await settleFailed(trx, delivery, {
        status: outcome.status,
        error,
        retrySeconds: pauseSeconds(retryPolicy.webhookMessage.pause, delivery.attempts),
        pauseSeconds: pauseSeconds(retryPolicy.webhook.pause, delivery.failures),
        limitHours: deliveryHours,
      });
      if (tookNothing === null || (!tookNothing && outcome.status !== gone)) return;
      const reason =
        outcome.status === gone
          ? 'The receiver answered 410 Gone.'
          : `Nothing was delivered for ${deliveryHours} hours. ${error}`;
      await disableWebhook(trx, delivery.webhook_id, reason);
      const { webhook_id: id, url, user_id } = delivery;
      await audit(trx, 'webhook_disable', { id, url, user_id }, null);
    });
  }

  async #post(delivery: ClaimedDelivery): Promise<PostOutcome> {
    const { poster, serverSecret } = this.#options;
    const { id, webhook_id, secret_number } = delivery;
    const secret = webhookSecret(serverSecret, webhook_id, secret_number);
    if (sha256Hex(secret) !== delivery.secret_sha256)
      return {
        status: null,
        error: 'SVC_JWT_SECRET of the service was changed: rotate the secret of this webhook.',
      };
    const former = delivery.former_secret ? [webhookSecret(serverSecret, webhook_id, secret_number - 1)] : [];
    const json = JSON.stringify(presentMessage(delivery));
    const message = { id, seconds: Math.floor(Date.now() / 1000), body: json };
    return poster.post(delivery.url, { headers: signedHeaders([secret, ...former], message), json });
  }
}
