import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { routeRows } from '@kindred/contracts/routes';
import { bodyOf, maxBodyBytes, type Route } from '@kindred/contracts/route';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComputePool } from '../ground/pool/pool.js';
import { createComputePool } from '../ground/pool/thread-pool.js';
import { longestTurnOf } from '../testing/longest-turn.js';
import { fillCatalogue } from '../testing/tiny-catalogue.js';
import { startTestApp, type TestApp, testSettings } from '../testing/test-app.js';

/**
 * An anonymous caller cannot hold up the others with any input. The test sends each input from another thread
 * to a service with the default limits, and measures the longest turn of its event loop in processor time, so
 * that a busy machine changes little.
 */
const mostMs = 250;
const mebibyte = 1 << 20;
const maxUploadBytes = 50 * mebibyte;

let test: TestApp;
let pool: ComputePool;
let port: number;
let client: Worker;

beforeAll(async () => {
  pool = createComputePool({ size: 1 });
  const limits = { maxUploadBytes, maxSequences: 50_000, maxResidues: 40_000 };
  const rateLimits = Object.fromEntries(
    Object.keys(testSettings.rateLimits).map((name) => [name, '100000/hour']),
  ) as typeof testSettings.rateLimits;
  test = await startTestApp({ ...limits, rateLimits }, null, { compute: pool });
  await fillCatalogue(test.db);
  await test.app.listen({ port: 0, host: '127.0.0.1' });
  port = (test.app.server.address() as AddressInfo).port;
  client = new Worker(clientThread, { eval: true });
  // These requests load the modules that are loaded by their first use.
  for (const path of ['/v1/annotate', '/v1/annotate/check'])
    for (const text of ['>a\nMKTAYIAKQRQISFVKSHFSR\n', genome(3)]) await send(path, formOf(text));
});
afterAll(async () => {
  await client?.terminate();
  await test?.close();
  await pool?.close();
});

/** The thread sends one request after the other; its own work does not count for the measured thread. */
const clientThread = `
  const { parentPort } = require('node:worker_threads');
  const { request } = require('node:http');
  parentPort.on('message', ({ port, path, method, headers, body }) => {
    const chunks = [];
    let isOver = false;
    const answer = (reply) => {
      if (!isOver) parentPort.postMessage(reply);
      isOver = true;
    };
    const call = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => answer({ status: response.statusCode, text: Buffer.concat(chunks).toString().slice(0, 500) }));
    });
    // The service closes the connection once it has refused the rest of a body: an error may come before the end of the answer.
    let fault = 'no answer';
    call.on('error', (error) => { fault = String(error); });
    call.on('close', () => answer({ status: 0, text: fault }));
    call.end(Buffer.from(body));
  });
`;

interface Sent {
  type: string;
  body: Buffer;
}

async function send(path: string, { type, body }: Sent, method = 'POST') {
  const headers = { 'content-type': type, 'content-length': body.byteLength };
  const bytes = new Uint8Array(body);
  return longestTurnOf(
    () =>
      new Promise<{ status: number; text: string }>((resolve) => {
        client.once('message', resolve);
        client.postMessage({ port, path, method, headers, body: bytes }, [bytes.buffer]);
      }),
  );
}

/** Repeats `part` as often as `size` bytes hold it. */
function repeated(part: string, size: number, start = '', end = ''): Buffer {
  const count = Math.floor((size - start.length - end.length) / part.length);
  return Buffer.concat([Buffer.from(start), Buffer.alloc(count * part.length, part), Buffer.from(end)]);
}

const json = (body: Buffer | string): Sent => ({ type: 'application/json', body: Buffer.from(body) });

const boundary = 'x1b2';
function formOf(
  content: Buffer | string,
  disposition = 'name="file"; filename="a"',
  type = 'text/plain',
): Sent {
  const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head),
    Buffer.from(content),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** Makes a GenBank record with overlapping coding sequences that have no translation. */
function genome(codingSequences: number, bases = 3000): string {
  const features = Array.from({ length: codingSequences }, (_, i) => {
    const start = 1 + 3 * i;
    return `     CDS             ${start}..${Math.min(bases, start + 599)}\n                     /protein_id="P${i}"\n`;
  }).join('');
  const letters = 'gcagctgctaaa'.repeat(bases / 12).replaceAll(/.{60}/g, '        1 $&\n');
  return `LOCUS       X ${bases} bp DNA linear\nFEATURES             Location/Qualifiers\n${features}ORIGIN\n${letters}//\n`;
}

const genbank = (qualifier: string) =>
  `LOCUS       X 100 bp DNA linear\nFEATURES             Location/Qualifiers\n     CDS             1..99\n${qualifier}\n//\n`;
const flat = '                     ';
const records = (size: number) => {
  const residues = randomBytes(400).map((byte) => 'ACDEFGHIKLMNPQRSTVWY'.charCodeAt(byte % 20));
  const sequence = Buffer.from(residues).toString();
  const made: string[] = [];
  for (let at = 0, n = 0; at < size - 500; n++) {
    made.push(`>p${n} OX=9606\n${sequence}\n`);
    at += made[n].length;
  }
  return made.join('');
};

/** A file of sequences may have these contents, each made when its turn comes. */
const contents: Record<string, () => Buffer | string> = {
  'many proteins': () => records(20 * mebibyte),
  'proteins of 40,000 residues': () =>
    repeated(`>%\n${'ACDEFGHIKL'.repeat(4000)}\n`, 20 * mebibyte)
      .toString()
      .replaceAll('%', () => randomBytes(6).toString('hex')),
  'records without residues': () => repeated('>a\n', 20 * mebibyte),
  'empty lines': () => repeated('\n', 8 * mebibyte, '>a\nMKTAYIAKQRQISFVKSHFSR'),
  'lines of a blank': () => repeated(' \n', 8 * mebibyte, '>a\nMKTAYIAKQRQISFVKSHFSR\n'),
  'one residue a line': () => repeated('A\n', 8 * mebibyte, '>a\n'),
  'one line': () => repeated('A', 40 * mebibyte, '>a\n'),
  'a long header': () => repeated('OX= ', mebibyte - 10, '>a ', '\nMKTAYIAKQRQISFVKSHFSR\n'),
  'a long token': () => repeated('|', mebibyte - 10, '>sp', '\nMKTAYIAKQRQISFVKSHFSR\n'),
  'spaces in a header': () => repeated(' ', mebibyte - 10, '>a ', 'XX=\nMKTAYIAKQRQISFVKSHFSR\n'),
  'headers in another script': () =>
    repeated('\u4e2d', 3 * mebibyte - 10, '>a ', '\nMKTAYIAKQRQISFVKSHFSR\n'),
  'carriage returns': () => repeated('\r', 20 * mebibyte, '>a\n'),
  'no text': () => Buffer.concat([Buffer.from('>a\n'), Buffer.alloc(20 * mebibyte, 0xff)]),
  'zero bytes': () => repeated('\0', 20 * mebibyte),
  'a packed text of four times the limit': () => gzipSync(repeated('A', 200 * mebibyte, '>a\n')),
  'a packed text within the limit': () => gzipSync(repeated('A\n', 45 * mebibyte, '>a\n')),
  'a broken packed file': () => gzipSync(randomBytes(10 * mebibyte)).fill(7, 5 * mebibyte),
  'quotes in a qualifier': () => genbank(`${flat}/note="${'"'.repeat(40_000)}x`),
  'a qualifier without an end': () => genbank(`${flat}/note="${`\n${flat}${'a'.repeat(50)}`.repeat(10_000)}`),
  'translations without an end': () => genbank(`${flat}/translation="MKV\n`.repeat(100_000)),
  'many qualifiers': () => genbank(`${flat}/note="a"\n`.repeat(100_000)),
  'a long place': () => genbank('').replace('1..99', `join(${'1..9,'.repeat(100_000)}1..9)`),
  'a place of many lines': () => genbank(`${flat}1..9,\n`.repeat(100_000)),
  'nested places': () =>
    genbank('').replace('1..99', `${'complement('.repeat(20_000)}1..9${')'.repeat(20_000)}`),
  'a genome of overlapping genes': () => genome(40_000, 300_000),
  'records of EMBL': () =>
    repeated(
      'ID   X; SV 1; linear; DNA; STD; BCT; 9 BP.\nSQ   Sequence 9 BP;\n     acgtacgta 9\n//\n',
      10 * mebibyte,
    ),
};

const uploads: Record<string, () => Sent> = {
  ...Object.fromEntries(Object.entries(contents).map(([name, make]) => [name, () => formOf(make())])),
  'a field of many lines': () => formOf(repeated('A\n', 40 * mebibyte, '>a\n'), 'name="fasta_text"'),
  'a field that says it is JSON': () =>
    formOf(repeated('1,', 20 * mebibyte, '[', '1]'), 'name="fasta_text"', 'application/json'),
  'a long name': () => formOf(repeated('a', 20 * mebibyte), 'name="name"'),
  'a part that nobody knows': () => formOf(repeated('a', 20 * mebibyte), 'name="x"'),
  'many parts': () => {
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="name"\r\n\r\na\r\n`;
    return { ...formOf(''), body: repeated(part, 10 * mebibyte) };
  },
  'the shortest parts': () => ({
    type: 'multipart/form-data; boundary=x',
    body: repeated('\r\n--x\r\n\r\n', 10 * mebibyte),
  }),
  'parts without a name': () => ({
    type: 'multipart/form-data; boundary=x',
    body: repeated('\r\n--x\r\ncontent-disposition: form-data\r\n\r\n', 10 * mebibyte),
  }),
  'a header of a part without an end': () => ({
    ...formOf(''),
    body: repeated('X-A: b\r\n', 10 * mebibyte, `--${boundary}\r\n`),
  }),
  'beginnings of a boundary': () => formOf(repeated(`\r\n--${boundary.slice(0, -1)}`, 20 * mebibyte)),
  'JSON: a text of one line': () => json(repeated('A', 50 * mebibyte, '{"fasta_text":">a\\n', '"}')),
  'JSON: a text of many lines': () => json(repeated('A\\n', 90 * mebibyte, '{"fasta_text":">a\\n', '"}')),
  'JSON: a text of many proteins': () => json(JSON.stringify({ fasta_text: records(20 * mebibyte) })),
  'JSON: a text of escapes': () => json(repeated('\\u4e2d', 60 * mebibyte, '{"fasta_text":">a ', '"}')),
  'JSON: a text of quotes': () => json(repeated('\\"', 60 * mebibyte, '{"fasta_text":"', '"}')),
  'JSON: a text of backslashes': () => json(repeated('\\\\', 60 * mebibyte, '{"fasta_text":"', '"}')),
  'JSON: a genome': () => json(JSON.stringify({ fasta_text: genome(40_000, 300_000) })),
  'JSON: a small genome': () => json(JSON.stringify({ fasta_text: genome(700, 24_000) })),
  'JSON: numbers': () => json(repeated('1,', 45 * mebibyte, '[', '1]')),
  'JSON: objects': () => json(repeated('{},', 45 * mebibyte, '[', '{}]')),
  'JSON: numbers beside the text': () =>
    json(repeated('1,', 45 * mebibyte, '{"fasta_text":">a\\nMK","name":[', '1]}')),
  'JSON: a long name': () => json(repeated('a', 45 * mebibyte, '{"fasta_text":">a\\nMK","name":"', '"}')),
  'JSON: a long number': () => json(repeated('9', 45 * mebibyte, '{"fasta_text":', '}')),
  'JSON: blanks': () => json(repeated(' ', 90 * mebibyte)),
  'JSON: no text': () => json(Buffer.alloc(45 * mebibyte, 0xff)),
};

const open = routeRows.filter(({ method, floor }) => method !== 'GET' && floor === 'viewer');

describe.skipIf(!existsSync('/proc/self/task'))('the longest turn of the event loop', () => {
  it.each(Object.keys(uploads))('is short for an upload: %s', async (name) => {
    const sent = uploads[name]();
    for (const { path } of open.filter(({ upload }) => upload !== undefined)) {
      const { longestMs, result } = await send(`/v1${path}`, sent);
      expect.soft(longestMs, `${path}: ${name}: ${result.status} ${result.text}`).toBeLessThan(mostMs);
    }
  });

  it.each(open.filter(({ upload }) => upload === undefined).map((row) => [row.path, row] as const))(
    'is short for a body of %s',
    async (path, row) => {
      const url = `/v1${path.replaceAll(/:[a-z_]+/g, crypto.randomUUID())}`;
      for (const [name, body] of bodiesFor(row)) {
        const { longestMs, result } = await send(url, json(body), row.method);
        expect.soft(longestMs, `${name}: ${result.status} ${result.text}`).toBeLessThan(mostMs);
        expect.soft(result.status, `${name}: ${result.text}`).toBeOneOf([0, 400, 401, 404, 413, 422]);
      }
    },
  );

  it('is short for a path that is not there', async () => {
    for (const [name, body] of Object.entries(generalBodies)) {
      const { longestMs, result } = await send('/v1/no-such-path', json(body));
      expect.soft(longestMs, `${name}: ${result.status}`).toBeLessThan(mostMs);
    }
  });
});

const size = maxBodyBytes;
const generalBodies: Record<string, Buffer> = {
  numbers: repeated('1,', size, '[', '1]'),
  objects: repeated('{},', size, '[', '{}]'),
  texts: repeated('"",', size, '[', '""]'),
  'numbers, too many': repeated('1,', 4 * mebibyte, '[', '1]'),
  'objects, too many': repeated('{},', 4 * mebibyte, '[', '{}]'),
  digits: repeated('9', size, '{"email":', '}'),
  zeros: repeated('0', size, '{"email":', '1}'),
  keys: Buffer.from(`{${Array.from({ length: 24_000 }, (_, i) => `"k${i}":0`).join(',')}}`.slice(0, size)),
  escapes: repeated('\\u0061', size, '{"', '":1}'),
  brackets: repeated('[', size),
  'no text': Buffer.alloc(size, 0xff),
};
const texts = ['a', ' ', '@', 'a@', 'a.', '-', '0', '\\n', '\\u0130', '(a|'];

function* bodiesFor(row: Route): Generator<[string, Buffer]> {
  yield* Object.entries(generalBodies);
  const shape = (bodyOf(row) as { shape?: object } | undefined)?.shape ?? {};
  for (const key of Object.keys(shape)) {
    for (const text of texts) yield [`${key}: ${text}`, repeated(text, size, `{"${key}":"`, '"}')];
    yield [`${key}: list of texts`, repeated('"P12345",', size, `{"${key}":[`, '"a"]}')];
    yield [`${key}: list of numbers`, repeated('1,', 90_000, `{"${key}":[`, '1]}')];
    yield [`${key}: object`, Buffer.from(`{"${key}":${generalBodies.keys.toString().slice(0, -1)}}}`)];
  }
}
