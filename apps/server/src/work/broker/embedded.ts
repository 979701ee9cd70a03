import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import { retryPolicy } from '../../ground/retry-policy.js';
import * as messages from '../../store/jobs/broker.repository.js';
import { type Database, inTransaction, pingDatabase, type Transaction } from '../../store/postgres/db.js';
import { type Subscription, subscribe } from '../../store/postgres/notifications.js';
import { withRetries } from '../../store/postgres/connection-fault.js';
import type { Broker, BrokerQueue, Consumer, DeadLetter, OutgoingMessage } from './broker.js';
import { type BrokerOptions, Deliveries, type Handler, heldByQueue, sendLimitMs } from './deliveries.js';
import { Settlements } from './settlements.js';

const checkTimeoutMs = 2000;
const pollMs = 1000;
const leaseSeconds = 120;
const statementMessages = 1000;
const statementBytes = 16 * 1024 * 1024;

export interface EmbeddedBrokerOptions extends BrokerOptions {
  /**
   * The milliseconds between checks for messages without a notification, and for consumers that died. Default
   * 1 s; tests set less.
   */
  pollMs?: number;
}

/**
 * Keeps queues on the same PostgreSQL. Taken messages are locked in the name of this instance, which holds a
 * session lock while it lives. Other instances give back the messages of an instance without its session, and
 * every message whose lease was not renewed. An instance renews only what it knows that it holds, because the
 * answer to a taking may be lost with its connection. `db` must be a direct connection (no transaction
 * pooler), for LISTEN.
 */
export function createEmbeddedBroker(db: Database, options: EmbeddedBrokerOptions = {}): Broker {
  return new EmbeddedBroker(db, options);
}

class EmbeddedBroker implements Broker {
  readonly kind = 'embedded';
  readonly #db: Database;
  readonly #options: EmbeddedBrokerOptions;
  readonly #lockKey = randomInt(1, 2 ** 31);
  readonly #owner = String(this.#lockKey);
  readonly #consumers = new Set<QueueConsumer>();
  /** The messages with these ids were delivered, and their settlement is not yet written. */
  readonly #held = new Set<number>();
  readonly #settlements: Settlements;
  readonly #closing = new AbortController();
  /** The conformance suite uses this, which no other broker has, to end the broker as a crash would. */
  subscription: Subscription | null = null;
  #upkeep: Promise<void> = Promise.resolve();

  constructor(db: Database, options: EmbeddedBrokerOptions) {
    this.#db = db;
    this.#options = options;
    this.#settlements = new Settlements(db, this.#owner, { held: this.#held, options });
  }

  async publishWithin(
    trx: Transaction,
    queue: BrokerQueue,
    outgoing: readonly OutgoingMessage[],
  ): Promise<void> {
    if (outgoing.length === 0) return;
    for (const part of split(rowsOf(queue, outgoing))) await messages.insertMessages(trx, part);
  }

  async publish(queue: BrokerQueue, outgoing: readonly OutgoingMessage[]): Promise<void> {
    if (outgoing.length === 0) return;
    const parts = split(rowsOf(queue, outgoing));
    const send = () =>
      parts.length === 1
        ? messages.insertMessages(this.#db, parts[0])
        : inTransaction(this.#db, async (trx) => {
            for (const part of parts) await messages.insertMessages(trx, part);
          });
    const rule = { ...retryPolicy.sentMessage, withinSeconds: sendLimitMs(this.#options) / 1000 };
    await withRetries(send, rule).catch((cause: Error) => {
      throw new ProblemError('service_unavailable', `The message could not be queued: ${cause.message}`, {
        cause,
      });
    });
  }

  async consume(queue: BrokerQueue, prefetch: number, handler: Handler): Promise<Consumer> {
    await this.#listen();
    const context = {
      db: this.#db,
      owner: this.#owner,
      held: this.#held,
      settlements: this.#settlements,
      options: this.#options,
    };
    const consumer = new QueueConsumer(queue, prefetch, handler, context);
    this.#consumers.add(consumer);
    consumer.run();
    return {
      stop: async (graceMs) => {
        await consumer.stop(graceMs);
        this.#consumers.delete(consumer);
      },
    };
  }

  depth(queue: BrokerQueue): Promise<number> {
    return messages.countReady(this.#db, queue);
  }

  unsettled() {
    return heldByQueue(this.#consumers);
  }

  async deadLetters(limit: number): Promise<DeadLetter[]> {
    const rows = await messages.listDeadLetters(this.#db, limit);
    return rows.map(({ id, body, headers, created_at }) => {
      const {
        [messages.deadQueueHeader]: fromQueue = '',
        [messages.deadTimeHeader]: diedAt = created_at,
        ...own
      } = headers;
      return { id: String(id), fromQueue, body, headers: own, diedAt };
    });
  }

  replayDeadLetters(limit: number): Promise<number> {
    return messages.replayDeadLetters(this.#db, limit);
  }

  purgeDeadLetters(): Promise<number> {
    return messages.purgeDeadLetters(this.#db);
  }

  async check(): Promise<void> {
    const late = sleep(checkTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`no answer within ${checkTimeoutMs} ms`);
    });
    await Promise.race([pingDatabase(this.#db), late]).catch((cause: Error) => {
      throw new ProblemError(
        'service_unavailable',
        `The queues in the database are not reachable: ${cause.message}`,
        { cause },
      );
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop(0)));
    this.#consumers.clear();
    this.#closing.abort();
    await this.#upkeep;
    await this.subscription?.close();
  }

  async #listen(): Promise<void> {
    if (this.subscription === null) {
      this.subscription = subscribe(this.#db, {
        channel: messages.brokerChannel,
        lock: [messages.brokerLockClass, this.#lockKey],
        onNotification: (queue) => this.#wake(queue),
        onConnect: () => this.#wake(null),
      });
      this.#upkeep = this.#keepUp();
    }
    await this.subscription.ready;
  }

  #wake(queue: string | null): void {
    for (const consumer of this.#consumers) if (queue === null || consumer.queue === queue) consumer.wake();
  }

  /** Renews our leases, and gives back the messages of instances that died. */
  async #keepUp(): Promise<void> {
    let suspects = new Set<string>();
    let renewedAt = Date.now();
    while (!this.#closing.signal.aborted) {
      await sleep(this.#options.pollMs ?? pollMs, undefined, { signal: this.#closing.signal }).catch(
        () => {},
      );
      try {
        if (Date.now() - renewedAt > (leaseSeconds * 1000) / 4) {
          await messages.renewLeases(this.#db, this.#owner, { ids: [...this.#held], leaseSeconds });
          renewedAt = Date.now();
        }
        await messages.releaseExpired(this.#db);
        suspects = await this.#releaseDead(suspects);
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#options.onFault?.(error as Error, 'upkeep of the queues');
      }
    }
  }

  /**
   * An instance counts as dead when its session is missing twice: after a restart of the database, sessions
   * take a moment to return.
   */
  async #releaseDead(suspects: Set<string>): Promise<Set<string>> {
    const absent = (await messages.absentOwners(this.#db)).filter((owner) => owner !== this.#owner);
    const dead = absent.filter((owner) => suspects.has(owner));
    if (dead.length > 0) await messages.releaseOwners(this.#db, dead);
    return new Set(absent);
  }
}

interface ConsumerContext {
  db: Database;
  owner: string;
  held: Set<number>;
  settlements: Settlements;
  options: EmbeddedBrokerOptions;
}

class QueueConsumer {
  readonly queue: BrokerQueue;
  readonly #prefetch: number;
  readonly #context: ConsumerContext;
  readonly #deliveries: Deliveries;
  readonly #stopping = new AbortController();
  /** The flag is true after a failed taking, which may have taken messages that no handler received. */
  #unsure = false;
  #bell = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(queue: BrokerQueue, prefetch: number, handler: Handler, context: ConsumerContext) {
    this.queue = queue;
    this.#prefetch = prefetch;
    this.#context = context;
    this.#deliveries = new Deliveries(handler, context.options, () => this.wake());
  }

  get held(): number {
    return this.#deliveries.size;
  }

  wake(): void {
    this.#bell.abort();
  }

  run(): void {
    this.#loop = this.#fetchForever();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#loop;
    await this.#deliveries.drain(graceMs);
    await this.#context.settlements.flushed();
  }

  async #fetchForever(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // Notifications that arrive during the fetch are not lost, because they end the wait below at once.
      this.#bell = new AbortController();
      const waitMs = await this.#fetch().catch((error: Error) => {
        this.#context.options.onFault?.(error, `fetching from ${this.queue}`);
        return pollMs;
      });
      if (waitMs > 0 && !this.#stopping.signal.aborted) {
        await sleep(waitMs, undefined, { signal: this.#bell.signal }).catch(() => {});
      }
    }
  }

  /** Starts ready messages, and returns how long to wait for more. */
  async #fetch(): Promise<number> {
    const { db, owner, held, settlements, options } = this.#context;
    const pause = options.pollMs ?? pollMs;
    const limit = this.#prefetch - this.#deliveries.size;
    if (limit === 0) return pause;
    if (this.#unsure) await messages.releaseUnknown(db, this.queue, { owner, held: [...held] });
    this.#unsure = true;
    const taken = await messages.takeMessages(db, this.queue, { owner, limit, leaseSeconds });
    this.#unsure = false;
    for (const { id, body, headers, deliveries } of taken) {
      held.add(id);
      const delivery = { queue: this.queue, body, headers, redelivered: deliveries > 1 };
      this.#deliveries.start(delivery, (settlement) => settlements.add(settlement, id));
    }
    if (taken.length === limit) return this.#deliveries.size < this.#prefetch ? 0 : pause;
    const due = await messages.nextDueMs(db, this.queue);
    return due === null ? pause : Math.min(pause, Math.max(1, Math.ceil(due)));
  }
}

function rowsOf(queue: BrokerQueue, outgoing: readonly OutgoingMessage[]): messages.NewMessage[] {
  return outgoing.map(({ body, headers = {}, delayMs = 0 }) => ({
    queue,
    body,
    headers,
    delayMs: Math.max(0, delayMs),
  }));
}

/** Cuts the rows into parts that one statement can carry. */
function split(rows: messages.NewMessage[]): messages.NewMessage[][] {
  const parts: messages.NewMessage[][] = [];
  let part: messages.NewMessage[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (
      part.length === statementMessages ||
      (part.length > 0 && bytes + row.body.byteLength > statementBytes)
    ) {
      parts.push(part);
      part = [];
      bytes = 0;
    }
    part.push(row);
    bytes += row.body.byteLength;
  }
  return [...parts, part];
}
