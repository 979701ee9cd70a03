import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { referenceBody } from '@kindred/contracts/resources/references';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { rerankerOf } from '../../predict/rerankers/registration.js';
import { boosterText } from '../../testing/rerankers/booster-text.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { insertReranker } from '../../store/evaluation/rerankers.repository.js';
import { findSnapshot } from '../../store/ontology/ontology.repository.js';
import { inTransaction } from '../../store/postgres/db.js';
import type { RunRecord } from '@kindred/contracts/resources/rerankers';
import { startReference } from '../jobs/start-reference.js';
import { earlierContentSha256 } from '../../load/references/content-hash.js';
import { installReference } from '../../load/references/install-reference.js';
import { requireReference } from '../../resources/references.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { findPack } from '../../store/references/reference-packs.repository.js';
import { examplesFolder, exampleUrl, loadingBench } from '../../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { until } from '../../testing/worker/harness.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';

/** One of two services builds and packs a reference, and the other installs it. */
interface Service {
  database: TestDatabase;
  db: Database;
  workers: WorkerProcesses;
}
let source: Service;
let target: Service;
/** The pack is a file of the target's import folder. */
let packUrl: string;
let pack: Buffer;

async function service(): Promise<Service> {
  const database = await testDatabase();
  const db = openDatabase(database.url, 6);
  // The periods are short, so that another process takes over the work of a killed one at once.
  const settings = { SVC_LEASE_SECONDS: '10', SVC_SWEEP_PERIOD_MS: '200' };
  return { database, db, workers: await WorkerProcesses.on({ db, url: database.url }, () => settings) };
}
async function stop({ database, db, workers }: Service): Promise<void> {
  await workers.stop();
  await closeDatabase(db);
  await database.close();
}
const fileUrl = (path: string) => pathToFileURL(path).href;
const artifact = ({ workers }: Service, uri: string) =>
  buffer(createLocalArtifacts(join(workers.folder, 'artifacts')).get(uri));

async function build({ db, workers }: Service): Promise<void> {
  const records = gunzipSync(await readFile(join(examplesFolder, 'reference.fasta.gz')))
    .toString()
    .split('\n>');
  await writeFile(join(workers.folder, 'some.fasta'), records.slice(0, 250).join('\n>'));
  await startReference(
    { db, broker: workers.broker },
    referenceBody.parse({
      name: 'human',
      version: '1',
      ontology: { url: exampleUrl('go-basic-2022-07-01.obo.gz'), licence: 'CC BY 4.0' },
      proteins: [{ url: fileUrl(join(workers.folder, 'some.fasta')) }],
      annotations: [{ url: exampleUrl('reference.gaf.gz') }],
      taxonomy: { nodes: { url: exampleUrl('nodes.dmp.gz') }, names: { url: exampleUrl('names.dmp.gz') } },
      embedding_config_ids: [(await insertKmerConfig(db)).id],
    }),
    { ownerUserId: null, checkFiles: async () => {} },
  );
  // The measured reliability is part of the pack.
  await until(async () => {
    const { status, reliability } = await requireReference(db, 'human');
    return status === 'failed' || reliability !== null;
  });
}

/** Reads the rows of a prediction for the example queries, without the ids of the database. */
async function predictions({ db, workers }: Service, more: object = {}): Promise<unknown[]> {
  await workers.run('insert_proteins', { fasta_url: exampleUrl('queries.fasta') });
  const reference = await requireReference(db, 'human');
  const embedding_config_id = reference.vectors[0].embedding_config_id;
  const text = await readFile(join(examplesFolder, 'queries.fasta'), 'utf8');
  const query_accessions = [...text.matchAll(/^>..\|(\w+)\|/gm)].map(([, name]) => name);
  await workers.run('compute_embeddings', { embedding_config_id, accessions: query_accessions });
  const { result } = await workers.run('predict_go_terms', {
    embedding_config_id,
    annotation_set_id: reference.annotation_set_id,
    ontology_snapshot_id: reference.ontology_snapshot_id,
    query_accessions,
    ...more,
  });
  const { rows } = await sql<Record<string, unknown>>`
    select t.go_id, to_jsonb(g) - array['go_term_id', 'prediction_set_number', 'predictions_jsonb'] as row
    from go_prediction g join go_term t on t.id = g.go_term_id
    where g.prediction_set_number = (select number from prediction_set where id = ${result.prediction_set_id})
    order by g.protein_accession, t.go_id, g.term_rank, g.source_id, g.distance`.execute(db);
  return rows;
}

beforeAll(async () => {
  [source, target] = [await service(), await service()];
  source.workers.start();
  target.workers.start();
  await build(source);
  const { id, number } = await requireReference(source.db, 'human');
  // The figures of a measurement are part of the pack, too.
  await sql`
    insert into information_accretion (ontology_snapshot_id, annotation_set_id, evidence, sha256, protein_count, term_count, go_ids, bits)
    select ontology_snapshot_id, annotation_set_id, '{EXP}', ${'1'.repeat(64)}, 3, 2, '{GO:0008150,GO:0003674}', '{0, 1.25}'
    from reference where id = ${id}`.execute(source.db);
  await sql`
    insert into calibration_curve (annotation_set_id, embedding_config_id, donors, evidence, method, aspect, known, bins, kingdoms,
      calibration_window, prediction_count, protein_count, evaluation_set_id, prediction_set_id)
    select annotation_set_id, (select id from embedding_config), 50, '{experimental}', 'combined', 'P', 'nothing',
      '[{"low": 0, "high": 1, "precision": 0.1}]', '{}', 'made up', 10, 5, gen_random_uuid(), gen_random_uuid()
    from reference where id = ${id}`.execute(source.db);
  await addReranker(source.db, id);
  await source.workers.run('pack_reference', { reference_id: id });
  const { uri } = (await findPack(source.db, number)) as { uri: string };
  pack = await artifact(source, uri);
  await writeFile(join(target.workers.folder, 'human.kindred'), pack);
  packUrl = fileUrl(join(target.workers.folder, 'human.kindred'));
});
afterAll(() => Promise.all([source, target].map((one) => one && stop(one))));

/**
 * Adds a re-ranker that was trained on the vectors and the ontology of the reference, and one of another
 * ontology, which does not belong to it.
 */
async function addReranker(db: Database, referenceId: string): Promise<void> {
  const { rows } = await sql<{ snapshot: string; config: string }>`
    select ontology_snapshot_id as snapshot, (select id from embedding_config) as config from reference where id = ${referenceId}`.execute(
    db,
  );
  const [{ snapshot, config }] = rows;
  for (const [name, ontology_snapshot_id] of [
    ['own', snapshot],
    ['of another ontology', null],
  ] as const) {
    const row = await rerankerOf(
      {
        run: { run_id: name.replaceAll(' ', '-') } as RunRecord,
        specYaml: 'a: 1\n',
        modelBytes: Buffer.from(boosterText()),
        artifactUri: '',
        name,
        datasetId: null,
        externalSource: null,
      },
      false,
    );
    const values = { ...row, artifact_uri: null, model_data: boosterText(), embedding_config_id: config };
    await inTransaction(db, (trx) => insertReranker(trx, { ...values, ontology_snapshot_id }));
  }
}

/** Reads re-rankers without ids and times of the database. */
async function rerankersOf(db: Database): Promise<Record<string, unknown>[]> {
  const { rows } = await sql<{ row: Record<string, unknown> }>`
    select to_jsonb(m) - array['id', 'created_at', 'embedding_config_id', 'ontology_snapshot_id'] as row
    from reranker_model m join ontology_snapshot o on o.id = m.ontology_snapshot_id order by name`.execute(
    db,
  );
  return rows.map(({ row }) => row);
}

/** Counts the rows of every table that an installation writes to. */
async function everything(db: Database): Promise<Record<string, number>> {
  const tables =
    'reference reference_protein annotation_set protein_go_annotation go_term ontology_snapshot protein sequence sequence_embedding embedding_config taxon taxonomy information_accretion calibration_curve annotate_reference reranker_model';
  const counts: Record<string, number> = {};
  for (const table of tables.split(' ')) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db);
    counts[table] = rows[0].n;
  }
  return counts;
}

/** Makes the pack with another content hash in its manifest, and the right checksum of that manifest. */
function packWithHash(hash: string, other: string): Buffer {
  const [start, end] = [pack.indexOf('{\n'), pack.indexOf('\n}\n') + 3];
  const forged = Buffer.from(pack.subarray(start, end).toString().replace(hash, other));
  const bytes = Buffer.from(pack);
  forged.copy(bytes, start);
  bytes.write(createHash('sha256').update(forged).digest('hex'), bytes.indexOf('manifest.sha256') + 512);
  return bytes;
}

describe('a packed reference', () => {
  it('that was tampered with leaves nothing, also where its checksums are right', async () => {
    const bench = loadingBench(target.db, { importDirs: [target.workers.folder] });
    const before = await everything(target.db);
    const path = join(target.workers.folder, 'bad.kindred');
    // One place is among the rows and one in the manifest; pack.test.ts tries every kind of place on a small
    // pack.
    const places = [pack.length >> 1, 3000];
    for (const at of places) {
      const bytes = Buffer.from(pack);
      bytes[at] ^= 1;
      await writeFile(path, bytes);
      await expect(bench.run(installReference, { url: fileUrl(path) }), `byte ${at}`).rejects.toMatchObject({
        code: 'bad_file',
        message: expect.stringContaining('Nothing was installed'),
      });
    }
    // The digests fit, but the content is not what the manifest claims.
    const hash = (await requireReference(source.db, 'human')).content_sha256 as string;
    const other = hash.startsWith('0') ? `1${hash.slice(1)}` : `0${hash.slice(1)}`;
    await writeFile(path, packWithHash(hash, other));
    await expect(bench.run(installReference, { url: fileUrl(path) })).rejects.toThrow(/content has the hash/);
    expect(await everything(target.db)).toEqual(before);
    const settings = { cacheDir: target.workers.folder, packs: { trustedKeys: [], signatureDemanded: true } };
    const strict = loadingBench(target.db, {
      importDirs: [target.workers.folder],
      services: { settings } as never,
    });
    await expect(strict.run(installReference, { url: packUrl })).rejects.toThrow(/not signed/);
    expect(await everything(target.db)).toEqual(before);
  });

  it('is installed whole by a worker that took over from a killed one, and predicts bit for bit the same', async () => {
    const running = target.workers.run('install_reference', { url: packUrl });
    await until(async () => {
      const { rows } = await sql<{
        n: number;
      }>`select count(*) as n from job where operation = 'install_reference' and status = 'RUNNING'`.execute(
        target.db,
      );
      return rows[0].n > 0;
    });
    await target.workers.kill();
    // Other sessions saw no part of it.
    const left = await everything(target.db);
    expect([0, 1]).toContain(left.reference);
    if (left.reference === 0) expect(left.sequence_embedding + left.protein + left.annotation_set).toBe(0);
    target.workers.start();
    const { result } = await running;
    expect(result).toMatchObject({ reference: 'human@1', signed_by: null });
    const [built, installed] = [
      await requireReference(source.db, 'human'),
      await requireReference(target.db, 'human'),
    ];
    const own = [
      'id',
      'number',
      'job_id',
      'created_at',
      'completed_at',
      'annotation_set_id',
      'ontology_snapshot_id',
      'inputs',
      'inputs_sha256',
      'make_default',
      'vectors',
    ];
    const facts = (row: object) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => !own.includes(name)));
    expect(facts(installed)).toEqual(facts(built));
    expect(installed).toMatchObject({
      status: 'complete',
      is_default: false,
      content_sha256: built.content_sha256,
    });
    const [trained] = await rerankersOf(source.db);
    expect(trained).toMatchObject({ name: 'own', tree_count: 2 });
    expect(await rerankersOf(target.db)).toEqual([trained]);
    for (const more of [{ compute_taxonomy: true }, { method: 'combined' }]) {
      const before = await predictions(source, more);
      expect(before.length).toBeGreaterThan(100);
      expect(await predictions(target, more)).toEqual(before);
    }
  });

  it('is the same pack again where it was installed', async () => {
    const { id, number } = await requireReference(target.db, 'human');
    await target.workers.run('pack_reference', { reference_id: id });
    const { uri, sha256 } = (await findPack(target.db, number)) as { uri: string; sha256: string };
    expect(sha256).toBe(createHash('sha256').update(pack).digest('hex'));
    expect((await artifact(target, uri)).equals(pack)).toBe(true);
  });

  it('is not installed twice, and not over another of its name', async () => {
    const again = await target.workers.run('install_reference', { url: packUrl });
    expect(again.result).toMatchObject({ reference: 'human@1', skipped: true });
    const before = await everything(target.db);
    const renamed = await target.workers.run('install_reference', { url: packUrl, name: 'people' });
    expect(renamed.result).toMatchObject({
      reference: 'people@1',
      proteins_added: 0,
      vectors_added: 0,
      taxonomy: 'kept',
    });
    expect(await everything(target.db)).toMatchObject({
      sequence_embedding: before.sequence_embedding,
      reference: 2,
    });
    await sql`update reference set content_sha256 = ${'0'.repeat(64)} where name = 'people'`.execute(
      target.db,
    );
    const refused = await target.workers.run(
      'install_reference',
      { url: packUrl, name: 'people' },
      { status: 'FAILED' },
    );
    expect(refused).toMatchObject({
      error_code: 'already_exists',
      error_message: expect.stringContaining('--name'),
    });
  });

  it('with the hash of version 0.2.0 is installed, and keeps it', async () => {
    const { number, content_sha256, annotation_set_id, ontology_snapshot_id, vectors, parts } =
      await requireReference(source.db, 'human');
    const set = await findAnnotationSet(source.db, annotation_set_id as string);
    const snapshot = await findSnapshot(source.db, ontology_snapshot_id as string);
    const configIds = vectors.map((one) => one.embedding_config_id);
    const earlier = await earlierContentSha256(
      source.db,
      { oboSha256: snapshot?.obo_sha256 as string, configIds, parts },
      { referenceNumber: number, setNumber: set?.number as number },
    );
    const path = join(target.workers.folder, 'earlier.kindred');
    await writeFile(path, packWithHash(content_sha256 as string, earlier));
    await target.workers.run('install_reference', { url: fileUrl(path), name: 'earlier' });
    expect(await requireReference(target.db, 'earlier')).toMatchObject({
      status: 'complete',
      content_sha256: earlier,
    });
  });
});
