import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createS3Artifacts } from '../../../ground/artifacts/s3.js';
import { startS3 } from '../../../testing/artifacts/s3-server.js';
import { buildApp } from '../../app.js';
import { type DatasetWorld, openDatasetWorld } from '../../../testing/dataset-world.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let operator: TestAccount;
let world: DatasetWorld;
/** The export has this result, and its files are in the store of the app. */
let exported: Record<string, unknown>;
beforeAll(async () => {
  test = await startTestApp();
  operator = await test.account('operator');
  world = await openDatasetWorld();
  exported = await world.export(await world.newJob(), world.payload(), { artifacts: test.artifacts });
});
afterAll(async () => {
  await world?.close();
  await test?.close();
});

const absent = '00000000-0000-4000-8000-000000000000';
const post = (url: string, payload: object, headers: Record<string, string> = operator.headers) =>
  test.call({ method: 'POST', url, payload, headers });
const importBody = (changes: Record<string, unknown> = {}) => ({
  name: 'imported',
  storage_backend: 'local',
  key_prefix: exported.key_prefix,
  train_uri: exported.train_uri,
  eval_uri: exported.eval_uri,
  manifest_uri: exported.manifest_uri,
  schema_sha: exported.schema_sha,
  manifest_sha: exported.manifest_sha,
  k: 4,
  annotation_source: 'goa',
  n_train_rows: exported.n_train_rows,
  n_eval_rows: exported.n_eval_rows,
  train_snapshot_pairs: ['old-new'],
  eval_snapshot_pair: 'new-newest',
  ...changes,
});
const importing = (changes: Record<string, unknown> = {}) =>
  post('/v1/datasets/import-by-reference', importBody(changes));

describe('POST /datasets', () => {
  it('queues the export, once for an Idempotency-Key, and refuses what can not run', async () => {
    const { configId } = await fillCatalogue(test.db);
    const sets = await sql<{ id: string }>`
      with newer as (
        insert into annotation_set (source, source_version, ontology_snapshot_id, state)
        select 'goa', v, ontology_snapshot_id, 'complete' from annotation_set, unnest(array['b', 'c']) v returning id, source_version
      )
      insert into evaluation_set (old_annotation_set_id, new_annotation_set_id, ontology_snapshot_id, rules, stats)
      select old.id, newer.id, old.ontology_snapshot_id, '{}', '{}' from annotation_set old, newer returning id`.execute(
      test.db,
    );
    const [train, held] = sets.rows.map((row) => row.id);
    const payload = {
      name: 'to come',
      embedding_config_id: configId,
      train_evaluation_set_ids: [train],
      eval_evaluation_set_id: held,
    };
    const headers = { ...operator.headers, 'idempotency-key': 'once' };
    const first = await post('/v1/datasets', payload, headers);
    expect(first.status).toBe(202);
    expect(first.headers.location).toBe(`/v1/jobs/${first.body.id}`);
    expect((await post('/v1/datasets', payload, headers)).body.id).toBe(first.body.id);
    const job = await test.call({ url: `/v1/jobs/${first.body.id}` });
    expect(job.body).toMatchObject({
      operation: 'export_research_dataset',
      queue_name: 'svc.training',
      payload: { ...payload, k: 5, metric: 'cosine', include_self: false },
    });
    const refused = async (changes: object) =>
      problemIn(await post('/v1/datasets', { ...payload, ...changes }));
    expect((await refused({ eval_evaluation_set_id: absent })).errors).toMatchObject([
      { path: '/eval_evaluation_set_id', code: 'not_found' },
    ]);
    const queued = await post('/v1/jobs', {
      operation: 'export_research_dataset',
      queue_name: 'svc.training',
      payload: { ...payload, train_evaluation_set_ids: [train, absent] },
    });
    expect(problemIn(queued)).toMatchObject({
      status: 422,
      errors: [{ path: '/payload/train_evaluation_set_ids/1', code: 'not_found' }],
    });
    expect((await refused({ embedding_config_id: absent })).errors).toMatchObject([
      { path: '/embedding_config_id', code: 'not_found' },
    ]);
    expect(await refused({ eval_evaluation_set_id: train })).toMatchObject({
      status: 422,
      errors: [{ path: '/eval_evaluation_set_id' }],
    });
    for (const name of ['', ' a', 'a/b', '..\\x', randomUUID(), 'x'.repeat(256), 'a\nb']) {
      const { status, errors } = await refused({ name });
      expect([status, errors?.[0].path]).toEqual([422, '/name']);
    }
    expect(await refused({ search_backend: 'faiss' })).toMatchObject({ status: 422 });
  });

  it('shares a rate with the import', async () => {
    const app = await test.sibling({ rateLimits: { ...test.settings.rateLimits, datasets: '2/hour' } });
    const { headers } = await test.account('operator');
    const asked = (url: string, payload: object) => app.inject({ method: 'POST', url, payload, headers });
    // Refused requests do not count.
    expect((await asked('/v1/datasets', {})).statusCode).toBe(422);
    for (const name of ['first of two', 'second of two'])
      expect((await asked('/v1/datasets/import-by-reference', importBody({ name }))).statusCode).toBe(201);
    const third = await asked('/v1/datasets/import-by-reference', importBody({ name: 'one too many' }));
    expect(third.json()).toMatchObject({ status: 429 });
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('POST /datasets/import-by-reference', () => {
  it('makes the row that an export makes, but for the mark', async () => {
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from dataset where id = ${exported.dataset_id}`.execute(world.db);
    const { id, name, job_id, created_at, meta, train_row_count, eval_row_count, ...own } = rows[0];
    const expected = {
      ...own,
      // This database lacks the configuration and the snapshot of the other one.
      embedding_config_id: null,
      ontology_snapshot_id: null,
      train_uri: exported.train_uri,
      eval_uri: exported.eval_uri,
      manifest_uri: exported.manifest_uri,
      n_train_rows: train_row_count,
      n_eval_rows: eval_row_count,
      job_id: null,
      meta: { ...(meta as object), imported_by_reference: true },
      name: 'imported',
      id: expect.any(String),
      created_at: expect.any(String),
    };
    const answer = await importing();
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/v1/datasets/${answer.body.id}`);
    expect(answer.body).toEqual(expected);
    expect(answer.body.meta.axis_id).toMatch(/^[0-9a-f]{12}$/);
    expect(answer.body.id).not.toBe(id);
    // Fields that the manifest or its address has, too, may be left out; added ones are kept.
    const short = { manifest_uri: exported.manifest_uri };
    const added = { meta: { note: 'from the lab' }, external_source: 'https://lab.example' };
    const other = await post('/v1/datasets/import-by-reference', { ...short, ...added, name: 'short' });
    expect(other.body).toEqual({
      ...expected,
      name: 'short',
      meta: { ...expected.meta, note: 'from the lab', external_source: 'https://lab.example' },
    });
  });

  it('refuses a name that is taken, unless forced', async () => {
    const first = await importing({ name: 'forced' });
    expect(problemIn(await importing({ name: 'forced' }))).toMatchObject({
      status: 409,
      code: 'already_exists',
    });
    const second = await importing({ name: 'forced', force: true });
    expect(second.status).toBe(201);
    expect((await test.call({ url: `/v1/datasets/${first.body.id}` })).status).toBe(404);
    expect((await test.call({ url: '/v1/datasets/forced' })).body.id).toBe(second.body.id);
  });

  it.each<[string, Record<string, unknown>]>([
    ['/manifest_sha', { manifest_sha: 'a'.repeat(64) }],
    ['/schema_sha', { schema_sha: '0123456789abcdef' }],
    ['/k', { k: 7 }],
    ['/n_train_rows', { n_train_rows: 1 }],
    ['/n_eval_rows', { n_eval_rows: 0 }],
    ['/train_snapshot_pairs', { train_snapshot_pairs: [] }],
    ['/manifest_sha', { manifest_sha: 'short' }],
    ['/schema_sha', { schema_sha: '0123456789ab' }],
    ['/annotation_source', { annotation_source: 'quickgo' }],
    ['/producer_version', { producer_version: '9.9.9' }],
    ['/embedding_config_id', { embedding_config_id: absent }],
    ['/eval_snapshot_pair', { eval_snapshot_pair: 'other' }],
    ['/meta/axis_id', { meta: { axis_id: '0123456789ab' } }],
    ['/key_prefix', { key_prefix: '../elsewhere' }],
    ['/train_uri', { key_prefix: 'datasets/other' }],
    ['/train_uri', { train_uri: 'file:///etc/passwd' }],
    ['/train_uri', { train_uri: 'file:///etc/train.parquet' }],
    ['/manifest_uri', { manifest_uri: 'file:///etc/manifest.json' }],
    ['/train_uri', { train_uri: null }],
    ['/train_uri', { train_uri: 'https://example.org/train.parquet' }],
    ['/train_uri', { train_uri: 's3://bucket/train.parquet' }],
    ['/embedding_config_id', { embedding_config_id: 'no uuid' }],
  ])('tells the disagreement at %s', async (path, changes) => {
    const problem = problemIn(await importing({ name: 'wrong', ...changes }));
    expect(problem.status).toBe(422);
    expect(problem.errors?.map((fault) => fault.path)).toContain(path);
  });

  it('tells which file is not there, or is not such a file', async () => {
    const { artifacts } = test;
    const uri = (key: string) => artifacts.addressOf(artifacts.uriOf(key));
    await artifacts.put('odd/manifest.json', Buffer.from('{"schema_version": 1}'));
    await artifacts.put('odd/train.parquet', Buffer.from('not a Parquet file at all'));
    const faults = async (changes: Record<string, unknown>) =>
      problemIn(await importing({ name: 'odd', manifest_sha: null, ...changes })).errors?.map(
        (fault) => `${fault.path} ${fault.code}`,
      );
    expect(await faults({ train_uri: uri('none/train.parquet') })).toContain('/train_uri artifact_not_found');
    expect(await faults({ train_uri: uri('odd/train.parquet') })).toContain('/train_uri bad_file');
    expect(await faults({ manifest_uri: uri('odd/manifest.json') })).toContain('/manifest_uri bad_file');
  });

  it('says of the address alone that it is not in the store', async () => {
    const where = { name: 'elsewhere', manifest_uri: 's3://lab/datasets/theirs/manifest.json' };
    const problem = problemIn(await post('/v1/datasets/import-by-reference', where));
    expect(problem.errors).toEqual([
      expect.objectContaining({ path: '/manifest_uri', code: 'artifact_uri_refused' }),
    ]);
  });

  it('takes no address outside the store', async () => {
    const refused = async (storage_backend: string, folder: string) => {
      const answer = await importing({
        name: 'elsewhere',
        storage_backend,
        train_uri: `${folder}/train.parquet`,
        eval_uri: `${folder}/eval.parquet`,
        manifest_uri: `${folder}/manifest.json`,
        manifest_sha: null,
      });
      return problemIn(answer).errors?.map(({ path, code }) => `${path} ${code}`);
    };
    for (const [backend, folder] of [
      ['minio', 's3://lab'],
      ['local', 'file:///etc'],
    ])
      expect(await refused(backend, folder)).toEqual(
        expect.arrayContaining(
          ['train', 'eval', 'manifest'].map((part) => `/${part}_uri artifact_uri_refused`),
        ),
      );
  });
});

describe('GET /datasets', () => {
  it('lists newest first, filters, and loses none between pages', async () => {
    for (let i = 0; i < 5; i++) await importing({ name: `page 100%_${i}` });
    const all = (await test.call({ url: '/v1/datasets?name_like=100%25_' })).body;
    expect(all.map((row: { name: string }) => row.name)).toEqual(
      [4, 3, 2, 1, 0].map((i) => `page 100%_${i}`),
    );
    const first = await test.call({ url: '/v1/datasets?name_like=PAGE&limit=2' });
    const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] as string;
    expect((await test.call({ url: next })).body).toEqual(all.slice(2, 4));
    const after = encodeURIComponent(all[1].created_at);
    expect((await test.call({ url: `/v1/datasets?name_like=page&after=${after}` })).body[0].id).toBe(
      all[2].id,
    );
    expect((await test.call({ url: `/v1/datasets?embedding_config_id=${absent}` })).body).toEqual([]);
    expect((await test.call({ url: '/v1/datasets?limit=501' })).status).toBe(422);
  });

  it('finds one by id and by name', async () => {
    const name = 'Ünïcode & more';
    const { body } = await importing({ name });
    const { headers } = operator;
    expect((await test.call({ url: `/v1/datasets/${body.id.toUpperCase()}`, headers })).body).toEqual(body);
    const { body: shown } = await test.call({ url: `/v1/datasets/${encodeURIComponent(name)}` });
    expect(shown).toEqual({
      ...body,
      train_uri: 'train.parquet',
      eval_uri: 'eval.parquet',
      manifest_uri: 'manifest.json',
    });
    expect(problemIn(await test.call({ url: '/v1/datasets/none' }))).toMatchObject({ status: 404 });
    expect((await test.call({ url: '/v1/datasets/a%00b' })).status).toBe(422);
    expect((await test.call({ url: '/v1/datasets?name_like=a%00b' })).status).toBe(422);
    expect(problemIn(await test.call({ url: `/v1/datasets/${absent}` }))).toMatchObject({ status: 404 });
  });

  it('hands the files out', async () => {
    await importing({ name: 'files' });
    const answer = await test.app.inject({ url: '/v1/datasets/files/download?artifact=manifest' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="manifest.json"');
    expect(answer.json()).toMatchObject({ schema_version: 2, name: 'frozen' });
    const train = await test.app.inject({ url: '/v1/datasets/files/download?artifact=train' });
    expect(train.rawPayload.subarray(0, 4).toString()).toBe('PAR1');
    expect(train.rawPayload.length).toBe(Number(train.headers['content-length']));
    expect((await test.call({ url: '/v1/datasets/files/download' })).status).toBe(422);
  });

  it('sends to the bucket where the files are there', async () => {
    const s3 = await startS3();
    const artifacts = createS3Artifacts({
      bucket: s3.bucket,
      prefix: '',
      endpoint: s3.endpoint,
      region: null,
    });
    const { db, broker, settings } = test;
    const deps = {
      db,
      broker,
      settings,
      artifacts,
      plugins: undefined as never,
      log: null,
      metrics: null,
      mail: null,
    };
    const app = await buildApp(deps as unknown as Parameters<typeof buildApp>[0]);
    try {
      const { uri } = await artifacts.put('d/manifest.json', Buffer.from('{}'));
      await sql`
        insert into dataset (name, storage_backend, key_prefix, manifest_uri, schema_sha, train_row_count, eval_row_count, k, annotation_source)
        values ('in a bucket', 's3', 'd', ${uri}, '0123456789abcdef', 0, 0, 5, 'goa')`.execute(db);
      const answer = await app.inject({ url: '/v1/datasets/in%20a%20bucket/download?artifact=manifest' });
      expect(answer.statusCode).toBe(302);
      const fetched = await fetch(String(answer.headers.location));
      expect(await fetched.text()).toBe('{}');
    } finally {
      await app.close();
      await s3.close();
    }
  });
});

it('finds the files of a row that names a folder of artifacts which was moved since', async () => {
  const { body } = await importing({ name: 'moved' });
  const key = (name: string) => `${exported.key_prefix}/${name}`;
  const { train_uri, manifest_uri } = await test.db
    .selectFrom('dataset')
    .select(['train_uri', 'manifest_uri'])
    .where('name', '=', 'moved')
    .executeTakeFirstOrThrow();
  expect({ train_uri, manifest_uri }).toEqual({
    train_uri: `artifact:${key('train.parquet')}`,
    manifest_uri: `artifact:${key('manifest.json')}`,
  });
  const old = (name: string) => `file:///moved/since/artifacts/${key(name)}`;
  await test.db
    .updateTable('dataset')
    .set({
      train_uri: old('train.parquet'),
      eval_uri: old('eval.parquet'),
      manifest_uri: old('manifest.json'),
    })
    .where('name', '=', 'moved')
    .execute();
  const shown = await test.call({ url: '/v1/datasets/moved', headers: operator.headers });
  expect(shown.body).toEqual(body);
  for (const artifact of ['train', 'eval', 'manifest'])
    expect((await test.call({ url: `/v1/datasets/moved/download?artifact=${artifact}` })).status).toBe(200);
});

describe('DELETE /datasets/{id_or_name}', () => {
  it('deletes the dataset, and its files with the last dataset that names them', async () => {
    const payload = { ...world.payload(), name: 'to be deleted' };
    const made = await world.export(await world.newJob(), payload, { artifacts: test.artifacts });
    const changes = { train_uri: made.train_uri, eval_uri: made.eval_uri, manifest_uri: made.manifest_uri };
    const { key_prefix, manifest_sha, schema_sha } = made;
    for (const name of ['one of a pair', 'the other of a pair'])
      expect((await importing({ name, key_prefix, manifest_sha, schema_sha, ...changes })).status).toBe(201);
    const remove = (name: string, headers = operator.headers) =>
      test.call({ method: 'DELETE', url: `/v1/datasets/${encodeURIComponent(name)}`, headers });
    expect((await remove('one of a pair', (await test.account('researcher')).headers)).status).toBe(403);
    expect((await remove('one of a pair')).status).toBe(204);
    expect((await remove('one of a pair')).status).toBe(404);
    expect(await test.artifacts.size(String(made.train_uri))).toBeGreaterThan(0);
    expect((await remove('the other of a pair')).status).toBe(204);
    for (const uri of Object.values(changes)) expect(await test.artifacts.size(String(uri))).toBeNull();
  });
});
