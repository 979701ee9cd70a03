import type { QueueName } from '@kindred/contracts';
import type { Transaction } from '../../store/postgres/db.js';

/** Any queue that a broker serves: those of the specification and the dead letters. */
export type BrokerQueue = QueueName | 'svc.dead-letter';

export interface OutgoingMessage {
  body: Uint8Array;
  /** Small texts: content type, traceparent, x-retries. Keys in lower case. */
  headers?: Record<string, string>;
  /** Deliver no sooner than this many milliseconds from now. */
  delayMs?: number;
}

export interface Delivery {
  queue: BrokerQueue;
  body: Uint8Array;
  headers: Record<string, string>;
  /** True when the message was delivered before and not settled. */
  redelivered: boolean;
}

/**
 * Outcome of a delivery. `ack`: done. `reject`: not wanted, goes to the dead letters and is never delivered again from its queue.
 * `requeue`: back to its queue, for instance when the worker stops.
 */
export type Settlement = 'ack' | 'reject' | 'requeue';

export interface Consumer {
  /** Takes no more deliveries, waits for those in work (at most `graceMs`, then they go back to the queue). */
  stop(graceMs: number): Promise<void>;
}

export interface DeadLetter {
  /** Opaque handle for replay and purge within one call of `deadLetters`. */
  id: string;
  fromQueue: string;
  body: Uint8Array;
  headers: Record<string, string>;
  diedAt: string;
}

/**
 * Durable, at-least-once queues. Two implementations (RabbitMQ, PostgreSQL) pass one conformance suite. Consumers and
 * publishers survive a restart of the server: they reconnect with back-off, and an unsettled delivery comes again.
 */
export interface Broker {
  readonly kind: 'rabbitmq' | 'embedded';
  /** Resolves when the broker has taken the messages durably (publisher confirms), in order. Rejects when it can't within 30 s. */
  publish(queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void>;
  /** Publishes with the commit of the transaction, and only then; present where the queues are in the database of the work. */
  publishWithin?(trx: Transaction, queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void>;
  /** At most `prefetch` deliveries are in work at once. A handler that throws counts as `requeue` after a pause. */
  consume(
    queue: BrokerQueue,
    prefetch: number,
    handler: (delivery: Delivery, signal: AbortSignal) => Promise<Settlement>,
  ): Promise<Consumer>;
  /** Number of messages ready for delivery. */
  depth(queue: BrokerQueue): Promise<number>;
  /** Deliveries that the consumers of this instance hold and have not settled, by queue; queues without any are left out. */
  unsettled(): Partial<Record<BrokerQueue, number>>;
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Sends dead letters back to the queues they died on; returns how many. */
  replayDeadLetters(limit: number): Promise<number>;
  purgeDeadLetters(): Promise<number>;
  /** Throws ProblemError service_unavailable when the server is not reachable within 2 s. */
  check(): Promise<void>;
  close(): Promise<void>;
}
