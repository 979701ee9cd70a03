import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../testing/test-app.js';

let test: TestApp;
let port: number;
beforeAll(async () => {
  test = await startTestApp();
  await test.app.listen({ port: 0, host: '127.0.0.1' });
  port = (test.app.server.address() as AddressInfo).port;
});
afterAll(() => test?.close());

/** Sends the bytes, and gives the status and the problem of the answer. */
async function send(bytes: string): Promise<{ status: number; code: unknown; detail: unknown }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  const body = /\{.*\}/s.exec(text)?.[0] ?? '{}';
  const { code, detail } = JSON.parse(body) as Record<string, unknown>;
  return { status: Number(text.split(' ')[1]), code, detail };
}
const request = (...lines: string[]) => [...lines, 'Connection: close', '', ''].join('\r\n');

describe('a request on the wire', () => {
  it('without Host, or with two, is refused in words', async () => {
    expect(await send(request('GET /v1/jobs HTTP/1.1'))).toMatchObject({
      status: 400,
      code: 'malformed_request',
      detail: expect.stringContaining('no header Host'),
    });
    expect(
      await send(request('GET /v1/jobs HTTP/1.1', 'Host: localhost', 'HOST: evil.example')),
    ).toMatchObject({
      status: 400,
      detail: expect.stringContaining('more than one header Host'),
    });
    expect((await send(request('GET /health HTTP/1.0'))).status).toBe(200);
  });

  it('with an unknown expectation is answered as without', async () => {
    expect((await send(request('GET /health HTTP/1.1', 'Host: localhost', 'Expect: a-wonder'))).status).toBe(
      200,
    );
  });

  it.each([
    ['a header', request('GET /health HTTP/1.1', 'Host: localhost', `X-Long: ${'a'.repeat(100_000)}`)],
    ['an address', request(`GET /health?${'a'.repeat(100_000)} HTTP/1.1`, 'Host: localhost')],
  ])('that is too long by %s is 431', async (_name, bytes) => {
    expect(await send(bytes)).toMatchObject({ status: 431, code: 'headers_too_large' });
  });
});

describe('a body', () => {
  const ping = { operation: 'ping', queue_name: 'svc.ping' };

  it('with a Content-Encoding, or as a form where none is read, is 415', async () => {
    const { headers } = await test.account('researcher');
    const post = async (more: Record<string, string>, payload: object | string = ping) =>
      problemIn(
        await test.call({ method: 'POST', url: '/v1/jobs', payload, headers: { ...headers, ...more } }),
      );
    expect(await post({ 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      detail: expect.stringContaining('Content-Encoding'),
    });
    expect(await post({ 'content-type': 'multipart/form-data; boundary=x' }, '--x--\r\n')).toMatchObject({
      status: 415,
      detail: expect.stringContaining('application/json'),
    });
  });

  it('with U+0000 in a field of a form names the field', async () => {
    const form =
      '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\na\0b\r\n' +
      '--x\r\nContent-Disposition: form-data; name="fasta_text"\r\n\r\n>a\nMKTAYIAKQRQISFVK\r\n--x--\r\n';
    const reply = await test.call({
      method: 'POST',
      url: '/v1/annotate/check',
      payload: form,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    expect(problemIn(reply).errors).toMatchObject([{ path: '/name' }]);
  });
});

describe('an address', () => {
  const get = async (url: string) => problemIn(await test.call({ url }));

  it('with a name that is too long for anything is 404', async () => {
    expect((await get(`/v1/proteins/${'a'.repeat(5000)}`)).status).toBe(404);
  });

  it.each(['2026-02-30T00:00:00Z', '2026-04-31T00:00:00.5+02:00'])(
    'with the day of %s names the parameter',
    async (after) => {
      expect((await get(`/v1/jobs?after=${encodeURIComponent(after)}`)).errors).toMatchObject([
        { path: '/after', code: 'bad_cursor' },
      ]);
    },
  );

  it('says in Allow only what the path has', async () => {
    const allow = async (url: string) =>
      (await test.app.inject({ method: 'PATCH', url })).headers.allow?.split(', ').sort();
    expect(await allow('/v1/annotations/sets/load-goa')).toEqual(['POST']);
    expect(await allow(`/v1/annotations/sets/${crypto.randomUUID()}`)).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(await allow('/v1/annotations/sets/no-id')).toEqual(['DELETE', 'GET', 'HEAD']);
  });
});
