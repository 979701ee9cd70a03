import { deadLetterQueue, type QueueType } from '@kindred/contracts';
import type { Channel, Connection, SyncMessage } from 'rabbitmq-client';
import type { BrokerQueue, DeadLetter, OutgoingMessage } from './broker.js';
import { deathHeaders, deathOf, textHeaders } from './rabbitmq-headers.js';
import { durableQueue } from './rabbitmq-topology.js';

/**
 * Looks into the queue of dead letters by taking messages without settling them; closing the channel puts
 * them back in their place. In a quorum queue, copies replace them behind the others, because the server
 * counts the messages that are put back, and drops each after the twentieth time.
 */
export class RabbitDeadLetters {
  readonly #connection: Connection;
  readonly #type: QueueType;
  readonly #publish: (queue: BrokerQueue, messages: OutgoingMessage[]) => Promise<void>;

  constructor(
    connection: Connection,
    type: QueueType,
    publish: (queue: BrokerQueue, messages: OutgoingMessage[]) => Promise<void>,
  ) {
    this.#connection = connection;
    this.#type = type;
    this.#publish = publish;
  }

  list(limit: number): Promise<DeadLetter[]> {
    return this.#onChannel(async (channel) => {
      const letters: DeadLetter[] = [];
      const copied: SyncMessage[] = [];
      for (
        let message = await get(channel, limit);
        message;
        message = await get(channel, limit - letters.length)
      ) {
        letters.push({
          id: String(message.deliveryTag),
          ...deathOf(message.headers),
          body: message.body as Buffer,
          headers: textHeaders(message.headers),
        });
        if (this.#type === 'quorum') copied.push(message);
      }
      for (const { body, headers, deliveryTag } of copied) {
        const { fromQueue, diedAt } = deathOf(headers);
        const copy = { body: body as Buffer, headers: deathHeaders(fromQueue, headers, diedAt) };
        await this.#publish(deadLetterQueue, [copy]);
        channel.basicAck({ deliveryTag });
      }
      return letters;
    });
  }

  /**
   * A crash between publishing and settling leaves the letter in place, too, because a second delivery is
   * better than a loss.
   */
  replay(limit: number): Promise<number> {
    return this.#onChannel(async (channel) => {
      let replayed = 0;
      for (let message = await get(channel, limit); message; message = await get(channel, limit - replayed)) {
        const { fromQueue } = deathOf(message.headers);
        await this.#publish(fromQueue as BrokerQueue, [
          { body: message.body as Buffer, headers: textHeaders(message.headers) },
        ]);
        channel.basicAck({ deliveryTag: message.deliveryTag });
        replayed += 1;
      }
      return replayed;
    });
  }

  async purge(): Promise<number> {
    return this.#onChannel(async (channel) => (await channel.queuePurge(deadLetterQueue)).messageCount);
  }

  async #onChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.#connection.acquire();
    try {
      await channel.queueDeclare(durableQueue(deadLetterQueue, this.#type));
      return await work(channel);
    } finally {
      await channel.close().catch(() => {});
    }
  }
}

async function get(channel: Channel, remaining: number): Promise<SyncMessage | undefined> {
  return remaining > 0 ? channel.basicGet(deadLetterQueue) : undefined;
}
