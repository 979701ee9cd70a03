import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSourceOpener } from '../ground/sources/opener.js';
import { addAnnotations, type EvaluationWorld, fillEvaluationWorld } from '../testing/evaluation-world.js';
import { inTransaction } from '../store/postgres/db.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../testing/test-app.js';

let test: TestApp;
let operator: TestAccount;
let world: EvaluationWorld;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kindred-possible-'));
  await mkdir(join(folder, 'import'));
  await writeFile(join(folder, 'import', 'here.gaf'), '!gaf-version: 2.2\n');
  await writeFile(join(folder, 'secret.gaf'), '');
  await symlink(join(folder, 'secret.gaf'), join(folder, 'import', 'link.gaf'));
  const { check } = createSourceOpener({
    importDirs: [join(folder, 'import'), join(folder, 'of-another-machine')],
    allowedHosts: ['files.example.org'],
  });
  test = await startTestApp({}, null, { checkAddress: check });
  operator = await test.account('operator');
  world = await fillEvaluationWorld(test.db);
});
afterAll(async () => {
  await test?.close();
  await rm(folder, { recursive: true });
});

const send = (method: 'POST' | 'PATCH', url: string, payload: object, headers = {}) =>
  test.call({ method, url: `/v1${url}`, payload, headers: { ...operator.headers, ...headers } });
const post = (url: string, payload: object, headers = {}) => send('POST', url, payload, headers);
const faults = async (answer: ReturnType<typeof post>) => {
  const problem = problemIn(await answer);
  expect(problem).toMatchObject({ status: 422, code: 'validation_failed' });
  return problem.errors?.map(({ path, code }) => `${path} ${code}`);
};
const jobs = async () => (await test.call({ url: '/v1/jobs' })).body.length;
const file = (...parts: string[]) => pathToFileURL(join(folder, ...parts)).href;
const load = (gaf_url: string) =>
  post('/annotations/sets/load-goa', {
    gaf_url,
    ontology_snapshot_id: world.snapshotId,
    source_version: 'x',
  });

describe('work that cannot succeed is refused at once', () => {
  it.each([
    ['ftp://files.example.org/a.gaf', 'address_refused'],
    ['https://elsewhere.example/a.gaf', 'address_refused'],
    ['http://169.254.169.254/latest', 'address_refused'],
    ['no address', 'address_refused'],
    ['file:///etc/passwd', 'address_refused'],
  ])('an address: %s', async (address, code) => {
    const before = await jobs();
    expect(await faults(load(address))).toEqual([`/gaf_url ${code}`]);
    const submitted = post('/jobs', {
      operation: 'insert_proteins',
      queue_name: 'svc.jobs',
      payload: { fasta_url: address },
    });
    expect(await faults(submitted)).toEqual([`/payload/fasta_url ${code}`]);
    expect(await jobs()).toBe(before);
  });

  it('a file outside the import folder, behind a link, or not there', async () => {
    expect(await faults(load(file('secret.gaf')))).toEqual(['/gaf_url address_refused']);
    expect(await faults(load(file('import', 'link.gaf')))).toEqual(['/gaf_url address_refused']);
    expect(await faults(load(file('import', 'absent.gaf')))).toEqual(['/gaf_url fetch_failed']);
    expect(await faults(load(file('import')))).toEqual(['/gaf_url address_refused']);
    expect((await load(file('import', 'here.gaf'))).status).toBe(202);
    // Only a worker can tell whether the file is there.
    expect((await load(file('of-another-machine', 'a.gaf'))).status).toBe(202);
    expect((await load('https://files.example.org/a.gaf')).status).toBe(202);
  });

  it('every address of a request, and the address of information accretion', async () => {
    const run = post('/jobs', {
      operation: 'load_taxonomy',
      queue_name: 'svc.jobs',
      payload: { nodes_url: 'ftp://x/nodes.dmp', names_url: file('import', 'none.dmp') },
    });
    expect(await faults(run)).toEqual([
      '/payload/nodes_url address_refused',
      '/payload/names_url fetch_failed',
    ]);
    const set = (ia_url: string) =>
      send('PATCH', `/annotations/snapshots/${world.snapshotId}/ia-url`, { ia_url });
    expect(await faults(set('file:///etc/passwd'))).toEqual(['/ia_url address_refused']);
    expect(await faults(set('http://169.254.169.254/x'))).toEqual(['/ia_url address_refused']);
    expect((await set('https://files.example.org/ia.tsv')).status).toBe(200);
  });

  it('proteins that are not there', async () => {
    const predict = post('/jobs', {
      operation: 'predict_go_terms_from_interpro',
      queue_name: 'svc.predictions',
      payload: { ontology_snapshot_id: world.snapshotId, query_accessions: ['N1', 'NONE', 'N2', 'NOR'] },
    });
    expect(await faults(predict)).toEqual([
      '/payload/query_accessions/1 not_found',
      '/payload/query_accessions/3 not_found',
    ]);
  });

  it('a dataset of a name that another has, or that an export is making', async () => {
    const config = await test.db
      .insertInto('embedding_config')
      .values({
        ...completeRecipe({ model_name: 'm', model_backend: 'b' }),
        dimension: 4,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sets = [];
    for (const version of ['third', 'fourth']) {
      const old = await inTransaction(test.db, (trx) =>
        addAnnotations(trx, { snapshotId: world.snapshotId, version, rows: [] }),
      );
      const set = await test.db
        .insertInto('evaluation_set')
        .values({
          old_annotation_set_id: old,
          new_annotation_set_id: world.newSetId,
          ontology_snapshot_id: world.snapshotId,
          rules: '{}',
          stats: '{}',
        } as never)
        .returning('id')
        .executeTakeFirstOrThrow();
      sets.push(set.id);
    }
    const body = {
      name: 'frozen',
      embedding_config_id: config.id,
      train_evaluation_set_ids: [sets[0]],
      eval_evaluation_set_id: sets[1],
    };
    const key = { 'idempotency-key': 'export-1' };
    const first = await post('/datasets', body, key);
    expect(first.status).toBe(202);
    expect(await faults(post('/datasets', body))).toEqual(['/name already_exists']);
    // A repeated request makes no second export.
    expect((await post('/datasets', body, key)).body).toEqual(first.body);
    await test.db.updateTable('job').set({ status: 'FAILED' }).where('id', '=', first.body.id).execute();
    const job = { operation: 'export_research_dataset', queue_name: 'svc.training', payload: body };
    expect((await post('/jobs', job)).status).toBe(201);
    expect(await faults(post('/jobs', job))).toEqual(['/payload/name already_exists']);
  });

  it('a holdout whose newer release is the older one', async () => {
    const dates = { [world.oldSetId]: '2020-03-03', [world.newSetId]: '2022-11-12' };
    for (const [id, newest_annotation_date] of Object.entries(dates))
      await test.db
        .updateTable('annotation_set')
        .set({ newest_annotation_date })
        .where('id', '=', id)
        .execute();
    const generate = (old: string, recent: string) =>
      post('/annotations/evaluation-sets/generate', {
        old_annotation_set_id: old,
        new_annotation_set_id: recent,
      });
    expect(await faults(generate(world.newSetId, world.oldSetId))).toEqual([
      '/new_annotation_set_id wrong_order',
    ]);
    expect((await generate(world.oldSetId, world.newSetId)).status).toBe(202);
    const { body } = await test.call({ url: '/v1/annotations/sets' });
    const shown = body.find(({ id }: { id: string }) => id === world.oldSetId);
    expect(shown.newest_annotation_date).toBe('2020-03-03');
  });
});
