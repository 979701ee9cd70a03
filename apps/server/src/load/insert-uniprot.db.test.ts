import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { proteinStats } from '../store/proteins/proteins.repository.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { startStubServer, type StubServer } from '../testing/stub-server.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { startPage, uniprotAt } from '../testing/uniprot-stub.js';
import { insertProteins } from './insert-proteins.js';

let database: TestDatabase;
let db: Database;
let stub: StubServer;
let answer: (request: IncomingMessage, response: ServerResponse, count: number) => void;
let bench: LoadingBench;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  stub = await startStubServer((request, response, count) => answer(request, response, count));
  bench = loadingBench(db, { allowedHosts: [stub.host], sources: { uniprot: await uniprotAt(stub.url) } });
});
afterAll(async () => {
  await stub.close();
  await closeDatabase(db);
  await database.close();
});
afterEach(async () => {
  stub.requests.length = 0;
  await sql`truncate protein, sequence cascade`.execute(db);
});

const record = (n: number) =>
  `>sp|P${10_000 + n}|N${n}_ECOLI Protein ${n} OS=Escherichia coli OX=83333 GN=g${n}\nMA${'CDEFGHIKLM'.repeat(1 + (n % 5))}\n`;
const total = 25;
const size = 10;

function page(request: IncomingMessage, response: ServerResponse, pack = false): void {
  const { start, end } = startPage(request, response, { url: stub.url, size, total });
  const text = Array.from({ length: end - start }, (_, i) => record(start + i)).join('');
  if (pack) response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
  else response.end(text);
}

const load = (payload: Record<string, unknown> = {}) =>
  bench.run(insertProteins, {
    search_criteria: 'organism_id:83333 AND reviewed:true',
    page_size: size,
    ...payload,
  });

describe('insert_proteins from UniProt', () => {
  it('follows the Link header through all pages', async () => {
    answer = (request, response) => page(request, response, true);
    expect(await load()).toMatchObject({
      retrieved_records: total,
      proteins_inserted: total,
      bad_records: 0,
    });
    expect(stub.requests).toHaveLength(3);
    const first = new URL(stub.requests[0], stub.url).searchParams;
    expect(Object.fromEntries(first)).toEqual({
      format: 'fasta',
      query: 'organism_id:83333 AND reviewed:true',
      size: '10',
      includeIsoform: 'true',
    });
    expect(await proteinStats(db)).toEqual({ total, canonical: total, reviewed: total, organisms: 1 });
    await load({ include_isoforms: false });
    expect(stub.requests[3]).not.toContain('includeIsoform');
  });

  it('gets through 429, 500, a cut connection and a truncated gzip', async () => {
    answer = (request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 3) response.writeHead(500).end();
      else if (count === 4) {
        response.writeHead(200, { 'content-length': 5000 });
        response.write(record(1), () => response.destroy());
      } else if (count === 6) {
        const packed = gzipSync(record(1).repeat(100));
        response.end(packed.subarray(0, packed.length - 12));
      } else page(request, response);
    };
    expect(await load()).toMatchObject({ retrieved_records: total, proteins_inserted: total });
    expect(bench.events.filter((one) => one.event === 'http.retry')).toHaveLength(4);
  });

  it('fails if a Link is missing before the announced total, and keeps the pages received', async () => {
    answer = (request, response) => {
      page(request, {
        setHeader: (name: string, value: string) => name !== 'link' && response.setHeader(name, value),
        end: (text: string) => response.end(text),
      } as unknown as ServerResponse);
    };
    await expect(load()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringMatching(/announced 25.*no Link/),
    });
    expect((await proteinStats(db)).total).toBe(10);
  });

  it('reports pages that come twice, and ends where the Link leads back', async () => {
    answer = (request, response, count) => {
      if (count < 4) {
        response.setHeader('link', `<${stub.url}/search?cursor=${count}>; rel="next"`);
        response.setHeader('x-total-results', '30');
        response.end(record(1) + record(2));
      } else page(request, response);
    };
    const result = await load({ total_limit: 20 }).catch((error) => error);
    expect(result).toMatchObject({ proteins_inserted: expect.any(Number), bad_records: 4 });
    stub.requests.length = 0;
    answer = (_request, response) => {
      response.setHeader('link', `<${stub.url}/search?cursor=7>; rel="next"`);
      response.end(record(1));
    };
    await expect(load()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('leads back'),
    });
  });

  it('fails where a query has no hit', async () => {
    answer = (_request, response) => response.setHeader('x-total-results', '0').end();
    await expect(load()).rejects.toMatchObject({
      code: 'nothing_loaded',
      message: expect.stringMatching(
        /^None of the 0 rows of the UniProt query .* was kept\. Look at the query/,
      ),
    });
  });

  it('refuses a Link to another host', async () => {
    answer = (_request, response) => {
      response.setHeader('link', '<http://169.254.169.254/latest>; rel="next"');
      response.end(record(1));
    };
    await expect(load()).rejects.toMatchObject({ code: 'address_refused' });
  });

  it('continues after the last stored page when the job restarts', async () => {
    const jobId = randomUUID();
    answer = (request, response, count) => {
      if (count === 2) response.writeHead(404).end();
      else page(request, response);
    };
    const payload = { search_criteria: 'reviewed:true', page_size: size };
    await expect(bench.run(insertProteins, payload, { jobId })).rejects.toMatchObject({
      code: 'fetch_failed',
    });
    expect((await proteinStats(db)).total).toBe(10);
    stub.requests.length = 0;
    answer = (request, response) => page(request, response);
    const result = await bench.run(insertProteins, payload, { jobId });
    expect(stub.requests.map((one) => new URL(one, stub.url).searchParams.get('cursor'))).toEqual([
      '10',
      '20',
    ]);
    expect(result).toMatchObject({ retrieved_records: total, proteins_inserted: total, pages: 3 });
    expect(bench.events.map((one) => one.event)).toContain('uniprot.resumed');
    stub.requests.length = 0;
    await bench.run(insertProteins, payload, { jobId });
    expect(stub.requests).toHaveLength(3);
  });

  it('restarts when a release is published in the middle, and gives up when that repeats', async () => {
    answer = (request, response, count) => {
      response.setHeader('x-uniprot-release', count < 3 ? '2025_03' : '2025_04');
      page(request, response);
    };
    expect(await load()).toMatchObject({
      retrieved_records: total,
      proteins_unchanged: 20,
      proteins_inserted: 5,
    });
    expect((await proteinStats(db)).total).toBe(total);
    expect(bench.events.filter((one) => one.event === 'uniprot.release_changed')).toMatchObject([
      { level: 'warning', fields: { from: '2025_03', to: '2025_04', page: 3 } },
    ]);
    stub.requests.length = 0;
    answer = (request, response, count) => {
      response.setHeader('x-uniprot-release', String(count));
      page(request, response);
    };
    await expect(load()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('changed from release'),
    });
  });

  it('detects a lost page when another comes twice', async () => {
    answer = (request, response, count) => {
      // The second request is answered with the first page and the Link of the second.
      if (count === 2) {
        response.setHeader('x-total-results', String(total));
        response.setHeader('link', `<${stub.url}/search?cursor=20&size=${size}>; rel="next"`);
        response.end(Array.from({ length: size }, (_, i) => record(i)).join(''));
      } else page(request, response);
    };
    await expect(load()).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(bench.events.find((one) => one.event === 'uniprot.repeated_records')?.fields).toEqual({
      page: 2,
      records: size,
    });
    expect((await proteinStats(db)).total).toBe(15);
  });

  it('stops at the limit without further requests', async () => {
    answer = (request, response) => page(request, response);
    expect(await load({ total_limit: 12 })).toMatchObject({ retrieved_records: 12, proteins_inserted: 12 });
    expect(stub.requests).toHaveLength(2);
  });
});
