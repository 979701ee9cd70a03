import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PublishedFile } from '@kindred/contracts/resources/reference-downloads';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { loadingBench } from '../../testing/loading-context.js';
import { metalinkOf, type PublishedWorld, startPublishedStub } from '../../testing/published-stub.js';
import type { StubServer } from '../../testing/stub-server.js';
import { tarOf } from '../../testing/tar.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { downloadReferenceFiles } from './download-reference-files.js';
import { identityOf, planReferenceDownload } from './plan-reference-download.js';

/**
 * The tests disturb every request that the sources of a reference need, in every way, one after the other.
 */
let database: TestDatabase;
let db: Database;
let stub: StubServer;
let root: string;
let folder: string;
const world: PublishedWorld = { files: {}, release: '' };

const sprot = gzipSync('>sp|P00001|A_HUMAN A OS=Homo sapiens OX=9606\nMKT\n');
const archive = gzipSync(tarOf({ README: Buffer.from('x'), 'uniprot_sprot.fasta.gz': sprot }));
const knowledgebase = '/uniprot/current_release/knowledgebase';
const older = '/uniprot/previous_releases/release-2022_04/knowledgebase';
const files: Record<string, Buffer> = {
  '/go/ontology/go-basic.obo': Buffer.from('format-version: 1.2\ndata-version: releases/2024-09-08\n'),
  '/releases/2022-11-03/ontology/go-basic.obo': Buffer.from('data-version: releases/2022-11-03\n'),
  '/goa/proteomes/proteome2taxid': Buffer.from('Escherichia coli\t83333\t18.E_coli_MG1655.goa\n'),
  '/goa/proteomes/18.E_coli_MG1655.goa': Buffer.from(`!gaf-version: 2.2\n${'row\n'.repeat(2000)}`),
  '/goa/UNIPROT/goa_uniprot_all.gaf.gz': gzipSync('!gaf-version: 2.2\n'),
  '/goa/old/UNIPROT/goa_uniprot_all.gaf.212.gz': gzipSync('!gaf-version: 2.2\n!older\n'),
  '/goa/external2go/interpro2go': Buffer.from('!date: 2024/09/10\n'),
  [`${knowledgebase}/complete/uniprot_sprot.fasta.gz`]: sprot,
  [`${knowledgebase}/complete/RELEASE.metalink`]: metalinkOf('2024_05', { 'uniprot_sprot.fasta.gz': sprot }),
  [`${knowledgebase}/embeddings/UP000000625_83333/per-protein.h5`]: Buffer.from('vectors of a proteome'),
  [`${knowledgebase}/embeddings/uniprot_sprot/per-protein.h5`]: Buffer.from('vectors of Swiss-Prot'),
  [`${older}/uniprot_sprot-only2022_04.tar.gz`]: archive,
  [`${older}/RELEASE.metalink`]: metalinkOf('2022_04', { 'uniprot_sprot-only2022_04.tar.gz': archive }),
};
const searched = Array.from({ length: 1203 }, (_, n) => ({
  accession: `P${10_000 + n}`,
  entryName: `N${n}_ECOLI`,
  name: `Protein ${n}`,
  sequence: `MA${'CDEFGHIKLM'.repeat(1 + (n % 5))}`,
}));

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 5);
  stub = await startPublishedStub(world);
  root = await mkdtemp(join(tmpdir(), 'kindred-download-faults-'));
});
afterAll(async () => {
  await stub.close();
  await closeDatabase(db);
  await database.close();
  await rm(root, { recursive: true });
});
beforeEach(fresh);

/** Resets the servers, and gives a service that has downloaded nothing. */
async function fresh(): Promise<void> {
  Object.assign(world, {
    files: Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, { bytes }])),
    searches: { 'proteome:UP000000625': searched },
    proteomes: { UP000000625: { taxonId: 83333 } },
    release: '2024_05',
    fault: undefined,
  });
  stub.requests.length = 0;
  folder = await mkdtemp(join(root, 'service-'));
  await sql`truncate reference_download, reference_file`.execute(db);
}

const bench = () =>
  loadingBench(db, {
    allowedHosts: [stub.host],
    cacheDir: folder,
    services: { artifacts: createLocalArtifacts(join(folder, 'artifacts')) },
  });
interface Chosen {
  selections: string[];
  releases?: object;
  vectors?: boolean;
}
const plan = async (chosen: Chosen) => {
  const addresses = {
    uniprot_rest: `${stub.url}/rest`,
    uniprot_files: `${stub.url}/uniprot`,
    goa: `${stub.url}/goa`,
    go_current: `${stub.url}/go`,
    go_releases: `${stub.url}/releases`,
  };
  return (await bench().run(planReferenceDownload, { ...chosen, addresses })).files as PublishedFile[];
};
const download = async (planned: PublishedFile[]) =>
  (await bench().run(downloadReferenceFiles, { files: planned })).files as PublishedFile[];
const digests = (got: readonly PublishedFile[]) => got.map(({ file_name, sha256 }) => [file_name, sha256]);
const all = async (chosen: Chosen) => digests(await download(await plan(chosen)));

/**
 * Lists the files of the store and of the database, which must be the same: any difference is half a file.
 */
async function visible(): Promise<string[]> {
  const { rows } = await sql<{ sha256: string }>`select sha256 from reference_file
    where sha256 in (select sha256 from reference_download) order by 1`.execute(db);
  const { rows: both } = await sql<{ n: number }>`select count(*)::int as n from reference_file`.execute(db);
  expect(both[0].n).toBe(rows.length);
  return rows.map(({ sha256 }) => sha256);
}

type Disturb = (response: ServerResponse) => boolean;
const answers =
  (status: number, headers = {}): Disturb =>
  (response) => {
    response.writeHead(status, headers).end();
    return true;
  };
/** The connection ends after half of the answer. */
const cut: Disturb = (response) => {
  response.end = ((body: string | Buffer = '') => {
    const bytes = Buffer.from(body as string);
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
    return response;
  }) as ServerResponse['end'];
  return false;
};
const passing: Record<string, Disturb> = {
  'a 429': answers(429, { 'retry-after': '0' }),
  'a 500': answers(500),
  'a cut connection': cut,
};

const selections: [string, Chosen, number][] = [
  ['a proteome with its vectors', { selections: ['proteome:UP000000625'], vectors: true }, 14],
  ['Swiss-Prot with its vectors', { selections: ['swissprot'], vectors: true }, 11],
  [
    'an older Swiss-Prot',
    { selections: ['swissprot'], releases: { uniprot: '2022_04', go: '2022-11-03', goa: '212' } },
    9,
  ],
];

describe.each(selections)('%s', (_name, chosen, requests) => {
  it('comes the same after each disturbance of each request', async () => {
    const expected = await all(chosen);
    const asked = stub.requests.length;
    expect(asked).toBe(requests);
    for (const [fault, disturb] of Object.entries(passing))
      for (let at = 1; at <= asked; at++) {
        await fresh();
        world.fault = (_request, response, count) => count === at && disturb(response);
        const found = await all(chosen).catch((error: Error) => error);
        expect(found, `${fault} of request ${at}, ${stub.requests[at - 1]}`).toEqual(expected);
        // The header says how many proteins a search finds, so half of that answer is enough.
        const isEnough = fault === 'a cut connection' && stub.requests[at - 1].includes('size=1&');
        if (!isEnough) expect(stub.requests.length, `${fault} of request ${at}`).toBeGreaterThan(asked);
      }
  });

  it('shows nothing half where a server stays broken, and goes on where it is mended', async () => {
    const expected = await all(chosen);
    const asked = [...stub.requests];
    for (const [at, request] of asked.entries()) {
      await fresh();
      world.fault = (_request, response, count) => count > at && answers(500)(response);
      const error = await all(chosen).catch((failure: Error) => failure);
      expect(error, request).toMatchObject({ code: 'fetch_failed' });
      expect((error as Error).message).toContain(new URL(request, stub.url).pathname);
      const known = expected.map(([, sha256]) => sha256);
      expect(known).toEqual(expect.arrayContaining(await visible()));
      world.fault = undefined;
      expect(await all(chosen), request).toEqual(expected);
    }
  });

  it('never mixes what changed in the middle, and takes the new state at the next call', async () => {
    const planned = await plan(chosen);
    for (const file of planned.filter(({ query }) => query === null)) {
      await fresh();
      const path = new URL(file.url).pathname;
      const newer = changed(path);
      world.fault = (request, response, count) => {
        // The break comes after the sizes were requested and half of the file came.
        if (request.url !== path || request.headers.range === 'bytes=0-0') return false;
        if (world.files[path].bytes === newer) return false;
        cut(response);
        setImmediate(() => Object.assign(world.files, stateWith(path, newer)));
        return count < 0;
      };
      await expect(all(chosen), path).rejects.toMatchObject({
        message: expect.stringContaining('Run the same command again'),
      });
      const state = await visible();
      world.fault = undefined;
      const found = await all(chosen);
      const sent = found.find(([name]) => name === file.file_name)?.[1];
      expect(sent, path).toBe(sha256Of(file.member === null ? newer : newerMember));
      expect(found.map(([, sha256]) => sha256)).toEqual(expect.arrayContaining(state));
    }
  });

  it('keeps nothing half on a full disk, and comes whole when there is room', async () => {
    const expected = await all(chosen);
    for (const file of await plan(chosen)) {
      await fresh();
      const { source } = identityOf(file);
      const part = join(folder, 'downloads', sha256Of(Buffer.from(source)).slice(0, 32));
      await mkdir(join(folder, 'downloads'));
      await symlink('/dev/full', part);
      await expect(all(chosen), file.url).rejects.toMatchObject({ code: 'ENOSPC' });
      const known = expected.map(([, sha256]) => sha256);
      expect(known).toEqual(expect.arrayContaining(await visible()));
      await rm(part);
      expect(await all(chosen), file.url).toEqual(expected);
    }
  });
});

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const newerMember = gzipSync('>sp|P00001|A_HUMAN A OS=Homo sapiens OX=9606\nMKTW\n');
const newerArchive = gzipSync(tarOf({ 'uniprot_sprot.fasta.gz': newerMember }));

function changed(path: string): Buffer {
  if (path.endsWith('.tar.gz')) return newerArchive;
  if (path.endsWith('.fasta.gz')) return newerMember;
  return Buffer.concat([files[path], Buffer.from('newer\n')]);
}

/** A server publishes a file together with the list of its checksums. */
function stateWith(path: string, bytes: Buffer): PublishedWorld['files'] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const metalink = `${path.slice(0, path.lastIndexOf('/'))}/RELEASE.metalink`;
  return {
    [path]: { bytes },
    ...(files[metalink] === undefined
      ? {}
      : { [metalink]: { bytes: metalinkOf('2024_06', { [name]: bytes }) } }),
  };
}
