import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromBuffer } from 'yauzl';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let researcher: TestAccount;
let other: TestAccount;
let operator: TestAccount;
let members: { job: string; result: string; reranker: string };
beforeAll(async () => {
  test = await startTestApp();
  researcher = await test.account('researcher');
  other = await test.account('researcher');
  operator = await test.account('operator');
  members = await addMembers();
});
afterAll(() => test?.close());

/** Adds a job, an evaluation result and a re-ranker. */
async function addMembers() {
  const { predictionSetId } = await fillCatalogue(test.db);
  const one = async (query: ReturnType<typeof sql<{ id: string }>>) =>
    (await query.execute(test.db)).rows[0].id;
  const job = await one(
    sql`insert into job (operation, queue_name) values ('ping', 'svc.ping') returning id`,
  );
  const set = await one(sql`
    with newer as (
      insert into annotation_set (source, source_version, ontology_snapshot_id, state)
      select 'goa', 'newer', ontology_snapshot_id, 'complete' from annotation_set returning id
    )
    insert into evaluation_set (old_annotation_set_id, new_annotation_set_id, ontology_snapshot_id, rules, stats)
    select old.id, newer.id, old.ontology_snapshot_id, '{}', '{}' from annotation_set old, newer returning id`);
  const figures = { NK: { F: { fmax: 0.5, tau: null, n_proteins: 3 }, P: { fmax: 0.25 } } };
  const result = await one(sql`
    insert into evaluation_result (evaluation_set_id, prediction_set_id, options, options_sha256, frame, results)
    values (${set}, ${predictionSetId}, '{}', ${'0'.repeat(64)}, '{}', ${JSON.stringify(figures)}) returning id`);
  const reranker = await one(sql`
    insert into reranker_model (name, run_id, artifact_uri, model_sha256, model_bytes, objective, tree_count,
      feature_names, feature_schema_sha, category_values, spec_yaml, run_json, metrics, feature_importance)
    values ('booster', 'run-1', 'file:///models/model.txt', ${'0'.repeat(64)}, 10, 'binary', 1, '{distance}',
      '0123456789abcdef', '{}', '', '{}', '{"test_fmax": 0.5}', '{}') returning id`);
  return { job, result, reranker };
}

const absent = '00000000-0000-4000-8000-000000000000';
let made = 0;
const create = async (changes: object = {}, account = researcher) => {
  const payload = { name: `run ${made++}`, ...changes };
  const answer = await test.call({
    method: 'POST',
    url: '/v1/experiment-runs',
    payload,
    headers: account.headers,
  });
  return answer;
};
const patch = (id: string, payload: object, account = researcher) =>
  test.call({ method: 'PATCH', url: `/v1/experiment-runs/${id}`, payload, headers: account.headers });
const attach = (id: string, payload: object, account = researcher) =>
  test.call({ method: 'POST', url: `/v1/experiment-runs/${id}/members`, payload, headers: account.headers });
const remove = (path: string, account = researcher) =>
  test.call({ method: 'DELETE', url: `/v1/experiment-runs/${path}`, headers: account.headers });
const show = async (id: string, account = researcher) =>
  (await test.call({ url: `/v1/experiment-runs/${id}`, headers: account.headers })).body;

describe('POST /experiment-runs', () => {
  it('makes a run with all that was given', async () => {
    const answer = await create({
      name: '  trimmed  ',
      description: 'd',
      hypothesis: 'h',
      config: { k: 5, deep: { list: [1, null, 'x'] } },
      provenance: { git: 'abc' },
      tags: ['one', 'two'],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/v1/experiment-runs/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      name: 'trimmed',
      description: 'd',
      hypothesis: 'h',
      findings: null,
      status: 'planned',
      config: { k: 5, deep: { list: [1, null, 'x'] } },
      provenance: { git: 'abc' },
      tags: ['one', 'two'],
      started_at: null,
      finished_at: null,
    });
    expect(await show(answer.body.id)).toEqual({
      ...answer.body,
      jobs: [],
      evaluation_results: [],
      reranker_models: [],
    });
  });

  it('stamps a run that begins later than planned', async () => {
    const running = (await create({ status: 'running' })).body;
    expect([running.started_at === null, running.finished_at === null]).toEqual([false, true]);
    const done = (await create({ status: 'done' })).body;
    expect([done.started_at === null, done.finished_at === null]).toEqual([false, false]);
  });

  it('refuses what does not fit', async () => {
    const { body } = await create();
    expect(problemIn(await create({ name: body.name }))).toMatchObject({
      status: 409,
      code: 'already_exists',
    });
    for (const changes of [
      { name: '  ' },
      { name: 'x'.repeat(256) },
      { status: 'paused' },
      { config: [] },
      { tags: [''] },
      { tags: Array.from({ length: 101 }, () => 'a') },
      { extra: 1 },
    ])
      expect(problemIn(await create(changes))).toMatchObject({ status: 422 });
  });
});

describe('PATCH /experiment-runs/{run_id}', () => {
  it('stamps each transition once, and never again', async () => {
    const { id } = (await create()).body;
    const running = (await patch(id, { status: 'running' })).body;
    expect(running).toMatchObject({ status: 'running', finished_at: null });
    expect(running.started_at).not.toBeNull();
    expect((await patch(id, { status: 'running' })).body.started_at).toBe(running.started_at);
    const done = (await patch(id, { status: 'done' })).body;
    expect(done.started_at).toBe(running.started_at);
    expect(done.finished_at >= running.started_at).toBe(true);
    expect((await patch(id, { status: 'done' })).body.finished_at).toBe(done.finished_at);
    const planned = (await create()).body;
    const abandoned = (await patch(planned.id, { status: 'abandoned' })).body;
    expect([abandoned.started_at, abandoned.finished_at === null]).toEqual([null, false]);
  });

  it('follows the state table: what is over does not go back', async () => {
    const all = ['planned', 'running', 'done', 'abandoned'];
    const allowed: Record<string, string[]> = {
      planned: ['planned', 'running', 'abandoned'],
      running: ['running', 'done', 'abandoned'],
      done: ['done'],
      abandoned: ['abandoned'],
    };
    for (const from of all)
      for (const to of all) {
        const { body } = await create({ status: from });
        const answer = await patch(body.id, { status: to, findings: 'tried' });
        if (allowed[from].includes(to)) expect([answer.status, answer.body.status]).toEqual([200, to]);
        else {
          expect(problemIn(answer)).toMatchObject({
            status: 409,
            code: 'conflict',
            detail: expect.stringContaining(`is ${from} and cannot become ${to}`),
          });
          const kept = (await test.call({ url: `/v1/experiment-runs/${body.id}` })).body;
          expect(kept).toMatchObject({ status: from, findings: null, finished_at: body.finished_at });
        }
      }
  });

  it('changes what is given and nothing else; null empties', async () => {
    const { body } = await create({ description: 'keep', hypothesis: 'drop', config: { a: 1 }, tags: ['x'] });
    const changed = await patch(body.id, { hypothesis: null, findings: 'It works.', config: { b: 2 } });
    const { updated_at: _, ...rest } = changed.body;
    const { updated_at: __, ...before } = body;
    expect(rest).toEqual({ ...before, hypothesis: null, findings: 'It works.', config: { b: 2 } });
    for (const payload of [{}, { name: 'other' }, { status: null }, { status: 'lost' }])
      expect(problemIn(await patch(body.id, payload))).toMatchObject({ status: 422 });
    expect(problemIn(await patch(absent, { findings: 'x' }))).toMatchObject({ status: 404 });
  });

  it('is for the owner and for operators', async () => {
    const { id } = (await create()).body;
    const may = await Promise.all(
      [researcher, other, operator].map(async (account) => (await show(id, account)).may_change),
    );
    expect(may).toEqual([true, false, true]);
    const refused = { status: 403, code: 'not_owner' };
    expect(problemIn(await patch(id, { findings: 'mine' }, other))).toMatchObject(refused);
    expect(problemIn(await attach(id, { job_ids: [members.job] }, other))).toMatchObject(refused);
    expect(problemIn(await remove(id, other))).toMatchObject(refused);
    expect((await patch(id, { findings: 'yours' }, operator)).body.findings).toBe('yours');
    expect((await remove(id, operator)).status).toBe(204);
  });
});

describe('DELETE /experiment-runs/{run_id}', () => {
  it('takes the run away, and leaves its members', async () => {
    const { id } = (await create()).body;
    await attach(id, { job_ids: [members.job] });
    expect((await remove(id)).status).toBe(204);
    expect(problemIn(await remove(id))).toMatchObject({ status: 404 });
    expect((await test.call({ url: `/v1/jobs/${members.job}` })).status).toBe(200);
  });
});

describe('members', () => {
  it('are shown with the run, once each, and go with their rows', async () => {
    const { id } = (await create()).body;
    const all = {
      job_ids: [members.job],
      evaluation_result_ids: [members.result.toUpperCase()],
      reranker_model_ids: [members.reranker],
    };
    expect((await attach(id, all)).status).toBe(200);
    const shown = (await attach(id, all)).body;
    expect(shown).toEqual(await show(id));
    expect(shown).toMatchObject({
      jobs: [{ id: members.job, operation: 'ping', status: 'QUEUED' }],
      evaluation_results: [{ id: members.result, results: { NK: { F: { fmax: 0.5 } } } }],
      reranker_models: [{ id: members.reranker, name: 'booster', metrics: { test_fmax: 0.5 } }],
    });
    expect((await remove(`${id}/members/${members.result}`)).status).toBe(204);
    expect(problemIn(await remove(`${id}/members/${members.result}`))).toMatchObject({ status: 404 });
    expect((await show(id)).evaluation_results).toEqual([]);
    const extra = await sql<{ id: string }>`
      insert into job (operation, queue_name) values ('ping', 'svc.ping') returning id`.execute(test.db);
    await attach(id, { job_ids: [extra.rows[0].id] });
    await sql`delete from job where id = ${extra.rows[0].id}`.execute(test.db);
    expect((await show(id)).jobs.map((job: { id: string }) => job.id)).toEqual([members.job]);
  });

  it('must be there', async () => {
    const { id } = (await create()).body;
    const answer = problemIn(
      await attach(id, { job_ids: [members.job, absent], reranker_model_ids: [members.job] }),
    );
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.errors?.map((fault) => fault.path)).toEqual(['/job_ids/1', '/reranker_model_ids/0']);
    expect((await show(id)).jobs).toEqual([]);
    for (const payload of [
      {},
      { job_ids: ['no uuid'] },
      { job_ids: Array.from({ length: 1001 }, () => absent) },
    ])
      expect(problemIn(await attach(id, payload))).toMatchObject({ status: 422 });
  });
});

describe('GET /experiment-runs', () => {
  const list = (query: string) =>
    test.call({ url: `/v1/experiment-runs${query}`, headers: researcher.headers });

  it('lists newest first, by status, page by page', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await create({ status: 'abandoned', tags: [`${i}`] })).body.id);
    const all = (await list('?status=Abandoned')).body;
    const idsOf = (rows: { id: string }[]) => rows.map((row) => row.id);
    expect(idsOf(all).slice(0, 5)).toEqual(ids);
    const first = await list('?status=abandoned&limit=3');
    const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] as string;
    expect(idsOf([...first.body, ...(await list(next.slice(next.indexOf('?')))).body]).slice(0, 5)).toEqual(
      ids,
    );
    const after = encodeURIComponent(all[0].created_at);
    expect((await list(`?after=${after}&limit=1`)).body[0].id).toBe(ids[1]);
    expect((await list('?status=lost')).status).toBe(422);
  });
});

async function entriesOf(zip: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  await new Promise<void>((resolve, reject) => {
    fromBuffer(zip, { lazyEntries: true }, (error, archive) => {
      if (error) return reject(error);
      archive.on('entry', (entry) => {
        archive.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          stream.on('data', (chunk) => chunks.push(chunk));
          stream.on('end', () => {
            files.set(entry.fileName, Buffer.concat(chunks).toString());
            archive.readEntry();
          });
        });
      });
      archive.on('end', resolve);
      archive.readEntry();
    });
  });
  return files;
}

describe('GET /experiment-runs/{run_id}/mlflow.zip', () => {
  it("has the run in MLflow's layout", async () => {
    const { body } = await create({
      name: 'to MLflow',
      status: 'running',
      hypothesis: 'Trees help.',
      config: { k: 5, model: { rate: 0.1, kind: 'gbdt' }, list: [1, 2], '../evil': 'x', 'a b': 1, 'a?b': 2 },
      provenance: { git: 'abc' },
      tags: ['t1', 't2'],
    });
    await attach(body.id, {
      job_ids: [members.job],
      evaluation_result_ids: [members.result],
      reranker_model_ids: [members.reranker],
    });
    const done = (await patch(body.id, { status: 'done' })).body;
    const answer = await test.app.inject({ url: `/v1/experiment-runs/${body.id}/mlflow.zip` });
    expect(answer.headers['content-type']).toBe('application/zip');
    const files = await entriesOf(answer.rawPayload);
    const runId = body.id.replaceAll('-', '');
    const meta = [...files.keys()].find((path) => path.endsWith(`${runId}/meta.yaml`)) as string;
    const folder = meta.slice(0, -'/meta.yaml'.length);
    expect(folder).toMatch(/^mlruns\/\d{18}\/[0-9a-f]{32}$/);
    const yaml = files.get(meta) as string;
    expect(yaml).toContain('status: 3\n');
    expect(yaml).toContain('run_name: "to MLflow"\n');
    expect(yaml).toContain(`end_time: ${Date.parse(done.finished_at)}\n`);
    const read = (path: string) => files.get(`${folder}/${path}`);
    expect([
      read('params/k'),
      read('params/model.rate'),
      read('params/model.kind'),
      read('params/list'),
    ]).toEqual(['5', '0.1', 'gbdt', '[1,2]']);
    expect([read('params/a_b'), read('params/a_b_2'), read('params/.._evil')]).toEqual(['1', '2', 'x']);
    expect(read('metrics/NK/MFO/fmax')).toMatch(/^\d{13} 0.5 0\n$/);
    expect(read('metrics/NK/BPO/fmax')).toMatch(/ 0.25 0\n$/);
    expect(read('metrics/NK/MFO/tau')).toBeUndefined();
    expect(read('tags/mlflow.note.content')).toBe('**Hypothesis.** Trees help.');
    expect(read('tags/kindred.tags')).toBe('t1, t2');
    expect(read('tags/provenance.git')).toBe('abc');
    expect(JSON.parse(read('artifacts/run.json') as string)).toMatchObject({ id: body.id, status: 'done' });
    for (const path of files.keys()) expect(path.split('/')).not.toContain('..');
  });
});
