import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { removeAnnotationSet } from '../resources/annotation-sets.js';
import { listAnnotationSets, proteinAnnotations } from '../store/annotations/annotations.repository.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { startStubServer, type StubServer } from '../testing/stub-server.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertProteins } from './insert-proteins.js';
import { loadOntologySnapshot } from './load-ontology-snapshot.js';
import { loadQuickgoAnnotations } from './load-quickgo-annotations.js';

const obo = `data-version: q1

[Term]
id: GO:0008150
name: biological_process
namespace: biological_process
`;
const header =
  'GENE PRODUCT DB\tGENE PRODUCT ID\tSYMBOL\tQUALIFIER\tGO TERM\tGO ASPECT\tECO ID\tGO EVIDENCE CODE\tREFERENCE\tWITH/FROM\tTAXON ID\tASSIGNED BY\tANNOTATION EXTENSION\tDATE\n';
const row = (accession: string, code = 'IDA') =>
  `UniProtKB\t${accession}\tS\tinvolved_in\tGO:0008150\tP\tECO:0000314\t${code}\tPMID:1\t\t9606\tGOC\t\t20240101\n`;

let database: TestDatabase;
let db: Database;
let folder: string;
let snapshotId: string;
let stub: StubServer;
let answer: (request: IncomingMessage, response: ServerResponse, count: number) => void;
/**
 * The source answers `about` with these releases, in order; the last one repeats. If undefined, `about` is
 * missing.
 */
let releases: string[] | undefined;
let bench: LoadingBench;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  folder = await mkdtemp(join(tmpdir(), 'kindred-quickgo-'));
  stub = await startStubServer((request, response) => {
    if (request.url !== '/about') return answer(request, response, downloads().length);
    if (releases === undefined) return response.writeHead(404).end();
    const timestamp = releases.length > 1 ? releases.shift() : releases[0];
    response.end(JSON.stringify({ annotation: { timestamp } }));
  });
  bench = loadingBench(db, { importDirs: [folder], allowedHosts: [stub.host] });
  await writeFile(join(folder, 'a.obo'), obo);
  const accessions = ['A00001', 'A00002', 'A00003', 'A00004', 'P12345', 'P12345-2'];
  await writeFile(
    join(folder, 'a.fasta'),
    accessions.map((one, i) => `>${one}\nAC${'D'.repeat(i)}\n`).join(''),
  );
  await bench.run(insertProteins, { fasta_url: pathToFileURL(join(folder, 'a.fasta')).href });
  const loaded = await bench.run(loadOntologySnapshot, {
    obo_url: pathToFileURL(join(folder, 'a.obo')).href,
  });
  snapshotId = loaded.ontology_snapshot_id as string;
});
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
  await closeDatabase(db);
  await database.close();
});
afterEach(async () => {
  stub.requests.length = 0;
  releases = undefined;
  for (const set of (await listAnnotationSets(db, 100)).rows) await removeAnnotationSet(db, set.id);
  const { rows } = await sql<{ n: number }>`select count(*) as n from annotation_set`.execute(db);
  expect(rows[0].n).toBe(0);
});

const downloads = () => stub.requests.filter((url) => url !== '/about');
const load = (payload: Record<string, unknown> = {}) =>
  bench.run(loadQuickgoAnnotations, {
    ontology_snapshot_id: snapshotId,
    source_version: 'v1',
    quickgo_base_url: `${stub.url}/downloadSearch`,
    gene_product_batch_size: 2,
    ...payload,
  });
const asked = (request: IncomingMessage) =>
  new URL(request.url ?? '', stub.url).searchParams.get('geneProductId')?.split(',') ?? null;
const complete = (request: IncomingMessage, response: ServerResponse) =>
  response.end(header + (asked(request) ?? []).map((one) => row(one)).join(''));

const proteinId = async (accession: string) =>
  (await db.selectFrom('protein').select('id').where('accession', '=', accession).executeTakeFirstOrThrow())
    .id;

describe('load_quickgo_annotations', () => {
  it('asks for the canonical accessions in batches, isoform rows included where QuickGO has them', async () => {
    answer = (request, response) => {
      const extra = asked(request)?.includes('P12345') ? row('P12345-2') + row('X99999') : '';
      response.end(header + (asked(request) ?? []).map((one) => row(one)).join('') + extra);
    };
    const result = await load();
    expect(downloads().map((url) => new URL(url, stub.url).searchParams.get('geneProductId'))).toEqual([
      'A00001,A00002',
      'A00003,A00004',
      'P12345',
    ]);
    expect(downloads()[0]).toContain('geneProductType=protein');
    expect(result).toMatchObject({
      annotations_inserted: 6,
      skipped_not_in_database: 1,
      absent_accessions: ['X99999'],
    });
    const [set] = (await listAnnotationSets(db, 1)).rows;
    expect(set).toMatchObject({
      source: 'quickgo',
      source_version: 'v1',
      annotation_count: 6,
      protein_count: 6,
    });
    expect((await proteinAnnotations(db, await proteinId('P12345-2'), { limit: 5 })).rows[0]).toMatchObject({
      qualifier: 'involved_in',
      evidence_code: 'IDA',
      annotation_date: '20240101',
    });
    expect(bench.events.find((one) => one.event === 'load_quickgo_annotations.batching')?.fields).toEqual({
      total_accessions: 5,
      total_batches: 3,
      batch_size: 2,
    });
  });

  it('changes nothing when the service answers the same again, and refuses when it answers otherwise', async () => {
    answer = complete;
    await load();
    expect(await load()).toMatchObject({ skipped: true, annotation_count: 5 });
    answer = (request, response) =>
      response.end(header + (asked(request) ?? []).map((one) => row(one, 'EXP')).join(''));
    await expect(load()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('gets through 429, 500, a cut connection and a gzip that ends early, each row once', async () => {
    answer = (request, response, count) => {
      if (count === 1) response.writeHead(429, { 'retry-after': '0' }).end();
      else if (count === 2) response.writeHead(500).end();
      else if (count === 3) {
        response.write(header + row('A00001'), () => response.destroy());
      } else if (count === 4) {
        const packed = gzipSync(header + row('A00001') + row('A00002'));
        response.end(packed.subarray(0, packed.length - 9));
      } else complete(request, response);
    };
    expect(await load()).toMatchObject({ annotations_inserted: 5 });
    expect(bench.events.filter((one) => one.event === 'http.retry')).toHaveLength(4);
    const digest = (await listAnnotationSets(db, 1)).rows[0].content_sha256;
    await removeAnnotationSet(db, (await listAnnotationSets(db, 1)).rows[0].id);
    answer = complete;
    await load();
    expect((await listAnnotationSets(db, 1)).rows[0].content_sha256).toBe(digest);
  });

  it('restarts when the release changes in the middle, so that the set holds one release', async () => {
    releases = ['2026-10-01 10:00', '2026-11-01 10:00'];
    answer = (request, response) => {
      // The first batch still has the content of the previous release.
      const code = downloads().length === 1 ? 'IMP' : 'IDA';
      response.end(header + (asked(request) ?? []).map((one) => row(one, code)).join(''));
    };
    expect(await load()).toMatchObject({ annotations_inserted: 5, total_lines_read: 8 });
    const [set] = (await listAnnotationSets(db, 1)).rows;
    expect(set.statistics.by_evidence_code).toEqual({ IDA: 5 });
    expect(set.meta).toMatchObject({ release: '2026-11-01 10:00' });
    expect(bench.events.filter((one) => one.event.endsWith('.release_changed'))).toMatchObject([
      { level: 'warning', fields: { from: '2026-10-01 10:00', to: '2026-11-01 10:00', restarts: 1 } },
    ]);
    expect(downloads()).toHaveLength(6);
  });

  it('gives up, and leaves nothing, when the release changes each time', async () => {
    releases = ['1', '2', '3', '4', '5', '6'];
    answer = complete;
    await expect(load()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringMatching(/changed from release 5 to 6 .*run the job again later/),
    });
  });

  it('reads nothing again where the release is the one of the set and the question is the same', async () => {
    releases = ['2026-10-01 10:00'];
    answer = complete;
    await load();
    stub.requests.length = 0;
    expect(await load({ timeout_seconds: 7 })).toMatchObject({ skipped: true, annotation_count: 5 });
    expect(stub.requests).toEqual(['/about']);
    expect(await load({ gene_product_ids: ['A00001'] }).catch((error) => error)).toMatchObject({
      code: 'conflict',
    });
    releases = ['2026-11-01 10:00'];
    stub.requests.length = 0;
    expect(await load()).toMatchObject({ skipped: true });
    expect(downloads()).toHaveLength(3);
  });

  it('says that the release is unknown where the service does not name it', async () => {
    answer = complete;
    await load();
    expect(bench.events.filter((one) => one.event.endsWith('.release_unknown'))).toMatchObject([
      { level: 'warning', fields: { url: `${stub.url}/about`, reason: expect.stringContaining('404') } },
    ]);
  });

  it('leaves nothing when the service stays broken', async () => {
    answer = (request, response) => {
      if (asked(request)?.includes('A00001')) complete(request, response);
      else response.writeHead(503).end();
    };
    await expect(load()).rejects.toMatchObject({
      code: 'fetch_failed',
      message: expect.stringContaining('503'),
    });
  });

  it('refuses an answer of another kind', async () => {
    answer = (_request, response) => response.end('<html>maintenance</html>\n');
    await expect(load()).rejects.toMatchObject({ code: 'bad_file' });
  });

  it('maps ECO ids where a row has no code', async () => {
    const mapping = '/eco.txt';
    answer = (request, response) => {
      if (request.url === mapping) response.end('ECO:0000314\tDefault\tIMP\n');
      else response.end(header + row(asked(request)?.[0] ?? '', ''));
    };
    await load({ gene_product_ids: ['A00001'], eco_mapping_url: `${stub.url}${mapping}` });
    const [set] = (await listAnnotationSets(db, 1)).rows;
    expect(set.statistics.by_evidence_code).toEqual({ IMP: 1 });
    await removeAnnotationSet(db, set.id);
    await load({ gene_product_ids: ['A00001'] });
    expect((await listAnnotationSets(db, 1)).rows[0].statistics.by_evidence_code).toEqual({ IDA: 1 });
  });

  it('asks only for the named gene products, or for everything, and stops at the limit', async () => {
    answer = complete;
    expect(await load({ gene_product_ids: ['A00002', 'P12345-2'] })).toMatchObject({
      annotations_inserted: 2,
    });
    answer = (request, response) => {
      expect(asked(request)).toBeNull();
      response.end(header + row('A00001') + row('A00003') + row('A00004'));
    };
    const everything = { use_db_accessions: false, source_version: 'all' };
    expect(await load({ ...everything, total_limit: 2 })).toMatchObject({ annotations_inserted: 2 });
  });

  it('stops at the limit over several downloads', async () => {
    answer = complete;
    expect(await load({ total_limit: 3 })).toMatchObject({ annotations_inserted: 3 });
    expect(downloads()).toHaveLength(2);
  });

  it('asks again where a batch is answered with the rows of another, and loses and doubles nothing', async () => {
    const idsOf = (request: IncomingMessage) =>
      new URL(request.url ?? '', stub.url).searchParams.get('geneProductId')?.split(',') ?? [];
    let first: string[] = [];
    let repeated = 0;
    answer = (request, response) => {
      const ids = idsOf(request);
      if (first.length === 0) first = ids;
      const wrong = ids[0] !== first[0] && repeated++ === 0;
      response.end(header + (wrong ? first : ids).map((id) => row(id)).join(''));
    };
    stub.requests.length = 0;
    const result = await bench.run(loadQuickgoAnnotations, {
      quickgo_base_url: `${stub.url}/download`,
      ontology_snapshot_id: snapshotId,
      source_version: 'repeated',
      gene_product_batch_size: 2,
    });
    expect(result).toMatchObject({ annotations_inserted: 5, annotations_skipped: 0 });
    expect(downloads()).toHaveLength(4);
    expect(bench.events.find((one) => one.event.endsWith('.other_rows'))?.level).toBe('warning');
  });
});
