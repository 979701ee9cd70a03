import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { type LoadingBench, loadingBench } from '../testing/loading-context.js';
import { startStubServer, type StubServer } from '../testing/stub-server.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { insertProteins } from './insert-proteins.js';
import { loadGoaAnnotations } from './load-goa-annotations.js';
import { loadInterproGoMapping } from './load-interpro-go-mapping.js';
import { loadOntologySnapshot } from './load-ontology-snapshot.js';

let database: TestDatabase;
let db: Database;
let folder: string;
let stub: StubServer;
let bench: LoadingBench;
let snapshotId: string;
/** `content` is the file on the server, and `sent` counts how often it was sent in full. */
let content: string;
let sent: number;
let withEtag: boolean;

const row = (accession: string, goId = 'GO:0008150') =>
  `UniProtKB\t${accession}\tS\tinvolved_in\t${goId}\tPMID:1\tIDA\t\tP\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n`;
const etagOf = (text: string) => `"${createHash('md5').update(text).digest('hex')}"`;
const isCurrent = (request: IncomingMessage) => request.headers['if-none-match'] === etagOf(content);

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  folder = await mkdtemp(join(tmpdir(), 'kindred-unchanged-'));
  stub = await startStubServer((request, response) => {
    if (withEtag) response.setHeader('etag', etagOf(content));
    if (withEtag && isCurrent(request)) {
      response.writeHead(304).end();
      return;
    }
    sent++;
    response.end(content);
  });
  bench = loadingBench(db, { importDirs: [folder], allowedHosts: [stub.host] });
  const term = '[Term]\nid: GO:0008150\nname: biological_process\nnamespace: biological_process\n';
  await writeFile(join(folder, 'a.obo'), `data-version: u1\n\n${term}`);
  await writeFile(join(folder, 'a.fasta'), '>P1\nMKT\n>P2\nMKV\n');
  await bench.run(insertProteins, { fasta_url: pathToFileURL(join(folder, 'a.fasta')).href });
  const obo_url = pathToFileURL(join(folder, 'a.obo')).href;
  snapshotId = (await bench.run(loadOntologySnapshot, { obo_url })).ontology_snapshot_id as string;
});
afterAll(async () => {
  await stub.close();
  await rm(folder, { recursive: true });
  await closeDatabase(db);
  await database.close();
});
beforeEach(() => {
  sent = 0;
  withEtag = true;
});
const events = () => bench.events.map((one) => one.event);

describe('a release that did not change', () => {
  it('of annotations is not sent again', async () => {
    content = row('P1') + row('P2');
    const load = () =>
      bench.run(loadGoaAnnotations, {
        gaf_url: `${stub.url}/a.gaf`,
        ontology_snapshot_id: snapshotId,
        source_version: 'v1',
      });
    expect(await load()).toMatchObject({ skipped: false, annotations_inserted: 2 });
    expect(await load()).toMatchObject({ skipped: true, annotation_count: 2 });
    expect(sent).toBe(1);
    expect(events()).toContain('load_goa_annotations.not_modified');
    content = row('P1');
    await expect(load()).rejects.toMatchObject({ code: 'conflict' });
    content = row('P1') + row('P2');
    withEtag = false;
    sent = 0;
    expect(await load()).toMatchObject({ skipped: true });
    expect(events()).not.toContain('load_goa_annotations.not_modified');
    expect(sent).toBeGreaterThan(0);
  });

  it('of the InterPro mapping is not sent again', async () => {
    content = 'InterPro:IPR000001 a > GO:b ; GO:0008150\n';
    const load = () =>
      bench.run(loadInterproGoMapping, { mapping_url: `${stub.url}/interpro2go`, source_version: 'm1' });
    expect(await load()).toMatchObject({ skipped: false, rows_inserted: 1 });
    expect(await load()).toMatchObject({ skipped: true, rows_inserted: 0, entries: 1 });
    expect(sent).toBe(1);
    content += 'InterPro:IPR000002 a > GO:b ; GO:0008150\n';
    await expect(load()).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('is not assumed when a server sends 304 to an unconditional request', async () => {
    const liar = await startStubServer((_request, response) => response.writeHead(304).end());
    try {
      const other = loadingBench(db, { allowedHosts: [liar.host] });
      await expect(
        other.run(loadInterproGoMapping, { mapping_url: `${liar.url}/x`, source_version: 'm2' }),
      ).rejects.toMatchObject({ code: 'fetch_failed' });
    } finally {
      await liar.close();
    }
  });
});
