import { gunzipSync } from 'node:zlib';
import { once } from 'node:events';
import { sql } from 'kysely';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inTransaction } from '../store/postgres/db.js';
import { announceChange } from '../store/postgres/notifications.js';
import { deleteReference } from '../store/references/references.repository.js';
import { fillCatalogue } from '../testing/tiny-catalogue.js';
import { startTestApp, type TestApp } from '../testing/test-app.js';

let test: TestApp;
let address: string;

beforeAll(async () => {
  test = await startTestApp();
  await fillCatalogue(test.db);
  // The app listens, because kept replies need a service that hears of changes.
  address = await test.app.listen({ port: 0, host: '127.0.0.1' });
  await vi.waitFor(async () => expect(await isKept('/v1/proteins/P00001')).toBe(true), patience);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await test?.close();
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(address + path, { headers });

async function hits(): Promise<number> {
  const text = await (await get('/metrics')).text();
  return Number(/^http_kept_replies_total\{outcome="kept"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const waiting = (pool: object) => (pool as { waitingCount: number }).waitingCount;

/** Returns true if the second of two requests is answered from memory. */
async function isKept(path: string): Promise<boolean> {
  await (await get(path)).text();
  const before = await hits();
  await (await get(path)).text();
  return (await hits()) > before;
}

it('answers frequent reads from memory, and with 304 where the client has the reply', async () => {
  for (const path of [
    '/v1/proteins/P00001',
    '/v1/proteins?limit=1',
    '/proteins/P00001',
    '/v1/proteins/P00002',
  ])
    expect(await isKept(path), path).toBe(true);
  const first = await get('/v1/proteins?limit=1');
  const second = await get('/v1/proteins?limit=1');
  expect(await second.json()).toEqual(await first.json());
  for (const name of ['etag', 'link', 'content-type', 'cache-control'])
    expect(second.headers.get(name)).toBe(first.headers.get(name));
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const etag = String(first.headers.get('etag'));
  for (const header of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const unchanged = await get('/v1/proteins?limit=1', { 'if-none-match': header });
    expect(unchanged.status, header).toBe(304);
    expect(await unchanged.text()).toBe('');
  }
  expect((await get('/v1/proteins?limit=2', { 'if-none-match': etag })).status).toBe(200);
});

it('computes again what a committed change may have changed, and what the client will not have kept', async () => {
  expect(await isKept('/v1/proteins/P00001')).toBe(true);
  const before = await hits();
  await get('/v1/proteins/P00001', { 'cache-control': 'no-cache' });
  expect(await hits()).toBe(before);
  await sql`update protein set gene_name = 'NEW1' where accession = 'P00001'`.execute(test.db);
  await vi.waitFor(
    async () => expect(await (await get('/v1/proteins/P00001')).json()).toMatchObject({ gene_name: 'NEW1' }),
    patience,
  );
  expect(await isKept('/v1/proteins/P00001')).toBe(true);
  await sql`truncate protein_metadata`.execute(test.db);
  await vi.waitFor(
    async () => expect(await (await get('/v1/proteins/P00001')).json()).toMatchObject({ metadata: null }),
    patience,
  );
});

it('computes a protein again when a reference that has it goes', async () => {
  const { db } = test;
  const reference = await db
    .insertInto('reference')
    .values({ name: 'gone', version: '1', status: 'complete' })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  await sql`insert into reference_protein (reference_number, protein_id, sequence_id)
    select ${reference.number}::int, id, sequence_id from protein where accession = 'P00001'`.execute(db);
  const named = async () => {
    const body = (await (await get('/v1/proteins/P00001')).json()) as { reference_sequences: unknown[] };
    return body.reference_sequences.length;
  };
  await inTransaction(db, (trx) => announceChange(trx, 'protein'));
  await vi.waitFor(async () => expect(await named()).toBe(1), patience);
  expect(await isKept('/v1/proteins/P00001')).toBe(true);
  await inTransaction(db, (trx) => deleteReference(trx, reference.id));
  await vi.waitFor(async () => expect(await named()).toBe(0), patience);
});

it('does not keep refusals, nor private routes', async () => {
  expect(await isKept('/v1/proteins/P99999')).toBe(false);
  expect((await get('/v1/proteins/P99999')).headers.get('etag')).toBeNull();
  expect((await get('/v1/jobs')).headers.get('etag')).toBeNull();
});

it('packs replies where the client takes gzip, but no answer with a secret', async () => {
  const raw = async (path: string, encoding: string, headers: Record<string, string> = {}) => {
    const { request } = await import('node:http');
    const sent = request(address + path, { headers: { ...headers, 'accept-encoding': encoding } }).end();
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { encoding: response.headers['content-encoding'], body: Buffer.concat(chunks) };
  };
  await sql`update protein set gene_name = repeat('LONG', 500) where accession = 'P00002'`.execute(test.db);
  await vi.waitFor(
    async () => expect((await raw('/v1/proteins/P00002', 'gzip')).encoding).toBe('gzip'),
    patience,
  );
  await sql`update ontology_snapshot set ia_url = repeat('long', 500)`.execute(test.db);
  for (const path of ['/v1/proteins/P00002', '/v1/annotations/snapshots']) {
    const plain = await raw(path, 'identity');
    const packed = await raw(path, 'gzip');
    expect(plain.encoding).toBeUndefined();
    expect(packed.encoding, path).toBe('gzip');
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  }
  const { user, headers } = await test.account('researcher');
  await test.db
    .updateTable('user_account')
    .set({ display_name: 'kinases '.repeat(500) })
    .where('id', '=', user.id)
    .execute();
  const me = await raw('/v1/auth/me', 'gzip', headers);
  expect(me.encoding).toBeUndefined();
  expect(me.body.length).toBeGreaterThan(2000);
});

it('computes a reply once for all who ask for it at the same time', async () => {
  const computed = async () =>
    Number(/outcome="computed"\} (\d+)$/m.exec(await (await get('/metrics')).text())?.[1] ?? 0);
  const before = await computed();
  const { pool } = test.db;
  const held = await Promise.all(Array.from({ length: Number(pool.options.max) }, () => pool.connect()));
  const replies = Array.from({ length: 20 }, () => get('/v1/proteins?limit=2'));
  await vi.waitFor(() => expect(waiting(pool)).toBeGreaterThan(0), patience);
  for (const client of held) client.release();
  const bodies = await Promise.all(replies.map(async (reply) => (await reply).text()));
  expect(new Set(bodies).size).toBe(1);
  expect(await computed()).toBe(before + 1);
});

it('gives a reply that got old to all but the one who computes the next', async () => {
  expect(await isKept('/v1/proteins?limit=3')).toBe(true);
  const { pool } = test.db;
  const held = await Promise.all(Array.from({ length: Number(pool.options.max) }, () => pool.connect()));
  const kept = Date.now();
  const later = vi.spyOn(Date, 'now').mockImplementation(() => kept + 11_000);
  const next = get('/v1/proteins?limit=3');
  await vi.waitFor(() => expect(waiting(pool)).toBeGreaterThan(0), patience);
  // No connection is free, so this reply comes from memory.
  expect((await get('/v1/proteins?limit=3')).status).toBe(200);
  later.mockImplementation(() => kept + 16_000);
  const tooOld = get('/v1/proteins?limit=3');
  for (const client of held) client.release();
  const bodies = await Promise.all([next, tooOld].map(async (reply) => (await reply).text()));
  later.mockRestore();
  expect(bodies[0]).toBe(bodies[1]);
});

it('drops replies that are too old to be given', async () => {
  const bytes = async () =>
    Number(/^http_kept_replies_bytes (\d+)$/m.exec(await (await get('/metrics')).text())?.[1]);
  for (let offset = 0; offset < 20; offset++) await get(`/v1/proteins?limit=1&offset=${offset}`);
  const many = await bytes();
  const kept = Date.now();
  const later = vi.spyOn(Date, 'now').mockImplementation(() => kept + 60_000);
  await get('/v1/proteins?limit=1&offset=0');
  later.mockRestore();
  expect(await bytes()).toBeLessThan(many / 10);
});

it('counts all proteins once for the pages of their list, and again after a change', async () => {
  const total = async (offset: number) => {
    const headers = { 'cache-control': 'no-cache' };
    return ((await (await get(`/v1/proteins?limit=1&offset=${offset}`, headers)).json()) as { total: number })
      .total;
  };
  const before = await total(0);
  const added = sql`
    insert into protein (accession, canonical_accession, sequence_id, length)
    select 'P00009', 'P00009', sequence_id, length from protein where accession = 'P00001'`;
  await inTransaction(test.db, async (trx) => {
    // Nothing announces this change, so the reply still has the kept number.
    await sql`set local session_replication_role = replica`.execute(trx);
    await added.execute(trx);
  });
  expect(await total(before + 2)).toBe(before);
  await sql`update protein set gene_name = 'NEW2' where accession = 'P00001'`.execute(test.db);
  await vi.waitFor(async () => expect(await total(0)).toBe(before + 1), patience);
  await sql`delete from protein where accession = 'P00009'`.execute(test.db);
  await vi.waitFor(async () => expect(await total(0)).toBe(before), patience);
});

it('says that it is busy before callers wait too long for the database', async () => {
  const { pool } = test.db;
  const held = await Promise.all(Array.from({ length: Number(pool.options.max) }, () => pool.connect()));
  const now = vi.spyOn(performance, 'now');
  const start = 1e9; // This time is later than any real one.
  now.mockImplementation(() => start);
  const waiting = [pool.connect(), pool.connect()];
  now.mockImplementation(() => start + 5000);
  held.pop()?.release();
  const late = await waiting[0];
  now.mockRestore();
  const refused = await get('/v1/proteins/stats');
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await get('/health')).status).toBe(200);
  late.release();
  (await waiting[1]).release();
  for (const client of held) client.release();
  expect((await get('/v1/proteins/stats')).status).toBe(200);
});

it('keeps the showcase of each reader apart', async () => {
  const owner = await test.account('researcher');
  const { snapshot, annotations } = (
    await sql<{ snapshot: string; annotations: string }>`select
      (select id from ontology_snapshot limit 1) as snapshot, (select id from annotation_set limit 1) as annotations`.execute(
      test.db,
    )
  ).rows[0];
  await sql`
    with later as (
      insert into annotation_set (source, source_version, ontology_snapshot_id, state)
      values ('goa', 'later', ${snapshot}, 'complete') returning id
    ), evaluated as (
      insert into evaluation_set (old_annotation_set_id, new_annotation_set_id, ontology_snapshot_id, rules, stats)
      select ${annotations}, id, ${snapshot}, '{}', '{}' from later returning id
    ), predicted as (
      insert into prediction_set (method, visibility, owner_user_id, annotation_set_id, ontology_snapshot_id, limit_per_entry)
      values ('own_try', 'link', ${owner.user.id}, ${annotations}, ${snapshot}, 3) returning id
    )
    insert into evaluation_result (evaluation_set_id, prediction_set_id, options, options_sha256, frame, results)
    select e.id, p.id, '{"prop": "fill", "norm": "cafa", "no_orphans": true, "th_step": 0.01}', repeat('0', 64), '{}',
      '{"NK": {"BPO": {"fmax": 0.9}}}' from evaluated e, predicted p`.execute(test.db);
  const shown = async (headers = {}) =>
    ((await (await get('/v1/showcase', headers)).json()) as { best_fmax: unknown }).best_fmax;
  // Each reply is requested twice: the first is computed, the second kept.
  for (const _time of [1, 2]) {
    expect(await shown(owner.headers)).toMatchObject({ NK: { BPO: { fmax: 0.9, listed: false } } });
    expect(await shown()).toEqual({});
    expect(await shown((await test.account('guest')).headers)).toEqual({});
  }
});
