import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import {
  multipart,
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
} from '../../../testing/test-app.js';

let test: TestApp;
let data: TestData;
let operator: TestAccount;
beforeAll(async () => {
  test = await startTestApp({ maxReferenceFileBytes: 2000 });
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
});
afterAll(() => test?.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const act = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  test.call({ method, url: `/v1/references${url}`, headers: operator.headers, payload });
function upload(content: string, part = 'file') {
  const form = multipart({ [part]: { filename: 'a.txt', content } });
  return test.call({
    method: 'POST',
    url: '/v1/references/files',
    payload: form.payload,
    headers: { ...form.headers, ...operator.headers },
  });
}
const body = (name: string, more: object = {}) => ({
  name,
  ontology_snapshot_id: data.snapshotId,
  proteins: [{ url: `upload:${sha256('>A\nMK\n')}` }],
  annotations: [{ url: `upload:${sha256('a gaf')}`, file_name: 'my.gaf' }],
  embedding_config_ids: [data.configId],
  ...more,
});
/** Makes a reference of the tiny catalogue look as if its build had ended. */
async function complete(name: string): Promise<void> {
  const { body: row } = await act('POST', '', body(name, { version: '1' }));
  await test.db
    .updateTable('reference')
    .set({ status: 'complete', annotation_set_id: data.setId, content_sha256: 'c'.repeat(64) })
    .where('id', '=', row.id)
    .execute();
}

describe('files of a reference', () => {
  it('are known by their SHA-256, and kept once', async () => {
    const digest = sha256('>A\nMK\n');
    expect((await act('GET', `/files/${digest}`)).status).toBe(404);
    const stored = { sha256: digest, size_bytes: 6, url: `upload:${digest}` };
    for (const _again of [1, 2])
      expect(await upload('>A\nMK\n')).toMatchObject({ status: 201, body: stored });
    expect((await act('GET', `/files/${digest}`)).body).toEqual(stored);
  });

  it('are refused above the limit and in another part', async () => {
    expect(problemIn(await upload('x'.repeat(2001)))).toMatchObject({ code: 'payload_too_large' });
    expect((await act('GET', `/files/${sha256('x'.repeat(2000))}`)).status).toBe(404);
    expect(problemIn(await upload('x', 'other'))).toMatchObject({ status: 422 });
  });
});

describe('a reference', () => {
  it('is built from files that were sent, and the same request finds it', async () => {
    const missing = problemIn(await act('POST', '', body('mine')));
    expect(missing).toMatchObject({ status: 409, code: 'files_missing' });
    expect(missing.errors?.map(({ path }) => path)).toEqual(['/annotations/0/url']);
    await upload('a gaf');
    const first = await act('POST', '', body('mine'));
    expect(first).toMatchObject({
      status: 202,
      body: { name: 'mine', status: 'building', is_default: false },
    });
    expect(first.headers.location).toBe(`/v1/references/mine@${first.body.version}`);
    const jobs = await test.call({ url: `/v1/jobs?parent_job_id=${first.body.job_id}` });
    expect(jobs.body.map((job: { operation: string }) => job.operation).sort()).toEqual([
      'compute_embeddings',
      'load_reference_annotations',
      'load_reference_proteins',
      'load_taxon_constraints',
      'measure_reference',
    ]);
    // Jobs that wait for nothing are published at once.
    expect(test.broker.published.length).toBe(2);
    expect(await act('POST', '', body('mine'))).toMatchObject({ status: 200, body: { id: first.body.id } });
  });

  it('goes on with new jobs after a cancel', async () => {
    const { body: row } = await act('GET', '/mine');
    await test.call({ method: 'POST', url: `/v1/jobs/${row.job_id}/cancel`, headers: operator.headers });
    expect((await act('GET', '/mine')).body).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('cancelled'),
    });
    const again = await act('POST', '', body('mine'));
    expect(again).toMatchObject({ status: 202, body: { id: row.id, status: 'building', error: null } });
    expect(again.body.job_id).not.toBe(row.job_id);
  });

  it('of other sources has another version', async () => {
    const other = await act('POST', '', body('mine', { evidence: 'experimental' }));
    expect(other.status).toBe(202);
    expect(other.body.version).toMatch(/^\d{4}-\d\d-\d\d\.2$/);
    const taken = body('mine', {
      evidence: 'experimental',
      version: (await act('GET', '/mine')).body.version,
    });
    expect((await act('POST', '', taken)).status).toBe(200);
    const refused = await act('POST', '', { ...taken, proteins: taken.annotations });
    expect(problemIn(refused)).toMatchObject({ status: 409, code: 'already_exists' });
  });

  it.each([
    [{ name: 'Upper' }, '/name'],
    [{ name: 'a@b' }, '/name'],
    [{ ontology: { url: 'https://x.org/go.obo' } }, '/ontology'],
    [{ embedding_config_ids: [] }, '/embedding_config_ids'],
    [{ embedding_config_ids: ['00000000-0000-4000-8000-000000000000'] }, '/embedding_config_id'],
  ])('is refused with %j', async (more, path) => {
    const problem = problemIn(await act('POST', '', body('x', more)));
    expect(problem).toMatchObject({ status: 422 });
    expect(problem.errors?.[0].path).toBe(path);
  });

  it('is used and shown only when it is whole', async () => {
    expect(problemIn(await act('POST', '/mine/use'))).toMatchObject({ status: 409 });
    expect(problemIn(await act('DELETE', '/mine'))).toMatchObject({ status: 409 });
    expect(problemIn(await act('GET', '/nothing'))).toMatchObject({ status: 404 });
    await complete('whole');
    expect((await act('POST', '/whole/use')).body).toMatchObject({ name: 'whole', is_default: true });
    const { body: chosen } = await test.call({ url: '/v1/annotate/reference' });
    expect(chosen).toMatchObject({
      annotation_set_id: data.setId,
      annotation_set_chosen_by: 'operator',
      reference: { name: 'whole', version: '1', content_sha256: 'c'.repeat(64) },
    });
    const { body: same } = await act('GET', '/whole/diff?to=whole%401');
    expect(same).toMatchObject({ from: { name: 'whole' }, to: { version: '1' }, annotations: [] });
    expect(problemIn(await act('GET', '/whole/diff?to=nothing')).errors?.[0].path).toBe('/to');
    const { body: list } = await test.call({ url: '/v1/references' });
    expect(list[0]).toMatchObject({
      name: 'whole',
      annotation_count: 3,
      annotations_by_evidence: { IDA: 3 },
    });
  });

  it('is what annotate and predict take by its name', async () => {
    const payload = { fasta_text: '>q\nMKTAYIAK\n' };
    const asked = await test.call({ method: 'POST', url: '/v1/annotate?reference=whole%401', payload });
    expect(asked.body).toMatchObject({
      annotation_set_id: data.setId,
      annotation_set_chosen_by: 'caller',
      reference: { name: 'whole' },
    });
    const predict = (more: object) =>
      test.call({
        method: 'POST',
        url: '/v1/embeddings/predict',
        headers: operator.headers,
        payload: { query_accessions: ['P00001'], ...more },
      });
    const { body: queued } = await predict({ reference: 'whole' });
    const { body: job } = await test.call({ url: `/v1/jobs/${queued.id}` });
    expect(job.payload).toMatchObject({ annotation_set_id: data.setId, embedding_config_id: data.configId });
    expect(problemIn(await predict({ reference: 'nothing' })).errors?.[0].path).toBe('/reference');
    expect(problemIn(await predict({ reference: 'mine' }))).toMatchObject({ status: 409 });
    expect(problemIn(await predict({}))).toMatchObject({ status: 422 });
    const both = { reference: 'whole', annotation_set_id: data.setId };
    expect(problemIn(await predict(both)).errors?.[0].path).toBe('/reference');
  });

  it('is packed, fetched and installed by jobs of an operator', async () => {
    expect(problemIn(await act('POST', '/mine/pack'))).toMatchObject({ status: 409 });
    const { body: queued } = await act('POST', '/whole/pack');
    const { body: job } = await test.call({ url: `/v1/jobs/${queued.id}` });
    const { body: whole } = await act('GET', '/whole');
    expect(job).toMatchObject({ operation: 'pack_reference', payload: { reference_id: whole.id } });
    expect((await act('GET', '/whole/pack')).status).toBe(404);
    const { uri, sha256: digest } = await test.artifacts.put(
      'reference-packs/a.kindred',
      Buffer.from('packed'),
    );
    const { number } = await test.db
      .selectFrom('reference')
      .select('number')
      .where('id', '=', whole.id)
      .executeTakeFirstOrThrow();
    await test.db
      .insertInto('reference_pack')
      .values({ reference_number: number, uri, sha256: digest, size_bytes: 6 })
      .execute();
    expect((await act('GET', '/whole/pack')).body).toMatchObject({
      sha256: digest,
      size_bytes: 6,
      reference: { name: 'whole' },
    });
    const file = await act('GET', '/whole/pack/file');
    expect(file).toMatchObject({ status: 200, body: 'packed' });
    expect(file.headers['content-disposition']).toBe('attachment; filename="whole-1.kindred"');
    const install = (payload: object) => act('POST', '/install', payload);
    await upload('a pack');
    expect(problemIn(await install({ file: 'x' }))).toMatchObject({ status: 422 });
    const started = await install({ url: `upload:${sha256('a pack')}`, name: 'other', make_default: false });
    expect(started).toMatchObject({ status: 202, body: { status: 'QUEUED' } });
  });

  it('names what was made with it before it goes, and results name it', async () => {
    const { body: set } = await test.call({ url: `/v1/embeddings/prediction-sets/${data.predictionSetId}` });
    expect(set.reference).toMatchObject({ name: 'whole', content_sha256: 'c'.repeat(64) });
    const refused = await act('DELETE', '/whole');
    expect(problemIn(refused)).toMatchObject({ status: 409, code: 'in_use' });
    expect(refused.body.detail).toContain(data.predictionSetId);
    const gone = await act('DELETE', '/whole@1?dependents=true');
    // The annotation set was loaded by itself, and stays.
    expect(gone.body).toMatchObject({ annotations_deleted: 0, prediction_sets_deleted: 1 });
    expect((await test.call({ url: `/v1/annotations/sets/${data.setId}` })).status).toBe(200);
    expect((await act('GET', '/whole')).status).toBe(404);
  });
});
