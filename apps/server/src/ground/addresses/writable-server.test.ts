import { expect, it } from 'vitest';
import { connectionFaultOf, ReadOnlyServerError } from '../../store/postgres/connection-fault.js';
import { WritableServer } from './writable-server.js';

const first = { host: 'first', port: 5432 };
const second = { host: 'second', port: 5432 };

/** `timelines` holds the timeline of each server, and a test may change it; null stands for a standby. */
function serversOf(timelines: Record<string, number | null>) {
  const asked: string[] = [];
  const servers = new WritableServer([first, second], async ({ host }) => {
    asked.push(host);
    const timeline = timelines[host];
    if (timeline === null) throw new ReadOnlyServerError();
    return timeline;
  });
  return { servers, asked };
}

it('takes the one that takes writes, and asks once as long as it holds', async () => {
  const { servers, asked } = serversOf({ first: null, second: 1 });
  expect(await Promise.all([servers.find(), servers.find()])).toEqual([second, second]);
  expect(await servers.find()).toBe(second);
  expect(asked).toEqual(['first', 'second']);
});

it('takes the first of equals, and the one that was promoted last where an old primary came back', async () => {
  expect(await serversOf({ first: 1, second: 1 }).servers.find()).toBe(first);
  expect(await serversOf({ first: 1, second: 2 }).servers.find()).toBe(second);
});

it('asks again when a connection failed, but not because of one to a server that was left before', async () => {
  const timelines: Record<string, number | null> = { first: 1, second: null };
  const { servers, asked } = serversOf(timelines);
  expect(await servers.find()).toBe(first);
  Object.assign(timelines, { first: null, second: 2 });
  servers.forget(first);
  expect(await servers.find()).toBe(second);
  servers.forget(first);
  expect(await servers.find()).toBe(second);
  expect(asked).toHaveLength(4);
});

it('says what each server said where none takes writes: the database is away', async () => {
  const timelines: Record<string, number | null> = { first: null, second: null };
  const { servers } = serversOf(timelines);
  const error = await servers.find().catch((cause) => cause);
  expect(error.message).toMatch(/first:5432: the server is a standby.*second:5432/);
  expect(connectionFaultOf(error)).toBe('unreachable');
  timelines.second = 2;
  expect(await servers.find()).toBe(second);
});
