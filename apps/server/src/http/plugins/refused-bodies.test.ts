import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../deps.js';
import { takeRefusedBodies } from './refused-bodies.js';

let app: FastifyInstance;
let wasWhole: boolean;
beforeEach(async () => {
  app = fastify({ bodyLimit: 1000 });
  takeRefusedBodies(app as unknown as Api);
  app.addHook('onSend', async ({ raw }) => {
    wasWhole = raw.complete;
  });
  await app.register(multipart);
  app.post(
    '/early',
    { onRequest: async (_, reply) => reply.code(401).send({ why: 'no credential' }) },
    async () => '',
  );
  app.post('/json', async () => 'read');
  app.post('/midway', async (request, reply) => {
    await request.file();
    return reply.code(422).send({ why: 'a bad file' });
  });
  app.addContentTypeParser('a/stream', (_request, _payload, done) => done(null));
  app.post('/begun', { bodyLimit: 1e9 }, async (request, reply) => {
    for await (const part of request.raw.iterator({ destroyOnReturn: false }))
      if ((part as Buffer).length > 0) break;
    return reply.code(422).send({ why: 'a bad part' });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

/**
 * Sends all of the body before it reads, as nginx does. The default is HTTP/1.0, which nginx speaks by
 * default.
 */
async function post(path: string, type: string, body: string, version = '1.0'): Promise<string> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  const fault = once(socket, 'error').then(([error]) => Promise.reject(error as Error));
  fault.catch(() => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `POST ${path} HTTP/${version}\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  for (let at = 0; at < body.length; at += 65_536) {
    const ready = socket.write(body.slice(at, at + 65_536));
    if (!ready) await Promise.race([once(socket, 'drain'), fault]);
  }
  let text = '';
  socket.setEncoding('utf8').on('data', (part) => (text += part));
  socket.resume();
  // The connection of HTTP/1.1 stays open after the answer.
  while (!text.includes('}')) await Promise.race([once(socket, 'data'), fault]);
  socket.end();
  await Promise.race([once(socket, 'close'), fault]);
  return text;
}

const form = (size: number) =>
  `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${'x'.repeat(size)}\r\n--b--\r\n`;

describe.each([1000, 1_000_000, 20_000_000])('a refused upload of %i bytes', (size) => {
  it.each([
    ['/early', 'multipart/form-data; boundary=b', form(size), 401, 'no credential'],
    ['/midway', 'multipart/form-data; boundary=b', form(size), 422, 'a bad file'],
    ['/json', 'application/json', `"${'x'.repeat(size)}"`, 413, 'too large'],
    ['/json', 'text/csv', 'x'.repeat(size), 415, 'Unsupported Media Type'],
    ['/begun', 'a/stream', 'x'.repeat(size), 422, 'a bad part'],
  ])('to %s of type %s is answered', async (path, type, body, status, why) => {
    for (const version of ['1.0', '1.1']) {
      const answer = await post(path, type, body, version);
      expect(answer).toContain(`HTTP/1.1 ${status} `);
      expect(answer).toContain(why);
    }
  });

  it('is read whole before the answer, also where the connection goes on', async () => {
    await post('/early', 'text/csv', 'x'.repeat(size), '1.1');
    expect(wasWhole).toBe(true);
  });
});
