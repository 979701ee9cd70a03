import { randomUUID } from 'node:crypto';
import { routeRows } from '@kindred/contracts/routes';
import type { DependentKind } from '@kindred/contracts/dependent-words';
import {
  type Dependents,
  deletableTables as tables,
  dependentKinds,
  type DeletableTable,
  removalRoutes,
} from '@kindred/contracts/resources/dependents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deletionLinks, unseenTables } from '../../../store/maintenance/deletion-links.js';
import { type DeletionWorld, Filler, fillDeletionWorld } from '../../../testing/deletion-world.js';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let admin: TestAccount;
let doomed: TestAccount;
let world: DeletionWorld;
beforeAll(async () => {
  test = await startTestApp();
  admin = await test.account('admin');
  doomed = await test.account('researcher');
  const packUri = test.artifacts.uriOf('packs/x');
  world = await fillDeletionWorld(test.db, { userId: doomed.user.id, packUri });
});
afterAll(() => test?.close());

function addressOf(table: DeletableTable, id: string): string {
  const { path } = removalRoutes[table];
  const ofResult = table === 'evaluation_result' ? path.replace(':id', world.evaluation_set) : path;
  return `/v1${ofResult.replace(/:\w+/, id)}`;
}
const listAddress = (table: DeletableTable, id: string) => `/v1/dependents/${table}/${id}`;

const get = (url: string, { headers } = admin) => test.call({ url, headers });
const remove = (url: string, { headers } = admin) => test.call({ method: 'DELETE', url, headers });

async function listOf(table: DeletableTable, id: string, query = ''): Promise<Dependents> {
  const { status, body } = await get(`${listAddress(table, id)}${query}`);
  expect([table, status]).toEqual([table, 200]);
  return body;
}

/**
 * Counts the rows of every table that users know. Visits are left out, because requests add them all the
 * time.
 */
async function rowCounts(): Promise<Record<string, number>> {
  const { rows } = await test.db.pool.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace 
     and relkind in ('r', 'p') and not relispartition and relname not like 'visitor%' and relname <> all($1)`,
    [unseenTables],
  );
  const counts: Record<string, number> = {};
  for (const { relname } of rows) {
    const counted = await test.db.pool.query(`select count(*) from ${relname}`);
    counts[relname] = counted.rows[0].count;
  }
  return counts;
}

/**
 * Deletes the row and compares the missing rows with the announced ones. `grows` names tables that get rows
 * meanwhile.
 */
async function deletesAsSaid(
  table: DeletableTable,
  id: string,
  { query = '', grows = [] as string[] } = {},
): Promise<void> {
  const said = await listOf(table, id, query);
  expect([table, said.first]).toEqual([table, []]);
  const expected = await rowCounts();
  const gone = [{ kind: table, count: 1 }, ...said.deleted];
  for (const { kind, count } of gone) {
    const name = kind === 'unsaved_run' ? 'prediction_set' : kind;
    expected[name] = (expected[name] ?? Number.NaN) - count;
  }
  const { status } = await remove(`${addressOf(table, id)}${query}`);
  expect([table, [200, 204].includes(status)]).toEqual([table, true]);
  const left = await rowCounts();
  for (const name of grows) expected[name] = left[name];
  expect([table, left]).toEqual([table, expected]);
}

/** Lists the tables whose rows can depend on a row of the table, by the keys of the database. */
async function possible(root: DeletableTable): Promise<string[]> {
  const links = await deletionLinks(test.db);
  const found = new Set<string>();
  const deleted = new Set<string>([root]);
  for (const table of deleted) {
    for (const { parent, child, kind, effect } of links) {
      // A link that leads back to the row itself does not count.
      if (parent !== table || (child === root && parent !== root)) continue;
      found.add(`${root}: ${kind ?? child} ${effect}`);
      if (effect === 'deleted') deleted.add(child);
    }
  }
  return [...found];
}

it('has a list for every route that deletes what others may need', () => {
  const without = {
    '/auth/api-keys/:id': 'revokes: the row stays',
    '/auth/identities/:id': 'nothing needs one',
    '/auth/passkeys/:id': 'nothing needs one',
    '/experiment-runs/:run_id/members/:member_id': 'takes a row out of a list',
    '/query-sets/:id/stated-terms/:program': 'nothing needs one',
    '/webhooks/:id': 'nothing needs one',
  };
  const deleting = routeRows.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
  const listed = tables.map((table) => removalRoutes[table].path);
  expect(deleting.toSorted()).toEqual([...listed, ...Object.keys(without)].toSorted());
});

describe('the list of what depends on a row', () => {
  it('has words for every table, and every link of the database is in it', async () => {
    const ids: [DeletableTable, string][] = [
      ...tables.map((table): [DeletableTable, string] => [table, world[table]]),
      ['annotation_set', world.set_of_reference],
      ['job', world.queued_job],
    ];
    const seen = new Set<string>();
    for (const [table, id] of ids) {
      const list = await listOf(table, id);
      for (const effect of ['first', 'deleted', 'kept'] as const)
        for (const { kind } of list[effect]) seen.add(`${table}: ${kind} ${effect}`);
    }
    const missing: string[] = [];
    for (const table of tables) missing.push(...(await possible(table)).filter((one) => !seen.has(one)));
    // A new link needs rows in the world of this test.
    expect(missing).toEqual([]);
    const kinds = new Set([...seen].map((one) => one.split(' ')[1] as DependentKind));
    expect(dependentKinds.filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  it('says before which deletions others must go, which are refused until then', async () => {
    const refused: string[] = [];
    for (const table of tables) {
      const { first } = await listOf(table, world[table]);
      if (first.length === 0) continue;
      refused.push(table);
      const before = await rowCounts();
      const answer = await remove(addressOf(table, world[table]));
      expect([table, problemIn(answer)]).toMatchObject([table, { status: 409, code: 'in_use' }]);
      for (const { words } of first) expect(answer.body.detail).toContain(words);
      expect(await rowCounts()).toEqual(before);
    }
    expect(refused).toEqual([
      'annotation_set',
      'embedding_config',
      'evaluation_set',
      'prediction_set',
      'query_set',
      'reference',
    ]);
  });

  it('is what then happens', async () => {
    const clear = (sql: string) => test.db.pool.query(sql);
    await deletesAsSaid('job', world.job);
    await deletesAsSaid('job', world.queued_job, { grows: ['job_event'] });
    await deletesAsSaid('evaluation_result', world.evaluation_result);
    await clear('delete from evaluation_result');
    await deletesAsSaid('evaluation_set', world.evaluation_set);
    await clear('delete from evaluation_set');
    await clear(`update job set status = 'SUCCEEDED'`);
    await deletesAsSaid('prediction_set', world.prediction_set);
    await deletesAsSaid('reference', world.reference, { query: '?dependents=true' });
    await clear('delete from reference');
    await clear('delete from prediction_set where listed and query_set_id is null');
    await deletesAsSaid('annotation_set', world.annotation_set);
    await deletesAsSaid('embedding_config', world.embedding_config);
    const rest = [
      'query_set',
      'dataset',
      'reranker_model',
      'scoring_config',
      'go_slim',
      'experiment_run',
    ] as const;
    for (const table of rest) await deletesAsSaid(table, world[table]);
    await deletesAsSaid('user_account', world.user_account);
  });
});

describe('who may ask', () => {
  let own: { query_set: string; experiment: string };
  let owner: TestAccount;
  beforeAll(async () => {
    owner = await test.account('researcher');
    const fill = new Filler(test.db);
    const mine = { owner_user_id: owner.user.id };
    const set = await fill.add('query_set', { ...mine, name: 'mine' });
    const snapshot = await fill.add('ontology_snapshot', { obo_version: 'of who may ask' });
    const made = { query_set_id: set.id, ontology_snapshot_id: snapshot.id };
    const other = { owner_user_id: admin.user.id };
    const payload = JSON.stringify({ query_set_id: set.id });
    await fill.add('prediction_set', { ...made, ...other, method: 'secret' });
    await fill.add('prediction_set', { ...made, ...other, method: 'shown', visibility: 'listed' });
    await fill.add('prediction_set', { ...made, ...mine, method: 'own' });
    await fill.add('prediction_set', { ...made, ...mine, method: 'unsaved', listed: false });
    await fill.add('job', { ...other, payload, operation: 'secret' });
    await fill.add('job', { ...mine, payload, operation: 'own' });
    const experiment = await fill.add('experiment_run', { ...mine, name: 'of who may ask' });
    own = { query_set: set.id, experiment: experiment.id };
  });

  it('counts the rows of others, and names those that are in the lists of the caller', async () => {
    const url = listAddress('query_set', own.query_set);
    const seen = async (account: TestAccount) => {
      const { first, kept } = (await get(url, account)).body as Dependents;
      return [...first, ...kept].map(({ kind, count, names }) => [kind, count, names.length]);
    };
    expect(await seen(owner)).toEqual([
      ['unfinished_job', 2, 1],
      ['prediction_set', 4, 2],
    ]);
    expect(await seen(admin)).toEqual([
      ['unfinished_job', 2, 2],
      ['prediction_set', 4, 3],
    ]);
  });

  it.each(['query_set', 'job', 'experiment_run'] as const)(
    'refuses others, as the deletion of a %s does',
    async (table) => {
      const ids = {
        query_set: own.query_set,
        experiment_run: own.experiment,
        job: (await new Filler(test.db).add('job', { owner_user_id: owner.user.id })).id,
      };
      const other = await test.account('researcher');
      const url = listAddress(table, ids[table]);
      const [asked, deleted] = [await get(url, other), await remove(addressOf(table, ids[table]), other)];
      expect(problemIn(asked)).toMatchObject({ status: 403, code: 'not_owner' });
      expect(asked.body.detail).toBe(deleted.body.detail);
      expect((await get(url, owner)).status).toBe(200);
    },
  );

  const ofOwner = async () => ({
    owner_user_id: owner.user.id,
    ontology_snapshot_id: (await test.db.pool.query('select id from ontology_snapshot limit 1')).rows[0].id,
  });

  it('refuses owners of prediction sets, which operators delete', async () => {
    const { id } = await new Filler(test.db).add('prediction_set', await ofOwner());
    const url = listAddress('prediction_set', id);
    const answers = [await get(url, owner), await remove(addressOf('prediction_set', id), owner)];
    expect(answers.map((answer) => problemIn(answer))).toMatchObject([
      { status: 403, code: 'role_too_low' },
      { status: 403, code: 'role_too_low' },
    ]);
    expect((await get(url, await test.account('operator'))).status).toBe(200);
  });

  it.each(tables)('says like the deletion that there is no such row: %s', async (table) => {
    const id = randomUUID();
    const [asked, deleted] = [await get(listAddress(table, id)), await remove(addressOf(table, id))];
    expect(problemIn(asked)).toMatchObject({ status: 404, code: 'not_found' });
    // The path of a result names its evaluation set, too.
    if (table === 'evaluation_result') expect(asked.body.detail).toBe(`No evaluation result ${id}.`);
    else expect(asked.body.detail).toBe(deleted.body.detail);
  });

  it.each(tables)('refuses roles and ids that the deletion refuses: %s', async (table) => {
    const roles = ['guest', 'researcher', 'operator'] as const;
    for (const role of roles) {
      const account = await test.account(role);
      const id = randomUUID();
      const [asked, deleted] = [
        await get(listAddress(table, id), account),
        await remove(addressOf(table, id), account),
      ];
      expect([role, asked.status]).toEqual([role, deleted.status]);
      if (role !== 'guest' && asked.status === 403) expect(asked.body.detail).toBe(deleted.body.detail);
    }
    const [asked, deleted] = [await get(listAddress(table, '%09')), await remove(addressOf(table, '%09'))];
    expect([asked.status, asked.body.errors?.[0].code]).toEqual([
      deleted.status,
      deleted.body.errors?.[0].code,
    ]);
  });

  it('refuses a choice that only the deletion of a reference has', async () => {
    const asked = await get(`${listAddress('job', world.job)}?dependents=true`);
    expect(problemIn(asked)).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(asked.body.detail).toMatch(/only the deletion of a reference/);
  });

  it('says like the deletion what the row itself prevents', async () => {
    const fill = new Filler(test.db, await ofOwner());
    const { id: userId } = await lastAdmin();
    await fill.add('reference', { name: 'unfinished', version: '1' });
    const rows: [DeletableTable, string][] = [
      ['annotation_set', (await fill.add('annotation_set', { source: 'goa' })).id],
      ['job', (await fill.add('job', { status: 'RUNNING' })).id],
      ['user_account', userId],
      ['reference', 'unfinished@1'],
    ];
    for (const [table, id] of rows) {
      const [asked, deleted] = [await get(listAddress(table, id)), await remove(addressOf(table, id))];
      expect([table, asked.status, asked.body.detail]).toEqual([table, 409, deleted.body.detail]);
    }
  });

  /** Deactivates all administrators but one. */
  async function lastAdmin(): Promise<{ id: string }> {
    await test.db
      .updateTable('user_account')
      .set({ status: 'deactivated' })
      .where('role', '=', 'admin')
      .where('id', '<>', admin.user.id)
      .execute();
    return { id: admin.user.id };
  }
});

describe('the work that a list takes', () => {
  it('ends at 10,000 rows of a kind', async () => {
    const { id } = await new Filler(test.db).add('job', { status: 'SUCCEEDED' });
    await test.db.pool.query(
      `insert into job_event (job_id, event) select $1, 'x' from generate_series(1, 10001)`,
      [id],
    );
    const { deleted } = await listOf('job', id);
    expect(deleted).toEqual([
      { kind: 'job_event', words: 'entries of its log', count: 10_000, more: true, names: [] },
    ]);
  });

  it('begins at an index, but in tables of a few rows', async () => {
    const { rows } = await test.db.pool.query(
      `select i.indrelid::regclass::text || '.' || a.attname as name from pg_index i
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]`,
    );
    const indexed = new Set(rows.map(({ name }) => name));
    const links = await deletionLinks(test.db);
    const reached = links.filter(({ parent }) => (tables as string[]).includes(parent));
    const without = reached.filter(({ child, column, value }) => {
      // Members are found by their kind and id, jobs by an index of the payload, annotations by their
      // partition.
      const otherwise = value !== undefined || column === 'member_id' || child === 'protein_go_annotation';
      return !otherwise && !indexed.has(`${child}.${column}`);
    });
    expect([...new Set(without.map(({ child, column }) => `${child}.${column}`))].toSorted()).toEqual(few);
  });

  /** These tables have one row per release, file, evaluation or measurement. */
  const few = [
    'annotate_reference.annotation_set_id',
    'annotate_reference.embedding_config_id',
    'annotation_set.job_id',
    'calibration_curve.evaluation_set_id',
    'calibration_curve.job_id',
    'calibration_curve.prediction_set_id',
    'evaluation_result.job_id',
    'evaluation_set.job_id',
    'go_slim.job_id',
    'interpro_mapping.job_id',
    'secondary_accession_source.job_id',
    'taxon_constraints.job_id',
    'taxonomy.job_id',
  ];
});
