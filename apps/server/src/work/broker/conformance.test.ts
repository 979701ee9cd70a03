import { type QueueType, queueTypes } from '@kindred/contracts';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patience, rabbitMqWanted, startPrivateRabbitMq } from '@kindred/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../run/embedded/postgres.js';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { migrate } from '../../store/migrations/migrate.js';
import type { Broker, Delivery, Settlement } from './broker.js';
import type { BrokerOptions } from './deliveries.js';
import { createEmbeddedBroker } from './embedded.js';
import { createRabbitBroker } from './rabbitmq.js';
import { delayQueue } from './rabbitmq-topology.js';

/** The suite may stop, start and kill this real server. */
interface Rig {
  connect(options?: BrokerOptions): Broker;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Kills the broker with SIGKILL and starts it again. */
  crash(): Promise<void>;
  /** Ends a broker as the death of its process would: it gives nothing back, and its connections drop. */
  kill(broker: Broker): Promise<void>;
  /** Makes sure that the server's disk has the list of its queues. */
  keepQueues(): Promise<void>;
  /** Counts the messages that wait for their delay to end. */
  delayed(): Promise<number>;
  /** Makes the server block its publishers, or ends that; null if the server never does. */
  alarm: ((raised: boolean) => Promise<void>) | null;
  /** Makes the server give a message up after some failed deliveries; null if it never does. */
  limitDeliveries: ((limit: number) => Promise<void>) | null;
  empty(): Promise<void>;
  remove(): Promise<void>;
}

async function embeddedRig(): Promise<Rig> {
  const folder = join(tmpdir(), `kindred-broker-${process.pid}-${randomBytes(4).toString('hex')}`);
  const settings = { shared_buffers: '32MB' };
  let server: EmbeddedPostgres = await startEmbeddedPostgres(folder, { settings });
  const own = openDatabase(server.url, 2);
  await migrate(own);
  const databases = new Map<Broker, ReturnType<typeof openDatabase>>();
  const start = async () => {
    server = await startEmbeddedPostgres(folder, { settings });
  };
  return {
    connect: (options) => {
      const db = openDatabase(server.url, 4);
      const broker = createEmbeddedBroker(db, { pollMs: 200, ...options });
      databases.set(broker, db);
      return broker;
    },
    stop: () => server.stop(),
    start,
    crash: async () => {
      process.kill(server.pid, 'SIGKILL');
      await start();
    },
    kill: async (broker) => {
      // The sessions of a dead process end; its handlers never settle.
      const db = databases.get(broker);
      await db?.pool.end();
      const session = (broker as unknown as { subscription: { close(): Promise<void> } }).subscription;
      await session.close();
    },
    keepQueues: async () => {},
    alarm: null,
    limitDeliveries: null,
    delayed: async () => {
      const { rows } = await own.pool.query(
        'select count(*)::integer as count from broker.message where ready_at > now()',
      );
      return rows[0].count;
    },
    empty: async () => {
      await own.pool.query('truncate broker.message');
      for (const [broker, db] of databases) {
        await broker.close();
        if (!db.pool.ending) await closeDatabase(db);
      }
      databases.clear();
    },
    remove: async () => {
      await closeDatabase(own);
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function rabbitRig(queueType: QueueType): Promise<Rig> {
  const server = await startPrivateRabbitMq();
  const brokers = new Set<Broker>();
  const connectionOf = (broker: Broker) =>
    (broker as unknown as { connection: import('rabbitmq-client').Connection }).connection;
  return {
    connect: (options) => {
      const broker = createRabbitBroker(server.url, { ...options, queueType });
      brokers.add(broker);
      return broker;
    },
    stop: server.stop,
    start: server.start,
    crash: server.crash,
    kill: async (broker) => connectionOf(broker).unsafeDestroy(),
    keepQueues: server.syncQueues,
    alarm: server.alarm,
    limitDeliveries: queueType === 'quorum' ? server.limitDeliveries : null,
    delayed: async () => {
      const asking = createRabbitBroker(server.url, { queueType });
      const { messageCount } = await connectionOf(asking).queueDeclare(
        delayQueue('svc.jobs', longDelayMs, queueType),
      );
      await asking.close();
      return messageCount;
    },
    empty: async () => {
      for (const broker of brokers) await broker.close();
      brokers.clear();
      const cleaner = createRabbitBroker(server.url, { queueType });
      await cleaner.depth('svc.jobs');
      const delays = delayQueue('svc.jobs', longDelayMs, queueType).queue;
      for (const queue of ['svc.jobs', 'svc.ping', 'svc.dead-letter', delays])
        await connectionOf(cleaner)
          .queuePurge(queue)
          .catch(() => {});
      await cleaner.close();
    },
    remove: server.remove,
  };
}

/** A message with this delay never comes, because no test takes so long. */
const longDelayMs = 3_600_000;
const withRabbit = rabbitMqWanted();
if (!withRabbit) {
  process.stderr.write(
    'The RabbitMQ half of the broker suite is skipped: set SVC_TEST_AMQP=local where rabbitmq-server is installed.\n',
  );
}

const bytes = (text: string) => Buffer.from(text);
const text = (delivery: { body: Uint8Array }) => Buffer.from(delivery.body).toString();
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ body: bytes(String(index)) }));

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  await vi.waitUntil(holds, patience).catch((cause: Error) => {
    throw new Error(`${what}: ${cause.message}`, { cause });
  });
}

/** A check gives up after 2 s, in which a busy machine may not connect. */
async function untilReachable(broker: Broker): Promise<void> {
  const answers = () =>
    broker.check().then(
      () => true,
      () => false,
    );
  await until('a check that passes', answers);
}

/** Makes a promise that a test fulfils. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Checks that the queue is empty, including messages to be redelivered: only the next message comes. */
async function expectNothingLeft(broker: Broker): Promise<void> {
  const { got, stop } = await collect(broker);
  await broker.publish('svc.jobs', [{ body: bytes('next') }]);
  await until('the next message', () => got.some((delivery) => text(delivery) === 'next'));
  expect(got.map(text)).toEqual(['next']);
  await stop();
}

/** Settles every delivery in the same way, and keeps what came. */
async function collect(broker: Broker, settlement: Settlement = 'ack', prefetch = 10) {
  const got: Delivery[] = [];
  const consumer = await broker.consume('svc.jobs', prefetch, async (delivery) => {
    got.push(delivery);
    return settlement;
  });
  return { got, stop: () => consumer.stop(1000) };
}

describe.each([
  { name: 'embedded', make: embeddedRig, runs: true },
  ...queueTypes.map((type) => ({
    name: `rabbitmq, ${type} queues`,
    make: () => rabbitRig(type),
    runs: withRabbit,
  })),
])('broker on $name', ({ name, make, runs }) => {
  if (!runs) {
    it.skip('needs SVC_TEST_AMQP=local', () => {});
    return;
  }
  let rig: Rig;
  beforeAll(async () => {
    rig = await make();
  });
  afterEach(() => rig.empty());
  afterAll(() => rig?.remove());

  it('says what it is, and that it is reachable', async () => {
    const broker = rig.connect();
    expect(broker.kind).toBe(name.split(',')[0]);
    await untilReachable(broker);
    expect(await broker.depth('svc.jobs')).toBe(0);
  });

  it('delivers in the order of publication, once, with body and headers', async () => {
    const broker = rig.connect();
    const headers = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'content-type': 'text/plain',
    };
    await broker.publish('svc.jobs', numbered(250));
    await broker.publish('svc.jobs', [{ body: bytes('last'), headers }]);
    expect(await broker.depth('svc.jobs')).toBe(251);
    const { got, stop } = await collect(broker, 'ack', 7);
    await until('251 deliveries', () => got.length === 251);
    expect(got.map(text)).toEqual([...numbered(250).map(({ body }) => String(body)), 'last']);
    expect(got[250]).toMatchObject({ queue: 'svc.jobs', headers, redelivered: false });
    expect(got[0].headers).toEqual({});
    await stop();
    expect(await broker.depth('svc.jobs')).toBe(0);
    await expectNothingLeft(broker);
  });

  it('delivers to a consumer that was there first, without waiting for a poll', async () => {
    const broker = rig.connect();
    const { got, stop } = await collect(broker);
    for (let index = 0; index < 20; index++) {
      await broker.publish('svc.jobs', [{ body: bytes(String(index)) }]);
      await until('the delivery', () => got.length === index + 1);
    }
    await stop();
  });

  it('keeps queues apart', async () => {
    const broker = rig.connect();
    await broker.publish('svc.ping', numbered(3));
    await expectNothingLeft(broker);
    expect(await broker.depth('svc.ping')).toBe(3);
  });

  it('carries binary bodies of 5 MB unchanged, and empty ones', async () => {
    const broker = rig.connect();
    const bodies = [randomBytes(5 * 1024 * 1024), Buffer.alloc(0), randomBytes(5 * 1024 * 1024 + 1)];
    await broker.publish(
      'svc.jobs',
      bodies.map((body) => ({ body })),
    );
    const { got, stop } = await collect(broker);
    await until('three deliveries', () => got.length === 3);
    expect(got.map(({ body }, index) => Buffer.compare(Buffer.from(body), bodies[index]))).toEqual([0, 0, 0]);
    await stop();
  });

  it('has never more deliveries in work than the prefetch, and that many when there are', async () => {
    const broker = rig.connect();
    await broker.publish('svc.jobs', numbered(12));
    const working: ReturnType<typeof gate>[] = [];
    const most: number[] = [];
    const consumer = await broker.consume('svc.jobs', 4, async () => {
      const work = gate();
      most.push(working.push(work));
      await work.opened;
      return 'ack';
    });
    for (let done = 0; done < 12; done++) {
      await until('four in work', () => working.length === Math.min(4, 12 - done));
      await until('the rest', async () => (await broker.depth('svc.jobs')) === Math.max(0, 8 - done));
      expect(broker.unsettled()).toEqual({ 'svc.jobs': working.length });
      working.shift()?.open();
    }
    expect(Math.max(...most)).toBe(4);
    await consumer.stop(60_000);
    expect(broker.unsettled()).toEqual({});
  });

  it('spreads the work over consumers, without giving anything to two', async () => {
    const brokers = [rig.connect(), rig.connect()];
    await brokers[0].publish('svc.jobs', numbered(100));
    const seen: string[][] = [[], []];
    const bothWork = gate();
    const consumers = await Promise.all(
      brokers.map((broker, index) =>
        broker.consume('svc.jobs', 2, async (delivery) => {
          seen[index].push(text(delivery));
          if (seen.every((texts) => texts.length > 0)) bothWork.open();
          await bothWork.opened;
          return 'ack';
        }),
      ),
    );
    await until('all', () => seen[0].length + seen[1].length === 100);
    expect(new Set(seen.flat()).size).toBe(100);
    for (const consumer of consumers) await consumer.stop(1000);
  });

  it('gives a requeued delivery again, marked', async () => {
    const broker = rig.connect();
    await broker.publish('svc.jobs', numbered(1));
    const redelivered: boolean[] = [];
    const consumer = await broker.consume('svc.jobs', 1, async (delivery) => {
      redelivered.push(delivery.redelivered);
      return redelivered.length < 3 ? 'requeue' : 'ack';
    });
    await until('three deliveries', () => redelivered.length === 3);
    expect(redelivered).toEqual([false, true, true]);
    await consumer.stop(1000);
    expect(await broker.depth('svc.jobs')).toBe(0);
  });

  it('loses nothing that comes again more often than the server allows', async () => {
    await rig.limitDeliveries?.(2);
    const broker = rig.connect();
    await broker.publish('svc.jobs', numbered(1));
    const got: Delivery[] = [];
    const consumer = await broker.consume('svc.jobs', 1, async (delivery) => {
      got.push(delivery);
      return got.length < 6 ? 'requeue' : 'reject';
    });
    await until('six deliveries', () => got.length === 6);
    expect(got.map(text)).toEqual(Array(6).fill('0'));
    await consumer.stop(1000);
    for (let look = 0; look < 5; look++) {
      const [letter, ...others] = await broker.deadLetters(10);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ fromQueue: 'svc.jobs', headers: {} });
    }
    expect(await broker.replayDeadLetters(10)).toBe(1);
    await rig.limitDeliveries?.(1000);
  });

  it('gives a delivery again whose handler threw, after a pause, and reports the fault', async () => {
    const steps: string[] = [];
    const rest = gate();
    const broker = rig.connect({
      onFault: (error) => steps.push(`fault: ${error.message}`),
      rest: async () => {
        steps.push('rest');
        await rest.opened;
        steps.push('rested');
      },
    });
    await broker.publish('svc.jobs', numbered(2));
    const consumer = await broker.consume('svc.jobs', 2, async (delivery) => {
      steps.push(text(delivery));
      if (steps.length === 1) throw new Error('stumbled');
      return 'ack';
    });
    await until('the other delivery', () => steps.includes('1'));
    expect(steps.filter((step) => step !== '1')).toEqual(['0', 'fault: stumbled', 'rest']);
    rest.open();
    await until('the delivery again', () => steps.length === 6);
    expect(steps.slice(-2)).toEqual(['rested', '0']);
    await consumer.stop(1000);
  });

  it('delays a message, and lets others pass meanwhile', async () => {
    const broker = rig.connect();
    const { got, stop } = await collect(broker);
    await broker.publish('svc.jobs', [{ body: bytes('much later'), delayMs: longDelayMs }]);
    await broker.publish('svc.jobs', [{ body: bytes('now') }]);
    await until('the one without delay', () => got.length === 1);
    await broker.publish('svc.jobs', [{ body: bytes('later'), delayMs: 200, headers: { a: 'b' } }]);
    await until('the delayed one', () => got.length === 2);
    expect(got.map(text)).toEqual(['now', 'later']);
    expect(got[1].headers).toEqual({ a: 'b' });
    expect(await broker.depth('svc.jobs')).toBe(0);
    expect(await rig.delayed()).toBe(1);
    await stop();
  });

  it('buries rejected deliveries with their origin, and replays or purges them', async () => {
    const broker = rig.connect();
    const publishedAt = Date.now();
    await broker.publish('svc.jobs', [
      { body: bytes('bad'), headers: { traceparent: 't' } },
      { body: bytes('worse') },
    ]);
    const first = await collect(broker, 'reject');
    await until('both', () => first.got.length === 2);
    await first.stop();
    await until('two letters', async () => (await broker.deadLetters(10)).length === 2);
    const letters = await broker.deadLetters(10);
    expect(letters.map(text)).toEqual(['bad', 'worse']);
    expect(letters[0]).toMatchObject({ fromQueue: 'svc.jobs', headers: { traceparent: 't' } });
    const diedAt = Date.parse(letters[0].diedAt);
    expect(diedAt).toBeGreaterThanOrEqual(publishedAt);
    expect(diedAt).toBeLessThanOrEqual(Date.now());
    expect(await broker.deadLetters(1)).toHaveLength(1);
    expect(await broker.depth('svc.jobs')).toBe(0);

    expect(await broker.replayDeadLetters(1)).toBe(1);
    const second = await collect(broker);
    await until('the replayed one', () => second.got.length === 1);
    const replayed = second.got.map((delivery) => [text(delivery), delivery.headers]);
    await second.stop();
    const rest = (await broker.deadLetters(10)).map(text);
    // A quorum queue puts the messages that were looked at behind the others.
    if (name.includes('quorum') && rest[0] === 'bad') expect(replayed).toEqual([['worse', {}]]);
    else {
      expect(replayed).toEqual([['bad', { traceparent: 't' }]]);
      expect(rest).toEqual(['worse']);
    }
    expect(await broker.purgeDeadLetters()).toBe(1);
    expect(await broker.deadLetters(10)).toEqual([]);
    expect(await broker.replayDeadLetters(10)).toBe(0);
  });

  it('waits for work when stopped, within the grace', async () => {
    const broker = rig.connect();
    await broker.publish('svc.jobs', numbered(3));
    const steps: string[] = [];
    const work = gate();
    const consumer = await broker.consume('svc.jobs', 1, async () => {
      steps.push('begun');
      await work.opened;
      steps.push('finished');
      return 'ack';
    });
    await until('work', () => steps.length === 1);
    const stopped = consumer.stop(60_000).then(() => steps.push('stopped'));
    await broker.depth('svc.jobs'); // The call goes to the server and back; the stop itself does not wait for the server.
    work.open();
    await stopped;
    expect(steps).toEqual(['begun', 'finished', 'stopped']);
    await until('the rest', async () => (await broker.depth('svc.jobs')) === 2);
  });

  it('is not usable while the server blocks publishers, and says why', async () => {
    if (rig.alarm === null) return;
    const broker = rig.connect();
    await untilReachable(broker);
    await rig.alarm(true);
    await until('the refusal', async () => {
      const refusal = await broker.check().catch((error: Error) => error.message);
      return /takes no messages \(.*\): free memory or disk/.test(refusal ?? '');
    });
    await rig.alarm(false);
    await untilReachable(broker);
  });

  it('gives back what is still in work when the grace is over, and aborts its handler', async () => {
    const broker = rig.connect();
    await broker.publish('svc.jobs', numbered(1));
    let signal: AbortSignal | undefined;
    const consumer = await broker.consume('svc.jobs', 1, async (_delivery, its) => {
      signal = its;
      await once(its, 'abort');
      return 'ack';
    });
    await until('the delivery', () => signal !== undefined);
    await consumer.stop(50);
    expect(signal?.aborted).toBe(true);
    const { got, stop } = await collect(broker);
    await until('the redelivery', () => got.length === 1);
    expect(got[0].redelivered).toBe(true);
    await stop();
  });

  it('redelivers, in order, what a consumer held when its process died', async () => {
    const doomed = rig.connect();
    const survivor = rig.connect();
    await survivor.publish('svc.jobs', numbered(4));
    let held = 0;
    await doomed.consume('svc.jobs', 2, () => {
      held += 1;
      return new Promise<Settlement>(() => {});
    });
    await until('two in work', () => held === 2);
    await rig.kill(doomed);
    const { got, stop } = await collect(survivor, 'ack', 1);
    await until('all four', () => got.length === 4);
    expect(got.map(text).sort()).toEqual(['0', '1', '2', '3']);
    expect(got.filter((delivery) => delivery.redelivered).map(text)).toEqual(['0', '1']);
    await stop();
  });

  it('keeps confirmed messages through SIGKILL of the server, delayed and dead ones too', async () => {
    const before = rig.connect();
    // RabbitMQ may lose a message whose delay ends while it recovers its queues, so this delay does not end.
    // The service does not depend on such a message: the sweeper publishes its job or batch again.
    await before.publish('svc.jobs', [{ body: bytes('delayed'), delayMs: longDelayMs }]);
    await before.publish('svc.jobs', [{ body: bytes('doomed') }]);
    const rejecting = await collect(before, 'reject');
    await until('the reject', () => rejecting.got.length === 1);
    await rejecting.stop();
    await until('the letter', async () => (await before.deadLetters(1)).length === 1);
    await before.publish('svc.jobs', numbered(500));
    await rig.keepQueues();
    await before.close();
    await rig.crash();
    const after = rig.connect();
    expect((await after.deadLetters(10)).map(text)).toEqual(['doomed']);
    const { got, stop } = await collect(after, 'ack', 50);
    await until('all', () => got.length === 500);
    expect(got.map(text)).toEqual(numbered(500).map(({ body }) => String(body)));
    expect(await rig.delayed()).toBe(1);
    await stop();
  });

  it('publishes, consumes and settles on through a restart of the server', async () => {
    const broker = rig.connect({ publishTimeoutMs: 240_000 });
    const seen = new Map<string, number>();
    const work = gate();
    let slowStarted = false;
    const consumer = await broker.consume('svc.jobs', 3, async (delivery) => {
      if (text(delivery) === 'slow' && !slowStarted) {
        slowStarted = true;
        await work.opened;
      }
      seen.set(text(delivery), (seen.get(text(delivery)) ?? 0) + 1);
      return 'ack';
    });
    await broker.publish('svc.jobs', [{ body: bytes('slow') }]);
    await until('the slow one', () => slowStarted);
    await rig.stop();
    const duringOutage = broker.publish('svc.jobs', [{ body: bytes('during') }]);
    work.open();
    await expect(broker.check()).rejects.toMatchObject({ code: 'service_unavailable' });
    await rig.start();
    await duringOutage;
    await broker.publish('svc.jobs', [{ body: bytes('after') }]);
    await until('everything', () => ['slow', 'during', 'after'].every((key) => seen.has(key)));
    await untilReachable(broker);
    await until('an empty queue', async () => (await broker.depth('svc.jobs')) === 0);
    await consumer.stop(1000);
    await expectNothingLeft(broker);
  });
});
