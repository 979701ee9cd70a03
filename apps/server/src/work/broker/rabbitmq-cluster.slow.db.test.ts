import { patience, type RabbitCluster, rabbitMqWanted, startRabbitCluster } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Broker } from './broker.js';
import { createRabbitBroker } from './rabbitmq.js';

const isWanted = rabbitMqWanted();
const messages = 600;
/** One server is killed after this many messages have arrived; messages are still published then. */
const killedAfter = 200;

let cluster: RabbitCluster | null = null;
const brokers: Broker[] = [];

beforeAll(async () => {
  if (isWanted) cluster = await startRabbitCluster(3);
});
afterAll(async () => {
  for (const broker of brokers) await broker.close();
  await cluster?.remove();
});

const connect = (url: string) => {
  const broker = createRabbitBroker(url, { queueType: 'quorum' });
  brokers.push(broker);
  return broker;
};

it.runIf(isWanted)('loses no message when one of three servers is killed, and goes on with two', async () => {
  const { url, nodes } = cluster as RabbitCluster;
  const publisher = connect(url);
  const worker = connect(url);
  const arrived = new Set<string>();
  await worker.consume('svc.jobs', 20, async ({ body }) => {
    arrived.add(Buffer.from(body).toString());
    return 'ack';
  });
  let published = 0;
  const publishing = (async () => {
    for (; published < messages; published++)
      await publisher.publish('svc.jobs', [{ body: Buffer.from(String(published)) }]);
  })();
  await vi.waitFor(() => expect(arrived.size).toBeGreaterThanOrEqual(killedAfter), patience);
  // The first server is killed, because publisher and consumer are connected to it, and it leads the queues
  // that were made through it.
  await nodes[0].kill();
  expect(published).toBeLessThan(messages);
  await publishing;
  await vi.waitFor(() => expect(arrived.size).toBe(messages), patience);
  expect(await publisher.depth('svc.jobs')).toBe(0);
  await nodes[0].start();
  await publisher.publish('svc.jobs', [{ body: Buffer.from('after'), delayMs: 100 }]);
  await vi.waitFor(() => expect(arrived).toContain('after'), patience);
});
