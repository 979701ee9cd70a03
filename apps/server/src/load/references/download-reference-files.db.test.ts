import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { readFasta } from '@kindred/kernels/formats';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { findReferenceFile } from '../../store/references/reference-files.repository.js';
import { loadingBench } from '../../testing/loading-context.js';
import { metalinkOf, type PublishedWorld, startPublishedStub } from '../../testing/published-stub.js';
import type { StubServer } from '../../testing/stub-server.js';
import { tarOf } from '../../testing/tar.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { downloadReferenceFiles } from './download-reference-files.js';
import { planReferenceDownload } from './plan-reference-download.js';
import { inMetalink } from './published-files.js';

let database: TestDatabase;
let db: Database;
let stub: StubServer;
let folder: string;
let artifacts: ArtifactStore;
const world: PublishedWorld = { files: {}, release: '' };

const searched = Array.from({ length: 1203 }, (_, n) => ({
  accession: `P${10_000 + n}`,
  entryName: `N${n}_ECOLI`,
  name: `Protein ${n}`,
  sequence: `MA${'CDEFGHIKLM'.repeat(1 + (n % 5))}`,
}));
const sprot = gzipSync('>sp|P00001|A_HUMAN A OS=Homo sapiens OX=9606\nMKT\n');
const archive = gzipSync(tarOf({ README: Buffer.from('x'), 'uniprot_sprot.fasta.gz': sprot }));
const files: Record<string, Buffer> = {
  '/goa/old/UNIPROT/goa_uniprot_all.gaf.212.gz': gzipSync('!gaf-version: 2.2\n'),
  '/go/ontology/go-basic.obo': Buffer.from('format-version: 1.2\ndata-version: releases/2024-09-08\n'),
  '/releases/2022-11-03/ontology/go-basic.obo': Buffer.from('data-version: releases/2022-11-03\n'),
  '/goa/proteomes/proteome2taxid': Buffer.from(
    'Homo sapiens\t9606\t25.H_sapiens.goa\nEscherichia coli (strain K12)\t83333\t18.E_coli_MG1655.goa\n',
  ),
  '/goa/proteomes/18.E_coli_MG1655.goa': Buffer.from(`!gaf-version: 2.2\n${'row\n'.repeat(20_000)}`),
  '/goa/UNIPROT/goa_uniprot_all.gaf.gz': gzipSync('!gaf-version: 2.2\n'),
  '/goa/external2go/interpro2go': Buffer.from('!date: 2024/09/11\n'),
  '/src/taxon_constraints/only_in_taxon.tsv': Buffer.from('only'),
  '/src/taxon_constraints/never_in_taxon.tsv': Buffer.from('never'),
  '/src/ontology/imports/go-taxon-groupings.obo': Buffer.from('unions'),
  '/uniprot/current_release/knowledgebase/complete/uniprot_sprot.fasta.gz': sprot,
  '/uniprot/current_release/knowledgebase/complete/RELEASE.metalink': metalinkOf('2024_05', {
    'uniprot_sprot.dat.gz': Buffer.from('dat'),
    'uniprot_sprot.fasta.gz': sprot,
  }),
  '/uniprot/previous_releases/release-2022_04/knowledgebase/RELEASE.metalink': metalinkOf('2022_04', {
    'uniprot_sprot-only2022_04.tar.gz': archive,
  }),
  '/uniprot/previous_releases/release-2022_04/knowledgebase/uniprot_sprot-only2022_04.tar.gz': archive,
};

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  stub = await startPublishedStub(world);
});
afterAll(async () => {
  await stub.close();
  await closeDatabase(db);
  await database.close();
});
beforeEach(async () => {
  Object.assign(world, {
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { bytes }])),
    searches: { 'proteome:UP000000625': searched, 'taxonomy_id:562': searched },
    proteomes: { UP000000625: { taxonId: 83333 } },
    release: '2024_05',
    fault: undefined,
  });
  stub.requests.length = 0;
  folder = await mkdtemp(join(tmpdir(), 'kindred-downloads-'));
  artifacts = createLocalArtifacts(join(folder, 'artifacts'));
});
afterEach(async () => {
  await sql`truncate reference_download, reference_file`.execute(db);
  await rm(folder, { recursive: true });
});

const bench = () =>
  loadingBench(db, { allowedHosts: [stub.host], cacheDir: folder, services: { artifacts } });
const plan = async (selections: string[], releases = {}, vectors = false) => {
  const addresses = {
    uniprot_rest: `${stub.url}/rest`,
    uniprot_files: `${stub.url}/uniprot`,
    goa: `${stub.url}/goa`,
    go_current: `${stub.url}/go`,
    go_releases: `${stub.url}/releases`,
    go_sources: `${stub.url}/src`,
  };
  const { files: planned } = await bench().run(planReferenceDownload, {
    selections,
    releases,
    addresses,
    vectors,
  });
  return planned as PublishedFile[];
};
const download = async (planned: PublishedFile[]) =>
  (await bench().run(downloadReferenceFiles, { files: planned })).files as PublishedFile[];
const stored = async (sha256: string | null) => {
  const row = await findReferenceFile(db, sha256 as string);
  if (row === undefined) return null;
  const chunks: Uint8Array[] = [];
  for await (const chunk of artifacts.get(row.uri)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
const pathOf = ({ url }: PublishedFile) => new URL(url).pathname;
const nothingIsVisible = async () => {
  const rows = await sql<{ n: string }>`select (select count(*) from reference_download)
    + (select count(*) from reference_file) as n`.execute(db);
  expect(Number(rows.rows[0].n)).toBe(0);
};

describe('plan and download', () => {
  it('plans no taxon constraints where their server has not all of them', async () => {
    delete world.files['/src/ontology/imports/go-taxon-groupings.obo'];
    const planned = await plan(['proteome:UP000000625']);
    expect(planned.map(({ kind }) => kind)).toEqual([
      'ontology',
      'proteins',
      'annotations',
      'interpro_mapping',
    ]);
  });

  it('finds the files of a proteome, gets them once, and knows them as long as they are the same', async () => {
    const planned = await plan(['proteome:UP000000625']);
    expect(planned.map((file) => [file.kind, pathOf(file), file.size_bytes, file.proteins])).toEqual([
      ['ontology', '/go/ontology/go-basic.obo', files['/go/ontology/go-basic.obo'].length, null],
      ['proteins', '/rest/uniprotkb/search', null, 1203],
      ['annotations', '/goa/proteomes/18.E_coli_MG1655.goa', 80_018, null],
      ['interpro_mapping', '/goa/external2go/interpro2go', 18, null],
      ['taxon_constraints', '/src/taxon_constraints/only_in_taxon.tsv', 4, null],
      ['taxon_constraints', '/src/taxon_constraints/never_in_taxon.tsv', 5, null],
      ['taxon_constraints', '/src/ontology/imports/go-taxon-groupings.obo', 6, null],
    ]);
    expect(planned.every(({ sha256, licence }) => sha256 === null && licence !== '')).toBe(true);
    const got = await download(planned);
    expect((await stored(got[2].sha256))?.equals(files['/goa/proteomes/18.E_coli_MG1655.goa'])).toBe(true);
    expect(await proteinsIn(await stored(got[1].sha256))).toEqual(
      searched.map(({ accession, sequence }) => [accession, sequence, 83333]),
    );
    expect(await readdir(join(folder, 'downloads'))).toEqual([]);

    stub.requests.length = 0;
    const again = await plan(['proteome:UP000000625']);
    expect(again.map(({ sha256 }) => sha256)).toEqual(got.map(({ sha256 }) => sha256));
    const asked = stub.requests.length;
    expect((await download(again)).map(({ sha256 }) => sha256)).toEqual(got.map(({ sha256 }) => sha256));
    expect(stub.requests).toHaveLength(asked);

    world.files['/goa/external2go/interpro2go'] = { bytes: Buffer.from('!date: 2024/10/11\n') };
    const newer = await plan(['proteome:UP000000625']);
    expect(newer.slice(0, 4).map(({ sha256 }) => sha256 === null)).toEqual([false, false, false, true]);
  });

  it('names the vectors that UniProt publishes of Swiss-Prot and of a proteome', async () => {
    const folder = '/uniprot/current_release/knowledgebase/embeddings';
    const paths = ['uniprot_sprot', 'UP000000625_83333'].map((name) => `${folder}/${name}/per-protein.h5`);
    for (const path of paths) world.files[path] = { bytes: Buffer.from(path) };
    const planned = await plan(['swissprot', 'proteome:UP000000625'], {}, true);
    expect(planned.filter(({ kind }) => kind === 'vectors').map(pathOf)).toEqual(paths);
    await expect(plan(['taxon:562'], { goa: '212' }, true)).rejects.toThrow(
      'for swissprot and for proteomes',
    );
  });

  it('takes Swiss-Prot with the checksum of its release, today and out of an older archive', async () => {
    const [, current, annotations] = await plan(['swissprot']);
    expect(current).toMatchObject({
      md5: createHash('md5').update(sprot).digest('hex'),
      release: '2024_05',
      size_bytes: sprot.length,
    });
    expect(pathOf(annotations)).toBe('/goa/UNIPROT/goa_uniprot_all.gaf.gz');
    const planned = await plan(['swissprot'], { uniprot: '2022_04', go: '2022-11-03' });
    const [ontology, older] = await download(planned.slice(0, 2));
    expect([pathOf(ontology), older.release]).toEqual([
      '/releases/2022-11-03/ontology/go-basic.obo',
      '2022_04',
    ]);
    expect((await stored(older.sha256))?.equals(sprot)).toBe(true);
  });

  it('says what to do where GOA or UniProt does not have it', async () => {
    await expect(plan(['taxon:562'])).rejects.toThrow(/no file of its own for taxon 562.*build from files/);
    await expect(plan(['taxon:7'])).rejects.toThrow('UniProt has no proteins of taxon:7');
    await expect(plan(['taxon:562'], { uniprot: '2022_04' })).rejects.toThrow('take swissprot instead');
    expect(() => inMetalink('<metalink/>', 'a', 'http://x')).toThrow('does not list a');
  });
});

async function proteinsIn(bytes: Buffer | null): Promise<unknown[]> {
  const found: unknown[] = [];
  const chunks = (async function* () {
    yield bytes as Uint8Array;
  })();
  for await (const { records } of readFasta(chunks))
    for (const { accession, sequence, taxonId } of records) found.push([accession, sequence, taxonId]);
  return found;
}

describe('a download that is disturbed', () => {
  it('shows nothing of a file with another checksum than its release publishes', async () => {
    const [, file] = await plan(['swissprot']);
    await expect(download([{ ...file, md5: '0'.repeat(32) }])).rejects.toMatchObject({
      code: 'bad_file',
      message: expect.stringContaining('Run the same command again'),
    });
    await nothingIsVisible();
    expect(await readdir(join(folder, 'downloads'))).toEqual([]);
  });

  it('goes on with a search after the pages that came, and with none of a page that did not', async () => {
    const [, file] = await plan(['proteome:UP000000625']);
    stub.requests.length = 0;
    world.fault = (request, response) => {
      if (!request.url?.includes('cursor=1000')) return false;
      response.writeHead(404).end();
      return true;
    };
    await expect(download([file])).rejects.toMatchObject({ code: 'fetch_failed' });
    await nothingIsVisible();
    world.fault = undefined;
    stub.requests.length = 0;
    const [got] = await download([file]);
    expect(stub.requests).toEqual([expect.stringContaining('cursor=1000')]);
    expect(await proteinsIn(await stored(got.sha256))).toHaveLength(1203);
  });

  it('begins a search again when UniProt publishes a release in the middle', async () => {
    const [, file] = await plan(['proteome:UP000000625']);
    const newer = searched.map((protein) => ({ ...protein, sequence: `${protein.sequence}W` }));
    world.fault = (request) => {
      if (request.url?.includes('cursor=500')) {
        world.release = '2024_06';
        world.searches = { 'proteome:UP000000625': newer };
      }
      return false;
    };
    const [got] = await download([file]);
    expect(got.release).toBe('2024_06');
    const found = (await proteinsIn(await stored(got.sha256))) as [string, string][];
    expect(found.map(([, sequence]) => sequence)).toEqual(newer.map(({ sequence }) => sequence));
    expect((await plan(['proteome:UP000000625']))[1].sha256).toBe(got.sha256);
  });

  it('refuses a file that changed after its size was asked, and keeps the others', async () => {
    const planned = await plan(['proteome:UP000000625']);
    world.files['/goa/proteomes/18.E_coli_MG1655.goa'] = { bytes: Buffer.from('!gaf-version: 2.2\nnew\n') };
    await expect(download(planned)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Run the same command again'),
    });
    const again = await plan(['proteome:UP000000625']);
    expect(again.slice(0, 4).map(({ sha256 }) => sha256 === null)).toEqual([false, false, true, true]);
    expect((await download(again)).every(({ sha256 }) => sha256 !== null)).toBe(true);
  });

  it('keeps what came when the disk of the store is full, and stores it when there is room', async () => {
    const [, , file] = await plan(['proteome:UP000000625']);
    const working = artifacts;
    artifacts = {
      ...working,
      put: async (_key, bytes) => {
        for await (const _ of bytes as AsyncIterable<Uint8Array>) break;
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      },
    };
    await expect(download([file])).rejects.toMatchObject({ code: 'ENOSPC' });
    await nothingIsVisible();
    artifacts = working;
    stub.requests.length = 0;
    const [got] = await download([file]);
    expect(stub.requests).toEqual([]);
    expect((await stored(got.sha256))?.length).toBe(80_018);
  });
});
