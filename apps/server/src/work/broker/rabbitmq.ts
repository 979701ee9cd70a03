import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterQueue, ProblemError, queueNames, type QueueType } from '@kindred/contracts';
import { type AsyncMessage, Connection, type Publisher } from 'rabbitmq-client';
import { pauseMs, retryPolicy } from '../../ground/retry-policy.js';
import type { Broker, BrokerQueue, Consumer, OutgoingMessage } from './broker.js';
import { type BrokerOptions, Deliveries, type Handler, heldByQueue, sendLimitMs } from './deliveries.js';
import { rabbitServers } from '../../ground/addresses/rabbitmq.js';
import { RabbitConsumer } from './rabbitmq-consumer.js';
import { RabbitDeadLetters } from './rabbitmq-dead-letters.js';
import { deathHeaders, requeuedHeaders } from './rabbitmq-headers.js';
import { deadLetterExchange, delayQueue, durableQueue, topology } from './rabbitmq-topology.js';
import { within } from './within.js';

const checkTimeoutMs = 2000;
/** At most this many messages are on their way to the server without its confirmation. */
const inFlight = 500;
const refused = retryPolicy.refusedMessage;

export interface RabbitOptions extends BrokerOptions {
  /** Queues have this type. Default: classic. */
  queueType?: QueueType;
}

/**
 * Keeps queues on a RabbitMQ server (3.10 or newer), given as amqp:// or amqps:// address. All queues are
 * durable, all messages persistent. The address may name several servers of a cluster, joined by commas, and
 * the broker uses another one when one is away. A delivery may stay unsettled for as long as its job takes:
 * on servers older than 3.12, set `consumer_timeout` above the longest job.
 */
export function createRabbitBroker(url: string, options: RabbitOptions = {}): Broker {
  return new RabbitBroker(url, options);
}

class RabbitBroker implements Broker {
  readonly kind = 'rabbitmq';
  /** The conformance suite uses this, which no other broker has, to cut the connection as a crash would. */
  readonly connection: Connection;
  #publisher: Publisher;
  readonly #options: RabbitOptions;
  readonly #type: QueueType;
  readonly #consumers = new Set<RabbitConsumer>();
  readonly #letters: RabbitDeadLetters;
  /** The server could not route the messages with these ids; it reports them before it confirms. */
  readonly #returned = new Set<string>();
  /** The reason why the server takes no messages now; null if it does. */
  #blocked: string | null = null;
  /**
   * The present probe gives this result. Only one runs at a time, because each would wait while the server is
   * away.
   */
  #probe: Promise<void> | null = null;
  #nextId = 0;

  constructor(url: string, options: RabbitOptions) {
    this.#options = options;
    this.#type = options.queueType ?? 'classic';
    this.connection = new Connection({
      ...(rabbitServers(url) ?? { url }),
      retryLow: 100,
      retryHigh: 2000,
      connectionName: 'kindred',
      heartbeat: 30,
    });
    this.connection.on('connection.blocked', (reason) => {
      this.#blocked = reason;
    });
    const unblock = () => {
      this.#blocked = null;
    };
    this.connection.on('connection.unblocked', unblock);
    this.connection.on('connection', unblock);
    this.connection.on('error', (error: Error) => options.onFault?.(error, 'connection to RabbitMQ'));
    this.#publisher = this.#makePublisher();
    this.#letters = new RabbitDeadLetters(this.connection, this.#type, (queue, messages) =>
      this.publish(queue, messages),
    );
  }

  async publish(queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void> {
    const work = async () => {
      for (let start = 0; start < messages.length; start += inFlight) {
        await Promise.all(
          messages.slice(start, start + inFlight).map((message) => this.#send(queue, message)),
        );
      }
    };
    await within(sendLimitMs(this.#options), work()).catch((cause: Error) => {
      throw new ProblemError('service_unavailable', `The message could not be queued: ${cause.message}`, {
        cause,
      });
    });
  }

  async consume(queue: BrokerQueue, prefetch: number, handler: Handler): Promise<Consumer> {
    const consumer: RabbitConsumer = new RabbitConsumer(
      {
        connection: this.connection,
        queue,
        prefetch,
        options: this.#options,
        queueType: this.#type,
        bury: (from, message) => this.#bury(from, message),
        requeue: (to, { body, headers }) =>
          this.publish(to, [{ body: body as Buffer, headers: requeuedHeaders(headers) }]),
      },
      new Deliveries(handler, this.#options, () => consumer.next()),
    );
    this.#consumers.add(consumer);
    await consumer.start();
    return {
      stop: async (graceMs) => {
        await consumer.stop(graceMs);
        this.#consumers.delete(consumer);
      },
    };
  }

  async depth(queue: BrokerQueue): Promise<number> {
    return (await this.connection.queueDeclare(durableQueue(queue, this.#type))).messageCount;
  }

  unsettled() {
    return heldByQueue(this.#consumers);
  }

  deadLetters(limit: number) {
    return this.#letters.list(limit);
  }

  replayDeadLetters(limit: number): Promise<number> {
    return this.#letters.replay(limit);
  }

  purgeDeadLetters(): Promise<number> {
    return this.#letters.purge();
  }

  async check(): Promise<void> {
    // The server confirms the message and drops it, because no queue has this name. Only a publish shows that
    // the server blocks publishers (memory or disk alarm): it stops reading from them, and tells them why.
    this.#probe ??= this.#publisher.send({ routingKey: 'svc.check', durable: false }, '').finally(() => {
      this.#probe = null;
    });
    await within(checkTimeoutMs, this.#probe).catch((cause: Error) => {
      const why =
        this.#blocked === null
          ? `is not reachable: ${cause.message}`
          : `takes no messages (${this.#blocked}): free memory or disk on it`;
      throw new ProblemError('service_unavailable', `The RabbitMQ server ${why}`, { cause });
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop(0)));
    this.#consumers.clear();
    if (!this.connection.ready) {
      this.connection.unsafeDestroy();
      return;
    }
    await this.#publisher.close();
    await this.connection.close();
  }

  async #send(queue: BrokerQueue, { body, headers = {}, delayMs = 0 }: OutgoingMessage): Promise<void> {
    const messageId = String(this.#nextId++);
    const routingKey = delayMs > 0 ? await this.#declareDelay(queue, delayMs) : queue;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const envelope = { routingKey, durable: true, mandatory: true, messageId, headers };
    for (let n = 0; ; n++) {
      const publisher = this.#publisher;
      try {
        await publisher.send(envelope, bytes);
        break;
      } catch (error) {
        if ((error as { code?: string }).code !== 'NACK' || n === refused.retries) throw error;
        await sleep(pauseMs(refused.pause, n));
        this.#replace(publisher);
      }
    }
    if (this.#returned.delete(messageId)) throw new Error(`the queue ${routingKey} is gone`);
  }

  #makePublisher(): Publisher {
    const publisher = this.connection.createPublisher({
      confirm: true,
      maxAttempts: 1 + refused.retries,
      ...topology(queueNames, this.#type),
    });
    publisher.on('basic.return', (message) => this.#returned.add(String(message.messageId)));
    return publisher;
  }

  /**
   * A cluster refuses messages while a queue that has lost its server chooses another one, and RabbitMQ 3.10
   * always refuses them on a channel that was opened meanwhile.
   */
  #replace(refused: Publisher): void {
    if (this.#publisher !== refused) return;
    this.#publisher = this.#makePublisher();
    refused.close().catch(() => {});
  }

  async #bury(queue: BrokerQueue, { body, headers }: AsyncMessage): Promise<void> {
    // A dead letter that is rejected is gone.
    if (queue === deadLetterQueue) return;
    const envelope = { exchange: deadLetterExchange, routingKey: queue, durable: true };
    await this.#publisher.send({ ...envelope, headers: deathHeaders(queue, headers) }, body as Buffer);
  }

  async #declareDelay(queue: BrokerQueue, delayMs: number): Promise<string> {
    const declaration = delayQueue(queue, delayMs, this.#type);
    await this.connection.queueDeclare(declaration);
    return declaration.queue;
  }
}
