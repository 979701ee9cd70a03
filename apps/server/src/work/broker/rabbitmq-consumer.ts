import { setTimeout as sleep } from 'node:timers/promises';
import { queueNames, type QueueType } from '@kindred/contracts';
import type { AsyncMessage, Channel, Connection } from 'rabbitmq-client';
import { pauseMs, retryPolicy } from '../../ground/retry-policy.js';
import type { BrokerQueue, Settlement } from './broker.js';
import type { BrokerOptions, Deliveries } from './deliveries.js';
import { textHeaders, wasRequeued } from './rabbitmq-headers.js';
import { durableQueue, topology } from './rabbitmq-topology.js';

interface ConsumerContext {
  connection: Connection;
  queue: BrokerQueue;
  prefetch: number;
  options: BrokerOptions;
  queueType: QueueType;
  /** Publishes to the dead letters, with confirm. */
  bury: (queue: BrokerQueue, message: AsyncMessage) => Promise<void>;
  /** Publishes to the queue again, with confirm. */
  requeue: (queue: BrokerQueue, message: AsyncMessage) => Promise<void>;
}

/**
 * Consumes on one channel. When the channel is lost (the server restarts), handlers in work continue and
 * their settlements are dropped, because the server delivers the messages again. A new channel is opened at
 * once, and never more than `prefetch` handlers run.
 */
export class RabbitConsumer {
  readonly #context: ConsumerContext;
  readonly #deliveries: Deliveries;
  readonly #stopping = new AbortController();
  #channel: Channel | null = null;
  #consumerTag = '';
  /** These deliveries wait for handlers of a lost channel to end. */
  #backlog: { channel: Channel; message: AsyncMessage }[] = [];
  readonly #copying = new Set<Promise<void>>();
  #loop: Promise<void> = Promise.resolve();

  constructor(context: ConsumerContext, deliveries: Deliveries) {
    this.#context = context;
    this.#deliveries = deliveries;
  }

  get queue(): BrokerQueue {
    return this.#context.queue;
  }

  get held(): number {
    return this.#deliveries.size + this.#backlog.length;
  }

  /** Resolves when the server sends the first deliveries. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#loop = this.#keepOpen(resolve);
    });
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const channel = this.#channel;
    if (channel?.active) await channel.basicCancel({ consumerTag: this.#consumerTag }).catch(() => {});
    this.#backlog = [];
    await this.#deliveries.drain(graceMs);
    await Promise.all(this.#copying);
    // Closing the channel gives the backlog back to the queue.
    if (channel?.active) await channel.close().catch(() => {});
    await this.#loop;
  }

  /** Starts waiting deliveries, as far as there is room. */
  next(): void {
    while (
      this.#backlog.length > 0 &&
      this.#deliveries.size < this.#context.prefetch &&
      !this.#stopping.signal.aborted
    ) {
      const { channel, message } = this.#backlog.shift() as { channel: Channel; message: AsyncMessage };
      this.#deliveries.start(
        {
          queue: this.#context.queue,
          body: message.body as Buffer,
          headers: textHeaders(message.headers),
          redelivered: message.redelivered || wasRequeued(message.headers),
        },
        (settlement) => this.#settle(channel, message, settlement),
      );
    }
  }

  async #keepOpen(onOpen: () => void): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      try {
        const { lost } = await this.#open();
        onOpen();
        failures = 0;
        await lost;
      } catch (error) {
        this.#fault(error as Error, 'opening');
        failures++;
      }
      await sleep(pauseMs(retryPolicy.reconnect.pause, failures), undefined, {
        signal: this.#stopping.signal,
      }).catch(() => {});
    }
    onOpen();
  }

  /** Resolves when consuming; the promise inside resolves when the channel is lost. */
  async #open(): Promise<{ lost: Promise<void> }> {
    const { connection, queue, queueType, prefetch } = this.#context;
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    const lost = new Promise<void>((resolve) => {
      channel.once('close', resolve);
      channel.once('basic.cancel', () => void channel.close().catch(() => {}));
      channel.on('error', (error: Error) => this.#fault(error, 'channel'));
    });
    const { exchanges, queueBindings } = topology(queueNames, queueType);
    for (const exchange of exchanges) await channel.exchangeDeclare(exchange);
    await channel.queueDeclare(durableQueue('svc.dead-letter', queueType));
    for (const binding of queueBindings) await channel.queueBind(binding);
    await channel.queueDeclare(durableQueue(queue, queueType));
    await channel.basicQos({ prefetchCount: prefetch });
    this.#channel = channel;
    this.#backlog = [];
    const consuming = await channel.basicConsume({ queue }, (message) => {
      this.#backlog.push({ channel, message });
      this.next();
    });
    this.#consumerTag = consuming.consumerTag;
    return { lost };
  }

  #settle(channel: Channel, message: AsyncMessage, settlement: Settlement): void {
    const { deliveryTag } = message;
    if (!channel.active) return;
    try {
      if (settlement === 'ack') channel.basicAck({ deliveryTag });
      else if (settlement === 'reject') this.#replace(channel, message, this.#context.bury);
      else if (this.#countsRequeues()) this.#replace(channel, message, this.#context.requeue);
      else channel.basicNack({ deliveryTag, requeue: true });
    } catch (error) {
      this.#fault(error as Error, 'settling');
    }
  }

  /**
   * RabbitMQ 4 makes a message a dead letter when it comes back to a quorum queue for the twentieth time. A
   * worker that stops waits for no further copies.
   */
  #countsRequeues(): boolean {
    return this.#context.queueType === 'quorum' && !this.#stopping.signal.aborted;
  }

  /**
   * Publishes a copy first and then acknowledges the message; if that fails, the delivery comes again. The
   * server's own dead-lettering is not confirmed, and a crash can lose the message.
   */
  #replace(channel: Channel, message: AsyncMessage, publish: ConsumerContext['bury']): void {
    const { deliveryTag } = message;
    const copying = publish(this.#context.queue, message).then(
      () => void (channel.active && channel.basicAck({ deliveryTag })),
      (error: Error) => {
        this.#fault(error, 'settling');
        if (channel.active) channel.basicNack({ deliveryTag, requeue: true });
      },
    );
    this.#copying.add(copying);
    void copying.finally(() => this.#copying.delete(copying));
  }

  #fault(error: Error, doing: string): void {
    if (!this.#stopping.signal.aborted)
      this.#context.options.onFault?.(error, `${doing} of ${this.#context.queue}`);
  }
}
