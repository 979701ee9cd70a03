import type { QueueName } from '@kindred/contracts';
import type { Transaction } from '../../store/postgres/db.js';

/** A broker serves the queues of the specification and the dead letters. */
export type BrokerQueue = QueueName | 'svc.dead-letter';

export interface OutgoingMessage {
  body: Uint8Array;
  /** The headers are small texts (content type, traceparent, x-retries), with keys in lower case. */
  headers?: Record<string, string>;
  /** The broker delivers the message no sooner than this many milliseconds from now. */
  delayMs?: number;
}

export interface Delivery {
  queue: BrokerQueue;
  body: Uint8Array;
  headers: Record<string, string>;
  /** The flag is true when the message was delivered before and not settled. */
  redelivered: boolean;
}

/**
 * A delivery has one of three outcomes. `ack` means done. `reject` sends the message to the dead letters, and
 * its queue never delivers it again. `requeue` puts it back, for instance when the worker stops.
 */
export type Settlement = 'ack' | 'reject' | 'requeue';

export interface Consumer {
  /**
   * Takes no more deliveries, and waits for those in work at most `graceMs`; then they go back to the queue.
   */
  stop(graceMs: number): Promise<void>;
}

export interface DeadLetter {
  /** The id is an opaque handle for replay and purge within one call of `deadLetters`. */
  id: string;
  fromQueue: string;
  body: Uint8Array;
  headers: Record<string, string>;
  diedAt: string;
}

/**
 * A broker has durable, at-least-once queues. Two implementations (RabbitMQ, PostgreSQL) pass one conformance
 * suite. Consumers and publishers survive a restart of the server: they reconnect with back-off, and an
 * unsettled delivery comes again.
 */
export interface Broker {
  readonly kind: 'rabbitmq' | 'embedded';
  /**
   * Resolves when the broker has taken the messages durably (publisher confirms), in order. The promise
   * rejects if that takes more than 30 s.
   */
  publish(queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Publishes with the commit of the transaction, and only then. The method is present if the queues are in
   * the database of the work.
   */
  publishWithin?(trx: Transaction, queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * At most `prefetch` deliveries are in work at once. A handler that throws counts as `requeue` after a
   * pause.
   */
  consume(
    queue: BrokerQueue,
    prefetch: number,
    handler: (delivery: Delivery, signal: AbortSignal) => Promise<Settlement>,
  ): Promise<Consumer>;
  /** Counts the messages ready for delivery. */
  depth(queue: BrokerQueue): Promise<number>;
  /**
   * Counts the deliveries that the consumers of this instance hold and have not settled, by queue; empty
   * queues are left out.
   */
  unsettled(): Partial<Record<BrokerQueue, number>>;
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Sends dead letters back to the queues they died on, and returns how many. */
  replayDeadLetters(limit: number): Promise<number>;
  purgeDeadLetters(): Promise<number>;
  /** Throws ProblemError service_unavailable when the server is not reachable within 2 s. */
  check(): Promise<void>;
  close(): Promise<void>;
}
