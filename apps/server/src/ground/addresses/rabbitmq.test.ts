import { expect, it } from 'vitest';
import { rabbitServers } from './rabbitmq.js';

it('reads the servers of an address', () => {
  const one = 'amqp://user:pass@mq.lab.example:5673/host';
  expect(rabbitServers(one)).toEqual({ url: one });
  expect(rabbitServers('amqps://u:p@a,b:5671,c/?heartbeat=5')).toEqual({
    url: 'amqps://u:p@a/?heartbeat=5',
    hosts: ['a', 'b:5671', 'c'],
  });
  for (const address of ['http://a', 'amqp://', 'amqp://a,,b', 'amqp://a:port'])
    expect(rabbitServers(address), address).toBeNull();
});
