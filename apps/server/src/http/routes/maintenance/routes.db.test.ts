import { utimes } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetAll } from '../../../accounts/reset.js';
import { noteBackup, noteVerifiedBackup } from '../../../store/maintenance/backups.repository.js';
import { inTransaction } from '../../../store/postgres/connection.js';
import {
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
  testPassword,
} from '../../../testing/test-app.js';

let test: TestApp;
let admin: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
  admin = await test.account('admin');
});
afterAll(() => test?.close());

const get = (url: string, headers: Record<string, string> = admin.headers) => test.call({ url, headers });
const post = (url: string, headers: Record<string, string> = admin.headers) =>
  test.call({ method: 'POST', url, headers });

/** Stores sequences of a protein, of a query set, and of nothing, each with a vector. */
async function plant(): Promise<void> {
  await test.db.pool.query(`
    with config as (
      insert into embedding_config (model_name, model_backend, layer_indices, layer_agg, pooling, normalize_residues,
        normalize, max_length, use_chunking, chunk_size, chunk_overlap, dimension)
      values ('tiny', 'test', '{0}', 'mean', 'mean', false, false, 100, false, 100, 0, 2) returning number
    ), seq as (
      insert into sequence (sequence, sequence_md5, length)
      select s, md5(s), 4 from unnest(array['MPRO', 'MQRY', 'MALA', 'MLEU']) as s returning id, sequence
    ), prot as (
      insert into protein (accession, canonical_accession, length, sequence_id)
      select 'P00001', 'P00001', 4, id from seq where sequence = 'MPRO'
    ), query as (
      insert into query_set (name, entry_count) values ('q', 1) returning id
    ), entry as (
      insert into query_set_entry (query_set_id, position, header, accession, sequence_id)
      select query.id, 0, 'q', 'q', seq.id from seq, query where sequence = 'MQRY'
    )
    insert into sequence_embedding (embedding_config_number, sequence_id, embedding)
    select number, id, '\\x00000000' from seq, config`);
}

describe('vacuum', () => {
  it('counts and deletes vectors without a protein, then sequences without any use', async () => {
    await plant();
    const operator = await test.account('operator');
    expect((await get('/v1/maintenance/vacuum-embeddings/preview', operator.headers)).body).toEqual({
      count: 3,
    });
    expect((await get('/v1/maintenance/vacuum-sequences/preview', operator.headers)).body).toEqual({
      count: 2,
    });
    expect(problemIn(await post('/v1/maintenance/vacuum-sequences', operator.headers)).status).toBe(403);
    expect((await post('/v1/maintenance/vacuum-embeddings')).body).toEqual({ deleted: 3 });
    expect((await post('/v1/maintenance/vacuum-sequences')).body).toEqual({ deleted: 2 });
    expect((await get('/v1/maintenance/vacuum-embeddings/preview')).body).toEqual({ count: 0 });
    const left = await test.db.selectFrom('sequence').select('sequence').orderBy('id').execute();
    expect(left.map((row) => row.sequence)).toEqual(['MPRO', 'MQRY']);
    expect(await test.db.selectFrom('sequence_embedding').select('sequence_id').execute()).toHaveLength(1);
  });

  it('waits for running jobs, naming them', async () => {
    const job = await test.db
      .insertInto('job')
      .values({ operation: 'ping', queue_name: 'svc.ping', status: 'RUNNING' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const refused = await post('/v1/maintenance/vacuum-sequences');
    expect(problemIn(refused).code).toBe('conflict');
    expect(refused.body.detail).toContain(job.id);
    await test.db.deleteFrom('job').where('id', '=', job.id).execute();
    expect((await post('/v1/maintenance/vacuum-sequences')).body).toEqual({ deleted: 0 });
  });
});

it('lists backups for operators, and when each was verified', async () => {
  const list = '/v1/maintenance/backups';
  const operator = await test.account('operator');
  expect((await get(list, operator.headers)).body).toEqual([]);
  expect(problemIn(await get(list, (await test.account('researcher')).headers)).status).toBe(403);
  const [first, second] = ['2026-11-20T10:00:00.000Z', '2026-11-21T10:00:00.123Z'];
  await noteBackup(test.db, { madeAt: first, version: '1.2.3', sizeBytes: 7 });
  await noteBackup(test.db, { madeAt: second, version: '1.2.3', sizeBytes: 8 });
  await noteVerifiedBackup(test.db, { madeAt: first, version: '1.2.3', sizeBytes: 7 });
  expect((await get(list, operator.headers)).body).toEqual([
    { made_at: '2026-11-21T10:00:00.123000Z', version: '1.2.3', size_bytes: 8, verified_at: null },
    {
      made_at: '2026-11-20T10:00:00.000000Z',
      version: '1.2.3',
      size_bytes: 7,
      verified_at: expect.any(String),
    },
  ]);
});

describe('the sweep of artifacts', () => {
  const preview = '/v1/maintenance/sweep-artifacts/preview';
  const sweep = '/v1/maintenance/sweep-artifacts';

  it('counts for operators, deletes for administrators, and leaves young objects alone', async () => {
    const { uri } = await test.artifacts.put('doctor/1', Buffer.from('123'));
    const operator = await test.account('operator');
    const nothing = { count: 0, size_bytes: 0, examples: [], more: false, older_than_days: 30 };
    expect((await get(preview, operator.headers)).body).toEqual(nothing);
    expect(problemIn(await get(preview, (await test.account('researcher')).headers)).status).toBe(403);
    await utimes(fileURLToPath(test.artifacts.addressOf(uri)), new Date(0), new Date(0));
    expect((await get(preview, operator.headers)).body).toEqual({
      ...nothing,
      count: 1,
      size_bytes: 3,
      examples: ['doctor/1'],
    });
    expect(problemIn(await post(sweep, operator.headers)).status).toBe(403);
    expect((await post(sweep)).body).toEqual({ deleted: 1, size_bytes: 3, more: false });
    expect(await test.artifacts.size(uri)).toBeNull();
  });
});

describe('POST /admin/reset-db', () => {
  it('changes nothing while other work holds a table', async () => {
    await inTransaction(test.db, async (trx) => {
      await trx.selectFrom('job').select('id').execute();
      await expect(resetAll(test.db, admin.user, 200)).rejects.toThrow(/nothing was changed/);
    });
    expect((await get('/v1/auth/me')).status).toBe(200);
    expect((await get('/v1/admin/audit?action=db_reset')).body).toEqual([]);
  });

  it('empties every table, keeps the audit log and the account that asked', async () => {
    await test.account('researcher');
    const machine = await test.account('admin');
    await test.db
      .updateTable('api_key')
      .set({ for_machine: true })
      .where('user_id', '=', machine.user.id)
      .execute();
    const before = (await get('/v1/admin/audit?limit=500')).body;
    const done = await post('/v1/admin/reset-db');
    expect(done.status).toBe(200);
    expect(done.body.migrations_applied[0]).toBe('000001_catalogue.sql');
    const newest = done.body.migrations_applied.at(-1);
    expect(Number(newest.slice(0, 6))).toBe(done.body.schema_version);
    const { rows } = await test.db.pool.query('select name from schema_migration order by version');
    expect(done.body.migrations_applied).toEqual(rows.map(({ name }) => name));
    expect((await get('/v1/auth/me')).status).toBe(401);
    const payload = { email: admin.user.email, password: testPassword };
    const login = await test.call({ method: 'POST', url: '/v1/auth/login', payload });
    expect(login.body).toMatchObject({ id: admin.user.id, role: 'admin' });
    const cookie = String(login.headers['set-cookie']).split(';')[0];
    const users = await get('/v1/admin/users', { cookie });
    expect(users.body.map((user: { id: string }) => user.id).sort()).toEqual(
      [admin.user.id, machine.user.id].sort(),
    );
    // The command line of this machine can still be used.
    expect((await get('/v1/admin/users', machine.headers)).status).toBe(200);
    const after = (await get('/v1/admin/audit?limit=500', { cookie })).body;
    // The names of deleted accounts are not known any more.
    const recorded = ({ actor: _, target_name: __, ...row }: Record<string, unknown>) => row;
    expect(after.slice(2).map(recorded)).toEqual(before.map(recorded));
    expect(after.slice(0, 2)).toMatchObject([
      { action: 'login_ok' },
      { action: 'db_reset', actor_user_id: admin.user.id },
    ]);
    expect(await test.db.selectFrom('sequence').select('id').execute()).toEqual([]);
  });
});
