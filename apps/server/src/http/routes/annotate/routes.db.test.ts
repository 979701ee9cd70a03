import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipart, problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { insertKmerConfig } from '../../../testing/worker/worker-processes.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
beforeAll(async () => {
  test = await startTestApp();
  expect(problemIn(await annotate({ fasta_text: '>a\nMK\n' }))).toMatchObject({
    status: 409,
    code: 'nothing_to_annotate_with',
    detail: expect.stringMatching(
      /^No annotation set is loaded\. Build a reference with "kindred reference build"/,
    ),
  });
  data = await fillCatalogue(test.db);
});
afterAll(() => test?.close());

const annotate = (payload: object, query = '', headers: Record<string, string> = {}) =>
  test.call({ method: 'POST', url: `/v1/annotate${query}`, payload, headers });
/** Adds a complete set of another release; with a taxon, the set annotates one protein of that organism. */
async function copyOfSet(
  version: string,
  taxon: number | null,
  { newest, rows = 0 }: { newest: string | null; rows?: number } = { newest: null },
): Promise<string> {
  const set = await test.db
    .insertInto('annotation_set')
    .values({
      source: 'goa',
      source_version: version,
      ontology_snapshot_id: data.snapshotId,
      state: 'complete',
      newest_annotation_date: newest,
      annotation_count: rows,
      statistics: JSON.stringify({
        by_aspect: { P: 0, F: 0, C: 0 },
        by_evidence_code: {},
        negated: 0,
        terms: 0,
      }),
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  await sql
    .raw(
      `create table protein_go_annotation_s${set.number} partition of protein_go_annotation for values in (${set.number})`,
    )
    .execute(test.db);
  if (taxon === null) return set.id;
  await sql`with source as (update protein set taxonomy_id = ${taxon} where id = (select max(id) from protein) returning id)
    insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code)
    select ${set.number}::int, id, (select min(id) from go_term), 'IDA' from source`.execute(test.db);
  return set.id;
}
const fasta = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => `>q${from + i}\nMKTAYIAK\n`).join('');

describe('a run without a name', () => {
  it('has that of its first proteins, by header or by sequence', async () => {
    const { headers } = await test.account('researcher');
    const { rows } = await sql<{ sequence: string; protein_name: string }>`
      select s.sequence, p.protein_name from protein p join sequence s on s.id = p.sequence_id
      where p.accession = 'P00001'`.execute(test.db);
    const [{ sequence, protein_name }] = rows;
    const nameOf = async (text: string) => (await annotate({ fasta_text: text }, '', headers)).body.name;
    expect(await nameOf(`>sequence\n${sequence}\n`)).toBe(protein_name);
    expect(await nameOf('>q0\nMKTAYIAKWW\n')).toBe('q0');
    const titin = '>sp|Q8WZ42|TITIN_HUMAN Titin OS=Homo sapiens OX=9606 GN=TTN\nMKTAYIAKW\n';
    expect(await nameOf(`${titin}>q0\nMKTAYIAKWW\n${fasta(2, 1)}`)).toBe('Titin, q0 and 2 more');
  });
});

describe('with an account', () => {
  it('stores the set, queues the embedding, and says how to go on', async () => {
    const { headers } = await test.account('researcher');
    const {
      status,
      body,
      headers: answered,
    } = await annotate({ fasta_text: fasta(2), name: 'two' }, '', headers);
    expect(status).toBe(202);
    expect(answered.location).toBe(`/v1/jobs/${body.embedding_job_id}`);
    expect(body).toMatchObject({
      embedding_config_id: data.configId,
      annotation_set_id: data.setId,
      ontology_snapshot_id: data.snapshotId,
      sequence_count: 2,
      save_history: true,
      predict_job_id: null,
      expires_at: null,
    });
    expect(test.broker.published.at(-1)).toEqual({
      queue: 'svc.embeddings',
      body: { job_id: body.embedding_job_id },
    });
    const chained = await test.call({
      method: 'POST',
      url: '/v1/embeddings/predict',
      payload: body.predict_payload,
      headers,
    });
    expect(chained.status).toBe(202);
    expect(chained.body).toEqual({ id: expect.any(String), status: 'QUEUED' });
    expect((await test.call({ url: `/v1/query-sets/${body.query_set_id}` })).body.name).toBe('two');
  });

  it('computes the vectors of several configurations, one after the other, before it predicts', async () => {
    const { headers } = await test.account('researcher');
    const other = await insertKmerConfig(test.db, 2048);
    const query = `auto_predict=true&embedding_config_id=${data.configId}&more_embedding_config_ids=`;
    const { status, body } = await annotate({ fasta_text: fasta(1) }, `?${query}${other.id}`, headers);
    expect(status).toBe(202);
    expect(body.predict_payload).toMatchObject({
      embedding_config_id: data.configId,
      more_embedding_config_ids: [other.id],
    });
    const [first, second] = body.embedding_job_ids;
    expect(body.embedding_job_id).toBe(second);
    const jobs = await Promise.all(
      [first, second, body.predict_job_id].map(
        async (id) => (await test.call({ url: `/v1/jobs/${id}` })).body,
      ),
    );
    expect(jobs.map(({ waits_for_job_id }) => waits_for_job_id)).toEqual([null, first, second]);
    expect(jobs.slice(0, 2).map(({ payload }) => payload.embedding_config_id)).toEqual([
      data.configId,
      other.id,
    ]);

    const absent = '00000000-0000-4000-8000-000000000000';
    expect(problemIn(await annotate({ fasta_text: fasta(1) }, `?${query}${absent}`, headers))).toMatchObject({
      status: 422,
      errors: [{ path: '/more_embedding_config_ids/0', code: 'not_found' }],
    });
  });

  it('queues the prediction too when asked, to wait for the vectors', async () => {
    const { headers } = await test.account('researcher');
    const form = multipart({ file: { filename: 'q.fasta', content: fasta(1) } });
    const { body } = await test.call({
      method: 'POST',
      url: '/v1/annotate?auto_predict=true',
      payload: form.payload,
      headers: { ...form.headers, ...headers },
    });
    expect(body.predict_payload).toMatchObject({ method: 'combined', limit_per_entry: 50 });
    expect((await test.call({ url: `/v1/query-sets/${body.query_set_id}` })).body.name).toBe('q.fasta');
    const job = await test.call({ url: `/v1/jobs/${body.predict_job_id}` });
    expect(job.body).toMatchObject({
      operation: 'predict_go_terms',
      waits_for_job_id: body.embedding_job_id,
      status: 'QUEUED',
    });
    expect(
      test.broker.published.some(
        (message) =>
          message.queue === 'svc.predictions' &&
          (message.body as { job_id: string }).job_id === body.predict_job_id,
      ),
    ).toBe(false);
  });

  it('repeats the first answer for an Idempotency-Key, also for a form', async () => {
    const { headers } = await test.account('researcher');
    const send = async (text: string) => {
      const form = multipart({ fasta_text: text });
      return test.call({
        method: 'POST',
        url: '/v1/annotate',
        payload: form.payload,
        headers: { ...form.headers, ...headers, 'idempotency-key': 'k' },
      });
    };
    const [first, second] = [await send(fasta(1)), await send(fasta(1))];
    expect(second.body).toEqual(first.body);
    expect(problemIn(await send(fasta(2)))).toMatchObject({ code: 'idempotency_mismatch' });
  });
});

describe('without an account', () => {
  it('keeps no history, and needs an account for one', async () => {
    const { body } = await annotate({ fasta_text: fasta(1) }, '?auto_predict=1');
    expect(body.save_history).toBe(false);
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
    expect(JSON.stringify((await test.call({ url: '/v1/query-sets' })).body)).not.toContain(
      body.query_set_id,
    );
    expect(JSON.stringify((await test.call({ url: '/v1/jobs' })).body)).not.toContain(body.embedding_job_id);
    expect((await test.call({ url: `/v1/query-sets/${body.query_set_id}` })).body.entry_count).toBe(1);
    expect(problemIn(await annotate({ fasta_text: fasta(1) }, '?save_history=true'))).toMatchObject({
      status: 401,
    });
    const guest = await test.account('guest');
    expect(
      problemIn(await annotate({ fasta_text: fasta(1) }, '?save_history=true', guest.headers)),
    ).toMatchObject({ status: 403 });
  });

  it('reads no body once the quota is used up, except of what was answered before', async () => {
    await test.db.deleteFrom('quota').execute();
    const repeated = { 'idempotency-key': 'before-the-end' };
    const first = await annotate({ fasta_text: fasta(10) }, '', repeated);
    expect(first.status).toBe(202);
    const refused = problemIn(await annotate({ fasta_text: 'no FASTA' }));
    expect(refused).toMatchObject({ status: 429, code: 'quota_exceeded' });
    expect((await annotate({ fasta_text: fasta(10) }, '', repeated)).body).toEqual(first.body);
  });

  it('stops at ten sequences a day over all processes, counting refused work as nothing', async () => {
    await test.db.deleteFrom('quota').execute();
    const tooMany = await annotate({ fasta_text: fasta(11) });
    expect(problemIn(tooMany)).toMatchObject({ status: 429, code: 'quota_exceeded' });
    expect(Number(tooMany.headers['retry-after'])).toBeLessThanOrEqual(86_400);
    expect(problemIn(await annotate({ fasta_text: '>a\nM1\n' })).code).toBe('bad_fasta');
    const apps = [test.app, await test.sibling()];
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        apps[i % 2].inject({
          method: 'POST',
          url: i % 3 ? '/v1/annotate' : '/annotate',
          payload: { fasta_text: fasta(2) },
        }),
      ),
    );
    expect(answers.filter((answer) => answer.statusCode === 202)).toHaveLength(5);
    expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(25);
    const spoofed = await annotate({ fasta_text: fasta(1) }, '', { 'x-forwarded-for': '203.0.113.9' });
    expect(spoofed.status).toBe(429);
    const behind = await test.sibling({ trustedProxies: ['127.0.0.1/32'] });
    const other = await behind.inject({
      method: 'POST',
      url: '/v1/annotate',
      payload: { fasta_text: fasta(1) },
      headers: { 'x-forwarded-for': '203.0.113.9' },
    });
    expect(other.statusCode).toBe(202);
  });
});

describe('what may be chosen', () => {
  it('is how to predict and from what', async () => {
    const { headers } = await test.account('researcher');
    const chosen = `annotation_set_id=${data.setId}&embedding_config_id=${data.configId}`;
    const { body } = await annotate(
      { fasta_text: fasta(1) },
      `?${chosen}&limit_per_entry=20&evidence=experimental,ISS&sources=UniProt, InterPro&aspects=F,C&source_taxa=9606,10090&exclude_taxa=562&aspect=F`,
      headers,
    );
    expect(body.predict_payload).toEqual({
      method: 'combined',
      limit_per_entry: 20,
      evidence: ['experimental', 'ISS'],
      sources: ['UniProt', 'InterPro'],
      aspects: ['F', 'C'],
      source_taxa: [9606, 10090],
      exclude_taxa: [562],
      aspect: 'F',
      sequence_only: true,
      annotation_set_id: data.setId,
      embedding_config_id: data.configId,
      ontology_snapshot_id: data.snapshotId,
      query_set_id: body.query_set_id,
    });
    const nearest = await annotate({ fasta_text: fasta(1) }, '?method=knn', headers);
    expect(nearest.body.predict_payload).toEqual({
      method: 'knn',
      annotation_set_id: data.setId,
      embedding_config_id: data.configId,
      ontology_snapshot_id: data.snapshotId,
      query_set_id: nearest.body.query_set_id,
    });
    const without = await annotate({ fasta_text: fasta(1) }, '?sequence_only=false', headers);
    expect(without.body.predict_payload).not.toHaveProperty('sequence_only');
    const refused = await annotate({ fasta_text: fasta(1) }, '?method=knn&sequence_only=true', headers);
    expect(problemIn(refused)).toMatchObject({ status: 422, errors: [{ path: '/sequence_only' }] });
  });

  it.each([
    ['limit_per_entry=51', '/limit_per_entry'],
    ['aspects=F,X', '/aspects'],
    ['source_taxa=human', '/source_taxa'],
    ['exclude_taxa=0', '/exclude_taxa'],
    ['sources=,', '/sources'],
    ['method=knn&aspect=P', '/aspect'],
    ['evidence=guesses', '/evidence'],
    ['aspect=X', '/aspect'],
    ['method=magic', '/method'],
  ])('refuses %s, naming the field', async (query, path) => {
    const { headers } = await test.account('operator');
    const refused = problemIn(await annotate({ fasta_text: fasta(1) }, `?${query}`, headers));
    expect([400, 422]).toContain(refused.status);
    expect(refused.errors?.[0].path).toContain(path);
  });

  it('is every reference where nobody names one: each in its newest version, with vectors of the model', async () => {
    const { headers } = await test.account('operator');
    const reference = async (name: string, version: string, isSearchable = true) => {
      const annotation_set_id = await copyOfSet(`${name} ${version}`, null);
      const ids = { annotation_set_id, ontology_snapshot_id: data.snapshotId };
      const { number } = await test.db
        .insertInto('reference')
        .values({ name, version, status: 'complete', ...ids })
        .returning('number')
        .executeTakeFirstOrThrow();
      if (isSearchable)
        await test.db
          .insertInto('reference_vectors')
          .values({ reference_number: number, position: 0, embedding_config_id: data.configId })
          .execute();
      return annotation_set_id;
    };
    await reference('yeast', '1');
    const yeast = await reference('yeast', '2');
    const human = await reference('human', '1');
    const other = await reference('other-model', '1', false);
    const asked = (query = '') => annotate({ fasta_text: fasta(1) }, `?auto_predict=true${query}`, headers);
    const { body } = await asked();
    const ids = (list: { annotation_set_id: string }[]) =>
      list.map(({ annotation_set_id }) => annotation_set_id).sort();
    expect(ids(body.more_references)).toEqual([yeast, human].sort());
    expect(ids(body.not_searched)).toEqual([other]);
    expect(body.predict_payload).toMatchObject({
      more_annotation_set_ids: body.more_references.map(
        (one: { annotation_set_id: string }) => one.annotation_set_id,
      ),
      prefer_first: false,
    });
    for (const chosen of ['reference=yeast', `annotation_set_id=${human}`]) {
      const { body: alone } = await asked(`&${chosen}`);
      expect([alone.more_references, alone.not_searched]).toEqual([[], []]);
      expect(alone.predict_payload).not.toHaveProperty('more_annotation_set_ids');
    }
    const { body: knn } = await asked('&method=knn');
    expect([knn.more_references, ids(knn.not_searched)]).toEqual([[], [yeast, human, other].sort()]);
    await test.db
      .updateTable('annotation_set')
      .set({ protein_count: 200_001 })
      .where('id', '=', human)
      .execute();
    await test.db
      .updateTable('annotation_set')
      .set({ protein_count: 200_002 })
      .where('id', '=', yeast)
      .execute();
    const { body: large } = await asked();
    expect([large.more_references.length, large.not_searched.length]).toEqual([1, 2]);
    const use = await test.call({ method: 'POST', url: '/v1/references/human/use', headers });
    expect(use.status).toBe(200);
    expect((await asked()).body.predict_payload).toMatchObject({ annotation_set_id: human });
    await test.db
      .updateTable('annotation_set')
      .set({ protein_count: 5 })
      .where('id', 'in', [yeast, human])
      .execute();
    expect((await asked()).body.predict_payload).toMatchObject({
      annotation_set_id: human,
      more_annotation_set_ids: [yeast],
      prefer_first: true,
    });
    await test.db.deleteFrom('annotate_reference').execute();
    await test.db.deleteFrom('reference').execute();
  });

  it('is the reference: by the caller, else by an operator, else the newest that knows the organism', async () => {
    const { headers } = await test.account('operator');
    const reference = async (query = '') => (await test.call({ url: `/v1/annotate/reference${query}` })).body;
    // Names do not count, because a laboratory may call its release what it likes.
    const older = await copyOfSet('release 2031-01-01', null, { newest: '2025-06-01' });
    const newer = await copyOfSet('goa_human r230', 4932, { newest: '2027-01-01', rows: 2 });
    await copyOfSet('release 2032-01-01 without dates', null);
    // The set is as new as the other, has fewer rows, and was loaded later.
    await copyOfSet('zz 2033-01-01', 4932, { newest: '2027-01-01', rows: 1 });
    const withoutTaxon = { annotation_set_id: newer, annotation_set_chosen_by: 'newest' };
    expect(await reference()).toMatchObject({ ...withoutTaxon, embedding_config_chosen_by: 'most vectors' });
    expect(await reference('?taxon_id=4932')).toMatchObject({
      annotation_set_id: newer,
      annotation_set_chosen_by: 'organism',
    });
    const asked = await annotate({ fasta_text: `>q OX=4932\nMKTAYIAK\n` }, '', headers);
    expect(asked.body).toMatchObject({ annotation_set_id: newer, annotation_set_chosen_by: 'organism' });
    const set = (annotation_set_id: string | null) =>
      test.call({
        method: 'PATCH',
        url: '/v1/annotate/reference',
        payload: { annotation_set_id, embedding_config_id: data.configId },
        headers,
      });
    expect((await set(older)).status).toBe(200);
    expect(await reference('?taxon_id=4932')).toMatchObject({
      annotation_set_id: older,
      annotation_set_chosen_by: 'operator',
      embedding_config_chosen_by: 'operator',
    });
    const named = await annotate({ fasta_text: fasta(1) }, `?annotation_set_id=${newer}`, headers);
    expect(named.body).toMatchObject({ annotation_set_id: newer, annotation_set_chosen_by: 'caller' });
    expect(problemIn(await set('00000000-0000-4000-8000-000000000000')).status).toBe(422);
    const { headers: researcher } = await test.account('researcher');
    const refused = await test.call({
      method: 'PATCH',
      url: '/v1/annotate/reference',
      payload: { annotation_set_id: null, embedding_config_id: null },
      headers: researcher,
    });
    expect(problemIn(refused).status).toBe(403);
  });

  it('refuses a reference that is not there', async () => {
    const { headers } = await test.account('operator');
    for (const name of ['annotation_set_id', 'embedding_config_id']) {
      const absent = `?${name}=00000000-0000-4000-8000-000000000000`;
      const refused = problemIn(await annotate({ fasta_text: fasta(1) }, absent, headers));
      expect(refused).toMatchObject({ status: 422, errors: [{ path: `/${name}` }] });
    }
  });
});

describe('what it refuses', () => {
  it('names the fault', async () => {
    const { headers } = await test.account('operator');
    expect(
      problemIn(await annotate({ fasta_text: '>a\nMK\n', color: 1 }, '', headers)).errors?.[0].path,
    ).toBe('/color');
    expect(problemIn(await annotate({}, '', headers)).errors?.[0].path).toBe('/fasta_text');
    expect(problemIn(await annotate({ fasta_text: '>a\nM?\n' }, '', headers)).errors?.[0].path).toBe(
      '/fasta_text',
    );
    expect(
      problemIn(await annotate({ fasta_text: '>a\nMK\n' }, '?save_history=maybe', headers)).errors?.[0].path,
    ).toBe('/save_history');
    const both = multipart({ fasta_text: fasta(1), file: { filename: 'a', content: fasta(1) } });
    const twice = await test.call({
      method: 'POST',
      url: '/v1/annotate',
      payload: both.payload,
      headers: { ...both.headers, ...headers },
    });
    expect(problemIn(twice).errors?.[0].path).toBe('/file');
    expect(problemIn(await test.call({ method: 'POST', url: '/v1/annotate', headers })).status).toBe(415);
  });
});
