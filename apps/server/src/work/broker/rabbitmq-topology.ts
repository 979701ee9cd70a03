import { deadLetterQueue, type QueueType } from '@kindred/contracts';
import type { BrokerQueue } from './broker.js';

export const deadLetterExchange = 'svc.dlx';
/**
 * A delay queue outlives its last message by this time: every delayed publish declares it again, which
 * restarts the time.
 */
const delayQueueRestMs = 600_000;
const week = 7 * 24 * 3600 * 1000;
/** RabbitMQ refuses larger times to live. */
export const longestDelayMs = 2 ** 32 - 1 - delayQueueRestMs;

export function durableQueue(queue: BrokerQueue, type: QueueType) {
  if (queue === deadLetterQueue) return { queue, durable: true, arguments: typeArgument(type) };
  return {
    queue,
    durable: true,
    // RabbitMQ 3.12 and newer read the timeout; older ones ignore it and use the setting of the server.
    arguments: {
      ...typeArgument(type),
      'x-dead-letter-exchange': deadLetterExchange,
      'x-consumer-timeout': week,
    },
  };
}

/**
 * Gives the arguments for the type of a queue. Classic queues have none: earlier versions made them without
 * it, and a server refuses other arguments for the same queue.
 */
function typeArgument(type: QueueType): Record<string, string> {
  return type === 'classic' ? {} : { 'x-queue-type': type };
}

/** Lists the exchanges and queues that must exist before anything is published or consumed. */
export function topology(queues: readonly BrokerQueue[], type: QueueType) {
  return {
    exchanges: [{ exchange: deadLetterExchange, type: 'fanout', durable: true }],
    queues: [...queues, deadLetterQueue as BrokerQueue].map((queue) => durableQueue(queue, type)),
    queueBindings: [{ exchange: deadLetterExchange, queue: deadLetterQueue, routingKey: '' }],
  };
}

/**
 * Describes a queue without consumers whose messages all live equally long and then go to `queue`. Delays are
 * rounded up to two digits, so that there are at most 90 such queues per decade and target; unused ones
 * vanish.
 */
export function delayQueue(queue: BrokerQueue, delayMs: number, type: QueueType) {
  const rounded = roundUp(delayMs);
  if (rounded > longestDelayMs)
    throw new RangeError(`a message can be delayed by at most ${longestDelayMs} ms, not ${delayMs}`);
  return {
    queue: `svc.delay.${rounded}.${queue}`,
    durable: true,
    arguments: {
      ...typeArgument(type),
      // The message stays until its target queue has taken it; only quorum queues can do that.
      ...(type === 'quorum'
        ? { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' as const }
        : {}),
      'x-message-ttl': rounded,
      'x-expires': rounded + delayQueueRestMs,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': queue,
    },
  };
}

/** Rounds up to two significant digits: 1,234 -> 1,300. */
export function roundUp(delayMs: number): number {
  const whole = Math.max(1, Math.ceil(delayMs));
  const step = 10 ** Math.max(0, Math.floor(Math.log10(whole)) - 1);
  return Math.ceil(whole / step) * step;
}
