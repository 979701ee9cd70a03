import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EmbeddingRecipe } from '@kindred/contracts';
import { toFloat16 } from '@kindred/kernels/arrays';
import { backendConformance } from '@kindred/testkit/conformance';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inferenceBackend } from './backend.js';
import { plugin } from './index.js';
import { headerLength, readTensors } from './tensors.js';

type Kind = 'json' | 'FP32' | 'FP16';
let server: Server;
let url: string;
let kind: Kind;
let fault: (request: IncomingMessage, response: ServerResponse, count: number) => boolean;
let shapeOf: (n: number) => number[];
let requests: { path: string; auth: string | undefined; sequences: string[] }[];

/** Counts four letters: a simple vector, which differs for each sequence. */
const vectorOf = (text: string) => [...'ACDE'].map((letter) => text.split(letter).length - 1 + 0.5);

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sequencesIn(body: Buffer, jsonLength: string | undefined): string[] {
  if (jsonLength === undefined) return JSON.parse(body.toString()).inputs[0].data;
  const end = Number(jsonLength);
  const { inputs } = JSON.parse(body.toString('utf8', 0, end));
  expect(inputs[0].parameters.binary_data_size).toBe(body.length - end);
  const texts: string[] = [];
  for (let at = end; at < body.length; ) {
    const length = body.readUInt32LE(at);
    texts.push(body.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return texts;
}

function sendVectors(response: ServerResponse, sequences: string[]): void {
  const values = Float32Array.from(sequences.flatMap(vectorOf));
  const output = {
    name: 'embeddings',
    datatype: kind === 'json' ? 'FP32' : kind,
    shape: shapeOf(sequences.length),
  };
  if (kind === 'json') {
    response.end(
      JSON.stringify({ model_name: 'counts', outputs: [{ ...output, data: Array.from(values) }] }),
    );
    return;
  }
  const { buffer } = kind === 'FP16' ? toFloat16(values).half : values;
  const block = Buffer.from(buffer);
  const head = JSON.stringify({ outputs: [{ ...output, parameters: { binary_data_size: block.length } }] });
  response.setHeader(headerLength, Buffer.byteLength(head));
  response.end(Buffer.concat([Buffer.from(head), block]));
}

const model = (
  outputs: object[],
  inputs: object[] = [{ name: 'sequences', datatype: 'BYTES', shape: [-1] }],
) => JSON.stringify({ name: 'm', inputs, outputs });
const models: Record<string, string> = {
  counts: model([{ name: 'embeddings', datatype: 'FP32', shape: [-1, 4] }]),
  open: model([{ name: 'embeddings', datatype: 'FP32', shape: [-1, -1] }]),
  classes: model([{ name: 'class', datatype: 'INT64', shape: [-1] }]),
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '';
    const header = request.headers[headerLength] as string | undefined;
    const sequences = path.endsWith('/infer') ? sequencesIn(body, header) : [];
    requests.push({ path, auth: request.headers.authorization, sequences });
    if (fault(request, response, requests.length)) return;
    if (path === '/v2')
      response.end(JSON.stringify({ extensions: kind === 'json' ? [] : ['binary_tensor_data'] }));
    else if (path === '/v2/repository/index')
      response.end(
        JSON.stringify([
          ...Object.keys(models).map((name) => ({ name, state: 'READY' })),
          { name: 'gone', state: 'UNAVAILABLE' },
        ]),
      );
    else if (path.endsWith('/infer')) sendVectors(response, sequences);
    else {
      const found = models[path.slice('/v2/models/'.length)];
      if (found === undefined) response.writeHead(404).end('{"error":"unknown model"}');
      else response.end(found);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  kind = 'json';
  fault = () => false;
  shapeOf = (n) => [n, 4];
  requests = [];
});

const backend = (more = {}) =>
  inferenceBackend({ url: `${url}/`, token: null, timeoutMs: 5000, maxRetries: 3, retryBaseMs: 1, ...more });
const recipe: EmbeddingRecipe = {
  model_name: 'counts',
  model_backend: 'inference',
  layer_indices: [0],
  layer_agg: 'mean',
  pooling: 'mean',
  normalize_residues: false,
  normalize: false,
  max_length: 1000,
  use_chunking: false,
  chunk_size: 10,
  chunk_overlap: 2,
};
const open = (more: Partial<EmbeddingRecipe> = {}, settings = {}) =>
  backend(settings).open({ ...recipe, ...more });

describe('backend inference as every backend', () => {
  // The plugin is loaded late, because the address is known only when the server runs.
  const loaded: typeof plugin = { ...plugin, load: async () => backend() };
  it.each(backendConformance(loaded))('$name', ({ run }) => run());
});

describe('backend inference', () => {
  it.each<Kind>(['json', 'FP32', 'FP16'])('gets vectors as %s', async (as) => {
    kind = as;
    const session = await open({}, { token: 'secret' });
    expect(session.dimension).toBe(4);
    const sequences = ['ACDE', 'AAAA', 'WWWW'];
    const found = await session.embed(sequences);
    expect(Array.from(found.vectors)).toEqual(sequences.flatMap(vectorOf));
    expect(Array.from(found.sequenceIndex)).toEqual([0, 1, 2]);
    expect(Array.from(found.chunkEnd)).toEqual([-1, -1, -1]);
    expect(requests.every(({ auth }) => auth === 'Bearer secret')).toBe(true);
  });

  it('lists the models that embed, and asks for a dimension that is not described', async () => {
    expect((await backend().models()).map(({ model_name }) => model_name)).toEqual(['counts']);
    expect((await open({ model_name: 'open' })).dimension).toBe(4);
  });

  it('sends long lists in several requests, whatever their grouping', async () => {
    const sequences = Array.from({ length: 150 }, (_, i) => 'ACDEFG'.repeat(1 + (i % 7)));
    const session = await open();
    const together = await session.embed(sequences);
    expect(requests.filter(({ path }) => path.endsWith('/infer')).map((one) => one.sequences.length)).toEqual(
      [64, 64, 22],
    );
    const alone = await session.embed(sequences.slice(77, 78));
    expect(together.vectors.slice(77 * 4, 78 * 4)).toEqual(alone.vectors);
  });

  it('cuts long sequences into windows and loses no residue', async () => {
    const session = await open({ max_length: 5 });
    const text = 'AAAAACCCCCDD';
    const { vectors } = await session.embed([text, 'AC']);
    // The windows have the weights 5, 5 and 2 of 12.
    const windows = ['AAAAA', 'CCCCC', 'DD'].map(vectorOf);
    const mean = [0, 1, 2, 3].map((d) => (5 * windows[0][d] + 5 * windows[1][d] + 2 * windows[2][d]) / 12);
    for (let d = 0; d < 4; d++) expect(vectors[d]).toBeCloseTo(mean[d], 5);
    const sent = requests.filter(({ path }) => path.endsWith('/infer')).flatMap((one) => one.sequences);
    expect(sent).toEqual(['AAAAA', 'CCCCC', 'DD', 'AC']);
  });

  it('gives a vector per chunk, and unit vectors where asked', async () => {
    const session = await open({ use_chunking: true, normalize: true });
    const found = await session.embed(['ACDE'.repeat(5), 'AC']);
    expect(
      [...found.chunkStart].map((start, i) => [found.sequenceIndex[i], start, found.chunkEnd[i]]),
    ).toEqual([
      [0, 0, 10],
      [0, 8, 18],
      [0, 16, 20],
      [1, 0, 2],
    ]);
    for (let row = 0; row < 4; row++)
      expect(Math.hypot(...found.vectors.subarray(4 * row, 4 * row + 4))).toBeCloseTo(1, 6);
  });

  it('refuses chunks that the model could not see at once, or that would not move on', async () => {
    for (const [change, path] of [
      [{ chunk_size: 2000 }, '/chunk_size'],
      [{ chunk_overlap: 10 }, '/chunk_overlap'],
    ] as const) {
      await expect(open({ use_chunking: true, ...change })).rejects.toMatchObject({
        code: 'validation_failed',
        errors: [{ path, code: 'out_of_range' }],
      });
    }
  });

  it('tries again after 429, 503 and a cut connection', async () => {
    fault = (_request, response, count) => {
      if (count === 2) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 4) response.writeHead(503).end('{"error":"loading"}');
      else if (count === 5) response.destroy();
      else return false;
      return true;
    };
    const session = await open();
    expect(Array.from((await session.embed(['ACDE'])).vectors)).toEqual(vectorOf('ACDE'));
    expect(requests.length).toBeGreaterThan(5);
  });

  it('gives up with the reason of the server, and stops on request', async () => {
    const session = await open();
    fault = (_request, response) => {
      response.writeHead(500).end('{"error":"out of GPU memory"}');
      return true;
    };
    await expect(session.embed(['A'])).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('out of GPU memory'),
    });
    const stop = new AbortController();
    stop.abort(new Error('cancelled'));
    await expect(session.embed(['A'], stop.signal)).rejects.toThrow('cancelled');
  });

  it('follows no redirect', async () => {
    fault = (_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
      return true;
    };
    await expect(open({}, { maxRetries: 0 })).rejects.toMatchObject({ code: 'fetch_failed' });
  });

  it.each([
    ['an unknown model', { model_name: 'none' }, 'unknown_model'],
    ['a name that leaves the path', { model_name: '../../admin' }, 'unknown_model'],
    ['a model of another kind', { model_name: 'classes' }, 'validation_failed'],
    ['another pooling', { pooling: 'cls' as const }, 'validation_failed'],
    ['other layers', { layer_indices: [1, 2] }, 'validation_failed'],
  ])('refuses %s', async (_name, more, code) => {
    await expect(open(more)).rejects.toMatchObject({ code });
  });

  it('refuses vectors of another shape', async () => {
    const session = await open();
    shapeOf = (n) => [n, 2, 2];
    await expect(session.embed(['A'])).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('[1, 2, 2]'),
    });
    shapeOf = (n) => [n + 1, 4];
    await expect(session.embed(['A'])).rejects.toMatchObject({ code: 'bad_file' });
  });

  it('says what is missing where no server is set', async () => {
    await expect(plugin.load({ dataDir: '', settings: { url: null, token: null } })).rejects.toMatchObject({
      code: 'backend_unavailable',
      message: expect.stringContaining('SVC_INFERENCE_URL'),
    });
  });

  it('reads any bytes as tensors or refuses them in words', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.option(fc.integer({ min: -1, max: 90 })),
        (bytes, length) => {
          try {
            readTensors(Buffer.from(bytes), length === null ? null : String(length));
          } catch (error) {
            expect(error).toMatchObject({ code: 'bad_file' });
          }
        },
      ),
    );
  });
});
