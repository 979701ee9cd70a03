import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import fastify, { type FastifyInstance } from 'fastify';
import { patience } from '@kindred/testkit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { jsonWithList, sendChunks, sixDigits, tsvLine } from './stream.js';

async function* pagesOf<T>(pages: T[][]) {
  yield* pages;
}

it('jsonWithList is what JSON.stringify says of the whole, however the list is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.array(fc.jsonValue(), { maxLength: 4 }), { maxLength: 5 }),
      async (head, pages) => {
        const { list: _taken, ...rest } = head;
        let text = '';
        for await (const chunk of jsonWithList(rest, 'list', pagesOf(pages), (row) => row)) text += chunk;
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ ...rest, list: pages.flat() })));
      },
    ),
  );
});

it('tsvLine keeps one row on one line with all its cells', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), { minLength: 1 }),
      (cells) => {
        const line = tsvLine(cells);
        expect(line.endsWith('\n')).toBe(true);
        expect(line.slice(0, -1)).not.toMatch(/[\r\n]/);
        expect(line.split('\t')).toHaveLength(cells.length);
      },
    ),
  );
});

it('tsvLine leaves no text that a spreadsheet runs', () => {
  expect(tsvLine(['=HYPERLINK("http://evil.example")', '\t=1', '-2+3', '-0.5', -0.5, '@x', 'P1'])).toBe(
    `'=HYPERLINK("http://evil.example")\t =1\t'-2+3\t-0.5\t-0.5\t'@x\tP1\n`,
  );
});

it('sixDigits keeps six significant digits', () => {
  expect(sixDigits(0.123456789)).toBe(0.123457);
  expect(sixDigits(1234567)).toBe(1_234_570);
  expect(sixDigits(null)).toBeNull();
});

describe('sendChunks', () => {
  // The text is longer than the window of gzip, so that it can't be packed away.
  const chunk = randomBytes(1 << 17).toString('base64');
  let made = 0;
  let ended = false;
  async function* endless() {
    try {
      for (;;) {
        made++;
        yield chunk;
      }
    } finally {
      ended = true;
    }
  }
  const app = fastify();
  let full = () => false;
  app.get('/endless', (request, reply) => {
    full = () => reply.raw.writableNeedDrain;
    return sendChunks(request, reply, endless(), { contentType: 'text/plain', filename: null });
  });
  app.get('/broken', (request, reply) =>
    sendChunks(
      request,
      reply,
      (async function* () {
        yield* [];
        throw new Error('before the first row');
      })(),
      { contentType: 'text/plain', filename: null },
    ),
  );
  afterAll(() => app.close());

  it.each(['identity', 'gzip'])(
    'waits for a client that does not read, and stops when it leaves (%s)',
    async (encoding) => {
      made = 0;
      ended = false;
      full = () => false;
      const address = app.server.listening ? urlOf(app) : await app.listen({ port: 0, host: '127.0.0.1' });
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.pause();
      socket.write(`GET /endless HTTP/1.1\r\nHost: x\r\nAccept-Encoding: ${encoding}\r\n\r\n`);
      await until(() => full());
      const settled = await steady(app, () => made);
      expect(settled).toBeLessThan(500);
      socket.destroy();
      await until(() => ended);
    },
  );

  it('still answers with a refusal when the first row fails', async () => {
    expect((await app.inject('/broken')).statusCode).toBe(500);
  });
});

function urlOf(app: FastifyInstance): string {
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

async function until(condition: () => boolean): Promise<void> {
  await vi.waitUntil(condition, patience);
}

/** Gives the value when it has not changed while the app answered 200 other requests. */
async function steady(app: FastifyInstance, value: () => number): Promise<number> {
  for (let last = -1; ; ) {
    if (value() === last) return last;
    last = value();
    for (let n = 0; n < 200; n++) await app.inject('/broken');
  }
}
