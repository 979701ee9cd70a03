import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '@kindred/contracts';
import type {
  Broker,
  BrokerQueue,
  Consumer,
  DeadLetter,
  Delivery,
  OutgoingMessage,
  Settlement,
} from '../../work/broker/broker.js';

interface Subscriber {
  prefetch: number;
  inWork: number;
  handler: (delivery: Delivery, signal: AbortSignal) => Promise<Settlement>;
  stopping: AbortController;
  closed: boolean;
}
type Message = Delivery;

/** Keeps a broker in this process's memory, for tests of how a worker handles deliveries, in any order. */
export class MemoryBroker implements Broker {
  readonly kind = 'embedded';
  readonly published: { queue: BrokerQueue; message: OutgoingMessage }[] = [];
  readonly dead: Message[] = [];
  /** Handlers threw these errors. */
  readonly thrown: unknown[] = [];
  readonly settled: { queue: BrokerQueue; settlement: Settlement }[] = [];
  /** While true, publish rejects like an unreachable broker. */
  down = false;
  /** This number of publishes was rejected while down. */
  refused = 0;
  /** Each message is delivered this often. */
  copies = 1;
  readonly #queues = new Map<BrokerQueue, Message[]>();
  readonly #subscribers = new Map<BrokerQueue, Subscriber[]>();
  readonly #timers = new Set<NodeJS.Timeout>();

  async publish(queue: BrokerQueue, messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.down) {
      this.refused++;
      throw new ProblemError('service_unavailable', 'the broker is away');
    }
    for (const message of messages) {
      this.published.push({ queue, message });
      const { delayMs = 0 } = message;
      for (let copy = 0; copy < this.copies; copy++) {
        const put = () =>
          this.#put({ queue, body: message.body, headers: { ...message.headers }, redelivered: copy > 0 });
        if (delayMs === 0) put();
        else this.#later(put, delayMs);
      }
    }
  }

  async consume(queue: BrokerQueue, prefetch: number, handler: Subscriber['handler']): Promise<Consumer> {
    const subscriber: Subscriber = {
      prefetch,
      inWork: 0,
      handler,
      stopping: new AbortController(),
      closed: false,
    };
    this.#subscribers.set(queue, [...(this.#subscribers.get(queue) ?? []), subscriber]);
    this.#deliver(queue);
    return {
      stop: async (graceMs) => {
        subscriber.closed = true;
        const end = Date.now() + graceMs;
        while (subscriber.inWork > 0 && Date.now() < end) await sleep(5);
        subscriber.stopping.abort();
        while (subscriber.inWork > 0 && Date.now() < end + 1000) await sleep(5);
      },
    };
  }

  async depth(queue: BrokerQueue): Promise<number> {
    return this.#queues.get(queue)?.length ?? 0;
  }
  unsettled(): Partial<Record<BrokerQueue, number>> {
    const inWork = ([queue, subscribers]: [BrokerQueue, Subscriber[]]) =>
      [queue, subscribers.reduce((sum, subscriber) => sum + subscriber.inWork, 0)] as const;
    return Object.fromEntries([...this.#subscribers].map(inWork).filter(([, count]) => count > 0));
  }
  async deadLetters(): Promise<DeadLetter[]> {
    return [];
  }
  async replayDeadLetters(): Promise<number> {
    for (const message of this.dead.splice(0)) this.#put(message);
    return 0;
  }
  async purgeDeadLetters(): Promise<number> {
    return this.dead.splice(0).length;
  }
  async check(): Promise<void> {}
  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Drops the messages of a queue, like a broker that lost its disk. */
  lose(queue: BrokerQueue): void {
    this.#queues.delete(queue);
  }

  #put(message: Message): void {
    this.#queues.set(message.queue, [...(this.#queues.get(message.queue) ?? []), message]);
    this.#deliver(message.queue);
  }

  #deliver(queue: BrokerQueue): void {
    const waiting = this.#queues.get(queue) ?? [];
    for (const subscriber of this.#subscribers.get(queue) ?? []) {
      while (waiting.length > 0 && !subscriber.closed && subscriber.inWork < subscriber.prefetch) {
        void this.#hand(subscriber, waiting.shift() as Message);
      }
    }
  }

  async #hand(subscriber: Subscriber, message: Message): Promise<void> {
    subscriber.inWork++;
    let settlement: Settlement = 'requeue';
    let pauseMs = 5;
    try {
      await sleep(0);
      settlement = await subscriber.handler(message, subscriber.stopping.signal);
    } catch (error) {
      this.thrown.push(error);
      pauseMs = 50;
    }
    subscriber.inWork--;
    this.settled.push({ queue: message.queue, settlement });
    if (settlement === 'reject') this.dead.push(message);
    if (settlement === 'requeue') this.#later(() => this.#put({ ...message, redelivered: true }), pauseMs);
    this.#deliver(message.queue);
  }

  #later(work: () => void, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, delayMs);
    this.#timers.add(timer);
  }
}
