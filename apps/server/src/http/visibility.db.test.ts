import type { Visibility } from '@kindred/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../store/postgres/connection.js';
import { predictionSetOfJob } from '../store/predictions/prediction-sets.repository.js';
import { multipart, problemIn, startTestApp, type TestAccount, type TestApp } from '../testing/test-app.js';
import { fillCatalogue, type TestData } from '../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let owner: TestAccount;
let readers: Record<string, Record<string, string>>;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  owner = await test.account('researcher');
  readers = {
    anonymous: {},
    guest: (await test.account('guest')).headers,
    other: (await test.account('researcher')).headers,
    owner: owner.headers,
    operator: (await test.account('operator')).headers,
    admin: (await test.account('admin')).headers,
  };
});
afterAll(() => test?.close());

type Upload = Record<'query_set' | 'job' | 'prediction_set' | 'evaluation_job' | 'run', string>;
const lists: Record<string, (keyof Upload)[]> = {
  '/v1/query-sets': ['query_set'],
  '/v1/jobs': ['job', 'evaluation_job'],
  '/v1/embeddings/prediction-sets': ['prediction_set'],
  '/v1/experiment-runs': ['run'],
};

async function send(method: 'POST' | 'PATCH', url: string, payload: object, headers = owner.headers) {
  const answer = await test.call({ method, url, payload, headers });
  expect([url, answer.status]).toEqual([url, expect.toSatisfy((status: number) => status < 300)]);
  return answer.body;
}

/** Makes an upload with everything that follows from it. */
async function work(visibility?: Visibility): Promise<Upload> {
  const said: Record<string, string> = visibility === undefined ? {} : { visibility };
  const form = multipart({
    name: 'secret',
    file: { filename: 'a.fasta', content: '>a\nMKTAYIAK\n' },
    ...said,
  });
  const set = await test.call({
    method: 'POST',
    url: '/v1/query-sets',
    payload: form.payload,
    headers: { ...form.headers, ...owner.headers },
  });
  const choice = {
    embedding_config_id: data.configId,
    annotation_set_id: data.setId,
    ontology_snapshot_id: data.snapshotId,
  };
  const job = await send('POST', '/v1/embeddings/predict', { ...choice, query_set_id: set.body.id });
  const predicted = await inTransaction(test.db, (trx) =>
    predictionSetOfJob(trx, job.id, {
      ...choice,
      query_set_id: set.body.id,
      owner_user_id: owner.user.id,
      limit_per_entry: 5,
    }),
  );
  const rescore = { operation: 'rescore_by_votes', queue_name: 'svc.predictions' };
  const evaluationJob = await send(
    'POST',
    '/v1/jobs',
    { ...rescore, payload: { prediction_set_id: predicted.id } },
    readers.operator as never,
  );
  const run = await send('POST', '/v1/experiment-runs', { name: crypto.randomUUID(), ...said });
  return {
    query_set: set.body.id,
    job: job.id,
    prediction_set: predicted.id,
    evaluation_job: evaluationJob.id,
    run: run.id,
  };
}

const listsWith = async (upload: Upload, reader: string) => {
  const found: string[] = [];
  for (const [url, kinds] of Object.entries(lists)) {
    const { status, body } = await test.call({ url: `${url}?limit=500`, headers: readers[reader] });
    expect(status).toBe(200);
    const ids = body.map((row: { id: string }) => row.id);
    found.push(...kinds.filter((kind) => ids.includes(upload[kind])));
  }
  return found.sort();
};
const everything = Object.values(lists).flat().sort();
/** The owner does not see the job of an operator on the owner's set. */
const ownRows = everything.filter((kind) => kind !== 'evaluation_job');

describe('an upload and what is made of it', () => {
  it.each([undefined, 'link'] as const)('is in no list of others with visibility %s', async (visibility) => {
    const upload = await work(visibility);
    for (const reader of ['anonymous', 'guest', 'other'])
      expect([reader, await listsWith(upload, reader)]).toEqual([reader, []]);
    expect(await listsWith(upload, 'owner')).toEqual(ownRows);
    for (const reader of ['operator', 'admin']) expect(await listsWith(upload, reader)).toEqual(everything);
  });

  it('is read by whoever has the id', async () => {
    const upload = await work('link');
    const pages = [
      `/v1/query-sets/${upload.query_set}`,
      `/v1/jobs/${upload.job}`,
      `/v1/jobs/${upload.job}/events`,
      `/v1/embeddings/prediction-sets/${upload.prediction_set}`,
      `/v1/embeddings/prediction-sets/${upload.prediction_set}/proteins`,
      `/v1/experiment-runs/${upload.run}`,
    ];
    for (const url of pages) expect([url, (await test.call({ url })).status]).toEqual([url, 200]);
    // The job of the set has not run, so the table waits for it: 409. An unknown id would answer 404.
    const table = `/v1/embeddings/prediction-sets/${upload.prediction_set}/predictions.tsv`;
    expect((await test.call({ url: table })).status).toBe(409);
  });

  it('leads from the query set to its predictions, saved or not', async () => {
    const upload = await work('link');
    const other = await work('link');
    const shown = await test.call({ url: `/v1/query-sets/${upload.query_set}` });
    const found = async () => {
      const { body } = await test.call({ url: shown.body.links.prediction_sets });
      return body.map((row: { id: string }) => row.id);
    };
    expect(await found()).toEqual([upload.prediction_set]);
    expect(await found()).not.toContain(other.prediction_set);
    await test.db
      .updateTable('prediction_set')
      .set({ listed: false })
      .where('id', '=', upload.prediction_set)
      .execute();
    expect(await found()).toEqual([upload.prediction_set]);
    expect(await listsWith(upload, 'owner')).not.toContain('prediction_set');
  });

  it('is in every list when its owner says listed, and no longer when the owner takes that back', async () => {
    const upload = await work('listed');
    expect(await listsWith(upload, 'anonymous')).toEqual(everything);
    const change = (visibility: string, headers: Record<string, string>) =>
      test.call({
        method: 'PATCH',
        url: `/v1/query-sets/${upload.query_set}`,
        payload: { visibility },
        headers,
      });
    expect(problemIn(await change('link', readers.other)).code).toBe('not_owner');
    expect(problemIn(await change('secret', owner.headers)).errors?.[0].path).toBe('/visibility');
    expect((await change('link', owner.headers)).body.visibility).toBe('link');
    await send('PATCH', `/v1/experiment-runs/${upload.run}`, { visibility: 'link' });
    expect(await listsWith(upload, 'anonymous')).toEqual([]);
    const shown = await test.call({ url: `/v1/jobs/${upload.evaluation_job}` });
    expect(shown.body.visibility).toBe('link');
  });

  it('is listed where the operator restores open lists', async () => {
    const open = await test.sibling({ defaultVisibility: 'listed' });
    const form = multipart({ name: 'x', file: { filename: 'a.fasta', content: '>a\nMKTAYIAK\n' } });
    const upload = await open.inject({
      method: 'POST',
      url: '/v1/query-sets',
      payload: form.payload,
      headers: { ...form.headers, ...owner.headers },
    });
    expect(upload.json().visibility).toBe('listed');
    const payload = { fasta_text: '>a\nMKTAYIAK\n' };
    const annotate = async (headers: Record<string, string>, query = '') =>
      (await open.inject({ method: 'POST', url: `/v1/annotate${query}`, payload, headers })).json();
    expect((await annotate(owner.headers)).visibility).toBe('listed');
    expect((await annotate(owner.headers, '?visibility=link')).visibility).toBe('link');
    expect((await annotate({})).visibility).toBe('link');
    expect((await annotate({}, '?visibility=listed')).errors[0].path).toBe('/visibility');
  });
});

it('work on the catalogue is listed', async () => {
  const ping = await send('POST', '/v1/jobs', { operation: 'ping', queue_name: 'svc.ping' });
  const ids = (await test.call({ url: '/v1/jobs' })).body.map((row: { id: string }) => row.id);
  expect(ids).toContain(ping.id);
});

it('results of evaluations do not name prediction sets that are in no list', async () => {
  const upload = await work('link');
  const old = await test.db
    .insertInto('annotation_set')
    .values({
      source: 'goa',
      source_version: 'old',
      ontology_snapshot_id: data.snapshotId,
      state: 'complete',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const set = await test.db
    .insertInto('evaluation_set')
    .values({
      old_annotation_set_id: old.id,
      new_annotation_set_id: data.setId,
      ontology_snapshot_id: data.snapshotId,
      rules: '{}',
      stats: '{}',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await test.db
    .insertInto('evaluation_result')
    .values({
      evaluation_set_id: set.id,
      prediction_set_id: upload.prediction_set,
      options: '{}',
      options_sha256: '0'.repeat(64),
      frame: '{}',
      results: '{}',
    })
    .execute();
  const count = async (headers: Record<string, string>, query = '') =>
    (await test.call({ url: `/v1/annotations/evaluation-sets/${set.id}/results${query}`, headers })).body
      .length;
  expect(await count({})).toBe(0);
  expect(await count(readers.other)).toBe(0);
  expect(await count(owner.headers)).toBe(1);
  expect(await count(readers.operator)).toBe(1);
  expect(await count({}, `?prediction_set_id=${upload.prediction_set}`)).toBe(1);
});
