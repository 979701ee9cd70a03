import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import { tsvColumns } from './tables.js';

let test: TestApp;
let data: TestData;
let base: string;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  base = `/v1/embeddings/prediction-sets/${data.predictionSetId}`;
});
afterAll(() => test?.close());

const get = (url: string, headers: Record<string, string> = {}) => test.call({ url, headers });
const absentId = '44444444-4444-4444-8444-444444444444';

describe('prediction sets', () => {
  it('are listed with the names of what they were made from, and detailed with statistics', async () => {
    const [listed] = (await get('/v1/embeddings/prediction-sets')).body;
    expect(listed).toMatchObject({
      id: data.predictionSetId,
      embedding_config_name: 'tiny',
      annotation_set_label: 'goa 2026-01',
      ontology_snapshot_version: 'releases/2026-01-01',
      obo_version: 'releases/2026-01-01',
      prediction_count: 3,
    });
    await test.db
      .updateTable('prediction_set_protein')
      .set({ is_namesake: true })
      .where('protein_accession', '=', 'Q2')
      .execute();
    expect((await get(base)).body.statistics).toMatchObject({
      namesakes: 1,
      proteins_with_predictions: 1,
      proteins_without_predictions: 1,
      pair_count: 2,
      term_count: 2,
      terms_per_aspect: { P: 1, F: 1, C: 0 },
    });
    expect(problemIn(await get(`/v1/embeddings/prediction-sets/${absentId}`)).status).toBe(404);
    // A set that was made before names were compared does not say that no name matches.
    await test.db.updateTable('prediction_set_protein').set({ is_namesake: false }).execute();
    const before = sql<string>`(select applied_at - interval '1 s' from schema_migration where version = 104)`;
    const made = await test.db.selectFrom('prediction_set').select(['id', 'created_at']).execute();
    await test.db.updateTable('prediction_set').set({ created_at: before }).execute();
    expect((await get(base)).body.statistics.namesakes).toBeNull();
    expect((await get(`${base}/overview`)).body.proteins[0].is_namesake).toBeNull();
    expect((await get(`${base}/proteins/Q1/answer`)).body.is_namesake).toBeNull();
    const { body: table } = await get(`${base}/export?format=tsv`);
    const [head, first] = table.split('\n').map((line: string) => line.split('\t'));
    expect(first[head.indexOf('is_namesake')]).toBe('');
    expect((await get(`${base}/export?format=gaf`)).body).toContain('Not checked: Names of queries');
    for (const { id, created_at } of made)
      await test.db.updateTable('prediction_set').set({ created_at }).where('id', '=', id).execute();
    expect((await get(base)).body.statistics.namesakes).toBe(0);
  });

  it('page their proteins', async () => {
    const page = await get(`${base}/proteins?limit=1`);
    expect(page.body).toMatchObject({
      total: 2,
      offset: 0,
      limit: 1,
      items: [{ accession: 'Q1', go_count: 2, in_db: false }],
    });
    const next = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1] as string;
    expect((await get(next)).body.items[0].accession).toBe('Q2');
    expect((await get(`${base}/proteins?search=q2`)).body.total).toBe(1);
  });

  it('give the predictions of one protein, an empty list for none, and 404 for a stranger', async () => {
    const { body } = await get(`${base}/proteins/Q1`);
    expect(body).toHaveLength(3);
    expect(body[0]).toMatchObject({
      go_id: 'GO:0005515',
      name: 'protein binding',
      aspect: 'F',
      ref_protein_accession: 'P00001',
      identity_nw: null,
    });
    expect((await get(`${base}/proteins/Q2`)).body).toEqual([]);
    expect(problemIn(await get(`${base}/proteins/Q3`)).status).toBe(404);
    expect(problemIn(await get(`/v1/embeddings/prediction-sets/${absentId}/proteins/Q1`)).status).toBe(404);
  });

  it('know a query without predictions whose accession is part of 500 earlier ones', async () => {
    const { number } = await test.db
      .selectFrom('prediction_set')
      .select('number')
      .where('id', '=', data.predictionSetId)
      .executeTakeFirstOrThrow();
    const { rows } = await sql<{ accession: string }>`
      insert into prediction_set_protein (prediction_set_number, protein_accession, sequence_id, term_count, prediction_count)
      select ${number}, accession, (select min(id) from sequence), 0, 0
      from (select 'A' || place || '-Z1' as accession from generate_series(1, 500) place union all select 'Z1') queries
      returning protein_accession as accession`.execute(test.db);
    expect(rows).toHaveLength(501);
    try {
      expect((await get(`${base}/proteins/Z1`)).body).toEqual([]);
      expect(problemIn(await get(`${base}/proteins/A1-Z`)).status).toBe(404);
    } finally {
      await test.db
        .deleteFrom('prediction_set_protein')
        .where('prediction_set_number', '=', number)
        .where('protein_accession', 'like', '%Z1')
        .execute();
    }
  });

  it('count terms', async () => {
    const { body } = await get(`${base}/go-terms`);
    expect(body.by_aspect.F).toEqual([{ go_id: 'GO:0005515', name: 'protein binding', count: 1 }]);
    expect(body.aspect_totals).toEqual({ P: 1, F: 1, C: 0 });
    expect(body.top_terms).toHaveLength(2);
  });

  it('are listed when incomplete only where that is asked for', async () => {
    const list = '/v1/embeddings/prediction-sets';
    const give = (status: 'complete' | 'incomplete', query_count: number | null) =>
      test.db
        .updateTable('prediction_set')
        .set({ status, query_count })
        .where('id', '=', data.predictionSetId)
        .execute();
    expect((await get(`${list}?status=incomplete`)).body).toEqual([]);
    await give('incomplete', 8464);
    const listed = (await get(list)).body;
    const asked = (await get(`${list}?status=incomplete`)).body;
    await give('complete', null);
    expect(listed).toEqual([]);
    expect(asked).toMatchObject([{ id: data.predictionSetId, status: 'incomplete', query_count: 8464 }]);
    expect((await get(`${list}?status=complete`)).body).toHaveLength(1);
    expect(problemIn(await get(`${list}?status=lost`)).errors?.[0].path).toBe('/status');
  });

  it('are found by their query set', async () => {
    const list = '/v1/embeddings/prediction-sets';
    const { id: querySetId } = await test.db
      .insertInto('query_set')
      .values({ name: 'mine', entry_count: 0 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const give = (query_set_id: string | null) =>
      test.db
        .updateTable('prediction_set')
        .set({ query_set_id })
        .where('id', '=', data.predictionSetId)
        .execute();
    expect((await get(`${list}?query_set_id=${querySetId}`)).body).toEqual([]);
    await give(querySetId);
    const found = (await get(`${list}?query_set_id=${querySetId}`)).body;
    await give(null);
    expect(found).toMatchObject([
      { id: data.predictionSetId, query_set_id: querySetId, query_set_name: 'mine' },
    ]);
    expect((await get(`${list}?query_set_id=${absentId}`)).body).toEqual([]);
    expect(problemIn(await get(`${list}?query_set_id=x`)).errors?.[0].path).toBe('/query_set_id');
  });

  it('tell distinct terms from (query, term) pairs', async () => {
    const copied = (table: string, condition: string) =>
      sql
        .raw(
          `insert into ${table} select (jsonb_populate_record(p, '{"protein_accession": "Q9"}')).*
           from ${table} p where protein_accession = 'Q1' and ${condition}`,
        )
        .execute(test.db);
    await copied('prediction_set_protein', 'true');
    await copied('go_prediction', 'is_nearest');
    try {
      const { statistics } = (await get(base)).body;
      expect(statistics).toMatchObject({
        proteins_with_predictions: 2,
        pair_count: 4,
        term_count: 2,
        terms_per_aspect: { P: 1, F: 1, C: 0 },
      });
      expect((await get(`${base}/go-terms`)).body.aspect_totals).toEqual({ P: 2, F: 2, C: 0 });
    } finally {
      for (const table of ['go_prediction', 'prediction_set_protein'] as const)
        await test.db.deleteFrom(table).where('protein_accession', '=', 'Q9').execute();
    }
  });
});

describe('predictions.tsv', () => {
  it('has 32 columns, one line per row, and six digits', async () => {
    const { headers, body } = await get(`${base}/predictions.tsv`);
    expect(headers['content-type']).toBe('text/tab-separated-values; charset=utf-8');
    expect(headers['content-disposition']).toBe(
      `attachment; filename="predictions_${data.predictionSetId}.tsv"`,
    );
    const lines = String(body)
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => line.split('\t'));
    expect(lines[0]).toEqual([...tsvColumns]);
    expect(lines.map((cells) => cells.length)).toEqual([32, 32, 32, 32]);
    expect(lines[1].slice(0, 6)).toEqual(['Q1', 'GO:0005515', 'protein binding', 'F', '0.123457', 'P00001']);
  });

  it('says in the name of the file that neighbours are approximate', async () => {
    const keep = (await get(base)).body.parameters;
    const write = (parameters: unknown) =>
      test.db
        .updateTable('prediction_set')
        .set({ parameters: JSON.stringify(parameters) })
        .where('id', '=', data.predictionSetId)
        .execute();
    await write({ ...keep, search: 'hnsw' });
    for (const name of ['predictions', 'predictions-cafa']) {
      const { headers } = await get(`${base}/${name}.tsv`);
      expect(headers['content-disposition']).toContain(`${data.predictionSetId}_hnsw.tsv"`);
    }
    await write(keep);
  });

  it('filters by accession, aspect and distance', async () => {
    const count = async (query: string) =>
      String((await get(`${base}/predictions.tsv?${query}`)).body)
        .trimEnd()
        .split('\n').length - 1;
    expect(await count('aspect=f')).toBe(2);
    expect(await count('aspect=BPO')).toBe(1);
    expect(await count('max_distance=0.2')).toBe(1);
    expect(await count('accession=Q2')).toBe(0);
    expect(problemIn(await get(`${base}/predictions.tsv?aspect=X`)).errors?.[0].path).toBe('/aspect');
    expect(problemIn(await get(`${base}/predictions.tsv?distance=1`)).errors?.[0].path).toBe('/distance');
  });

  it('is packed where the client takes gzip', async () => {
    const plain = await test.app.inject({ url: `${base}/predictions.tsv` });
    const packed = await test.app.inject({
      url: `${base}/predictions.tsv`,
      headers: { 'accept-encoding': 'br, gzip' },
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.payload);
    const refused = await test.app.inject({
      url: `${base}/predictions.tsv`,
      headers: { 'accept-encoding': 'gzip;q=0' },
    });
    expect(refused.headers['content-encoding']).toBeUndefined();
  });
});

describe('the CAFA file', () => {
  it('has one line per protein and term, no header, and never a score of 0', async () => {
    const { body } = await get(`${base}/predictions-cafa.tsv`);
    expect(body).toBe('Q1\tGO:0005515\t0.938\nQ1\tGO:0008150\t0.001\n');
  });
});

describe('POST /embeddings/predict', () => {
  it('refuses absent rows and malformed ids before anything is queued', async () => {
    const { headers } = await test.account('researcher');
    const good = {
      embedding_config_id: data.configId,
      annotation_set_id: data.setId,
      ontology_snapshot_id: data.snapshotId,
    };
    const send = (payload: object) =>
      test.call({ method: 'POST', url: '/v1/embeddings/predict', payload, headers });
    for (const field of Object.keys(good)) {
      expect(problemIn(await send({ ...good, [field]: absentId })).errors).toMatchObject([
        { path: `/${field}`, code: 'not_found' },
      ]);
      expect(problemIn(await send({ ...good, [field]: 'x' })).errors?.[0].path).toBe(`/${field}`);
    }
    expect(problemIn(await send({ ...good, query_set_id: absentId })).status).toBe(422);
    const made = await send({ ...good, query_accessions: ['P00001'] });
    expect(made.status).toBe(202);
    expect(made.headers.location).toBe(`/v1/jobs/${made.body.id}`);
  });
});

describe('deleting', () => {
  it('is for operators, whoever owns the set, which says who may rename and share it', async () => {
    const [owner, stranger] = [await test.account('researcher'), await test.account('researcher')];
    const give = (owner_user_id: string | null) =>
      test.db.updateTable('prediction_set').set({ owner_user_id }).execute();
    await give(owner.user.id);
    const may = async (headers: Record<string, string> = {}) =>
      (await test.call({ url: base, headers })).body.may_change;
    expect([await may(owner.headers), await may(stranger.headers), await may()]).toEqual([
      true,
      false,
      false,
    ]);
    for (const { headers } of [owner, stranger]) {
      const refused = await test.call({ method: 'DELETE', url: base, headers });
      expect(problemIn(refused)).toMatchObject({ status: 403, code: 'role_too_low' });
    }
    expect((await get(base)).body.id).toBe(data.predictionSetId);
    await give(null);
  });

  it('waits for jobs that read the set', async () => {
    const { headers } = await test.account('operator');
    const payload = JSON.stringify({ prediction_set_id: data.predictionSetId });
    const { id } = await test.db
      .insertInto('job')
      .values({ operation: 'run_cafa_evaluation', queue_name: 'svc.jobs', status: 'RUNNING', payload })
      .returning('id')
      .executeTakeFirstOrThrow();
    const refused = await test.call({ method: 'DELETE', url: base, headers });
    expect(problemIn(refused)).toMatchObject({ status: 409, code: 'in_use' });
    expect(refused.body.detail).toContain('job that has not ended');
    await test.db.deleteFrom('job').where('id', '=', id).execute();
  });

  it('answers with counts', async () => {
    const { headers } = await test.account('operator');
    const gone = await test.call({ method: 'DELETE', url: base, headers });
    expect(gone.body).toEqual({ deleted: data.predictionSetId, predictions_deleted: 3 });
    expect((await test.call({ method: 'DELETE', url: base, headers })).status).toBe(404);
  });
});
