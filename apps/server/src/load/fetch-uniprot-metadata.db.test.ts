import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { findProtein } from '../store/proteins/proteins.repository.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { startStubServer, type StubServer } from '../testing/stub-server.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { startPage, uniprotAt } from '../testing/uniprot-stub.js';
import { fetchUniprotMetadata } from './fetch-uniprot-metadata.js';

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
  await sql`insert into sequence (sequence, sequence_md5, length) values ('MK', 'a', 2)`.execute(db);
  await sql`insert into protein (accession, canonical_accession, isoform_index, length, sequence_id, gene_name)
    select a, c, i, 2, s.id, g from (values ('P10000', 'P10000', null::int, null), ('P10000-2', 'P10000', 2, null),
      ('P10001', 'P10001', null, 'kept')) v (a, c, i, g), sequence s`.execute(db);
});
afterAll(async () => {
  await stub.close();
  await closeDatabase(db);
  await database.close();
});
afterEach(async () => {
  stub.requests.length = 0;
  await sql`truncate protein_metadata`.execute(db);
});

const headers =
  'Entry\tReviewed\tEntry Name\tProtein names\tGene Names\tOrganism\tAbsorption\tActive site\tBinding site\tCatalytic activity\tCofactor\tDNA binding\tEC number\tActivity regulation\tFunction [CC]\tPathway\tKinetics\tpH dependence\tRedox potential\tRhea ID\tSite\tTemperature dependence\tKeywords\tFeatures';
const total = 25;
const size = 10;
const row = (n: number, text = `FUNCTION: Does ${n}.`) =>
  `P${10_000 + n}\treviewed\tN${n}_ECOLI\tProtein ${n}\tg${n} b000${n}\tEscherichia coli\t\t\t\t\t\t\t1.1.1.${n}\t\t${text}\t\t\t\t\t\t\t\tKinase;ATP-binding\tChain (1)`;

function page(request: IncomingMessage, response: ServerResponse, rows: (n: number) => string = row): void {
  const { start, end } = startPage(request, response, { url: stub.url, size, total });
  response.setHeader('x-uniprot-release', '2025_03');
  const lines = Array.from({ length: end - start }, (_, i) => rows(start + i));
  response.setHeader('content-encoding', 'gzip').end(gzipSync(`${headers}\n${lines.join('\n')}\n`));
}

const payload = { search_criteria: 'organism_id:83333', page_size: size };
const run = (more = {}, options = {}) => bench.run(fetchUniprotMetadata, { ...payload, ...more }, options);
const count = async () =>
  (await sql<{ n: number }>`select count(*) as n from protein_metadata`.execute(db)).rows[0].n;

describe('fetch_uniprot_metadata', () => {
  it('stores what UniProt knows, shared by isoforms, and fills names that are missing', async () => {
    answer = (request, response) => page(request, response);
    expect(await run()).toMatchObject({
      pages: 3,
      rows: total,
      metadata_upserted: total,
      proteins_in_database: 2,
      proteins_touched: 2,
      bad_records: 0,
      uniprot_release: '2025_03',
    });
    const asked = new URL(stub.requests[0], stub.url).searchParams;
    expect(asked.get('format')).toBe('tsv');
    expect(asked.get('fields')?.split(',')).toEqual(
      expect.arrayContaining(['accession', 'cc_function', 'rhea']),
    );
    const isoform = await findProtein(db, 'P10000-2');
    expect(isoform?.metadata).toMatchObject({
      function_cc: 'FUNCTION: Does 0.',
      ec_number: '1.1.1.0',
      keywords: 'Kinase;ATP-binding',
      kinetics: null,
    });
    expect(await findProtein(db, 'P10000')).toMatchObject({ gene_name: 'g0', entry_name: 'N0_ECOLI' });
    expect(await findProtein(db, 'P10001')).toMatchObject({
      gene_name: 'kept',
      organism: 'Escherichia coli',
    });
  });

  it('writes only what changed', async () => {
    answer = (request, response) => page(request, response);
    await run();
    answer = (request, response) =>
      page(request, response, (n) => (n === 3 ? row(n, 'FUNCTION: New.') : row(n)));
    expect(await run()).toMatchObject({
      metadata_upserted: 1,
      metadata_unchanged: total - 1,
      proteins_touched: 0,
    });
  });

  it('gets through 429, 500, a cut connection and a truncated gzip', async () => {
    answer = (request, response, n) => {
      if (n === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (n === 3) response.writeHead(500).end();
      else if (n === 4) {
        response.writeHead(200, { 'content-length': 5000 });
        response.write(headers, () => response.destroy());
      } else if (n === 6) {
        const packed = gzipSync(`${headers}\n${row(1)}`);
        response.end(packed.subarray(0, packed.length - 12));
      } else page(request, response);
    };
    expect(await run()).toMatchObject({ rows: total, metadata_upserted: total });
    expect(bench.events.filter((one) => one.event === 'http.retry')).toHaveLength(4);
  });

  it('continues after the last stored page when the job restarts', async () => {
    const jobId = randomUUID();
    answer = (request, response, n) => (n === 2 ? response.writeHead(404).end() : page(request, response));
    await expect(run({}, { jobId })).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(await count()).toBe(10);
    stub.requests.length = 0;
    answer = (request, response) => page(request, response);
    expect(await run({}, { jobId })).toMatchObject({ pages: 3, rows: total, metadata_upserted: total });
    expect(stub.requests).toHaveLength(2);
    expect(await count()).toBe(total);
  });

  it('reports rows that cannot be read, and refuses an answer without the columns', async () => {
    answer = (request, response) => page(request, response, (n) => (n === 4 ? 'P10004\tshort' : row(n)));
    expect(await run()).toMatchObject({ rows: total - 1, bad_records: 1 });
    answer = (_request, response) => response.end('Entry\tReviewed\nP1\treviewed\n');
    await expect(run()).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('Absorption'),
    });
  });

  it('stops at the limit, and fails where a query has no hit', async () => {
    answer = (request, response) => page(request, response);
    expect(await run({ total_limit: 12 })).toMatchObject({ rows: 12, metadata_upserted: 12 });
    expect(stub.requests).toHaveLength(2);
    answer = (_request, response) => response.setHeader('x-total-results', '0').end(`${headers}\n`);
    await expect(run()).rejects.toMatchObject({ code: 'nothing_loaded' });
  });
});
