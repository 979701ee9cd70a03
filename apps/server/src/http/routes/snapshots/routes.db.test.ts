import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestAccount, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let operator: TestAccount;
let base: string;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  operator = await test.account('operator');
  base = `/v1/annotations/snapshots/${data.snapshotId}`;
});
afterAll(() => test?.close());

it('lists snapshots with counts per aspect, and one with all terms', async () => {
  const [listed] = (await test.call({ url: '/v1/annotations/snapshots' })).body;
  expect(listed).toMatchObject({
    id: data.snapshotId,
    go_term_count: 5,
    term_counts: { P: 1, F: 3, C: 1, obsolete: 0 },
  });
  const { body } = await test.call({ url: base });
  expect({ ...body, terms: undefined }).toEqual({ ...listed, terms: undefined });
  expect(body.terms).toHaveLength(5);
  expect(body.terms[0]).toEqual({
    go_id: 'GO:0003674',
    name: 'molecular_function',
    aspect: 'F',
    definition: null,
    is_obsolete: false,
    replaced_by: [],
  });
});

it('gives one term with its neighbours, also by a secondary id', async () => {
  const { body } = await test.call({ url: `${base}/terms/GO:0005515` });
  expect(body).toMatchObject({ go_id: 'GO:0005515', aspect: 'F', is_obsolete: false, replaced_by: [] });
  expect(body.alternative_ids).toEqual(['GO:0001948']);
  expect(body.parents).toEqual([{ go_id: 'GO:0005488', name: 'binding', relation_type: 'is_a' }]);
  expect(body.children).toEqual([]);
  expect((await test.call({ url: `${base}/terms/GO:0001948` })).body).toEqual(body);
  const root = (await test.call({ url: `${base}/terms/GO:0003674` })).body;
  expect(root.parents).toEqual([]);
  expect(root.children).toContainEqual({ go_id: 'GO:0005488', name: 'binding', relation_type: 'is_a' });
});

it('says which term a snapshot does not have', async () => {
  const missing = await test.call({ url: `${base}/terms/GO:9999999` });
  expect(missing.status).toBe(404);
  expect(missing.body.detail).toContain('GO:9999999');
  expect(problemIn(await test.call({ url: `${base}/terms/5515` })).errors?.[0].path).toBe('/go_id');
  const nowhere = base.replace(data.snapshotId, '00000000-0000-4000-8000-000000000000');
  expect((await test.call({ url: `${nowhere}/terms/GO:0005515` })).status).toBe(404);
});

it('finds terms by a part of their name', async () => {
  const found = async (query: string) =>
    (await test.call({ url: `${base}/terms?${query}` })).body.map((term: { go_id: string }) => term.go_id);
  expect(await found('search=BINDING')).toEqual(['GO:0005488', 'GO:0005515']);
  expect(await found('search=protein%20bind')).toEqual(['GO:0005515']);
  expect(await found('search=go:0005515')).toEqual(['GO:0005515']);
  expect(await found('search=o&aspect=bpo')).toEqual(['GO:0008150']);
  expect(await found('search=_olecular')).toEqual([]);
  expect(await found('search=binding&limit=1')).toEqual(['GO:0005488']);
  expect(problemIn(await test.call({ url: `${base}/terms` })).errors?.[0].path).toBe('/search');
});

it('closes upwards, takes alternative ids, and names what it does not know', async () => {
  const { body } = await test.call({ url: `${base}/subgraph?go_ids=GO:0001948,GO:9999999` });
  expect(body.nodes.map((node: { go_id: string; depth: number }) => [node.go_id, node.depth])).toEqual([
    ['GO:0005515', 0],
    ['GO:0005488', 1],
    ['GO:0003674', 2],
  ]);
  expect(body.edges).toContainEqual({ source: 'GO:0005488', target: 'GO:0003674', relation_type: 'is_a' });
  expect(body.unknown).toEqual(['GO:9999999']);
  const near = (await test.call({ url: `${base}/subgraph?go_ids=GO:0005515&depth=1` })).body;
  expect(near.nodes).toHaveLength(2);
  expect(near.edges).toHaveLength(1);
  expect(
    (await test.call({ url: `${base}/subgraph?go_ids=GO:0005515&relations=regulates` })).body.nodes,
  ).toHaveLength(1);
  const unknown = await test.call({ url: `${base}/subgraph?go_ids=GO:0005515&relations=is_a,nope` });
  expect(problemIn(unknown)).toMatchObject({
    status: 422,
    errors: [{ path: '/relations/1', code: 'not_found' }],
  });
  await test.db.updateTable('go_term_relationship').set({ relation_type: 'nope' }).execute();
  const own = await test.call({ url: `${base}/subgraph?go_ids=GO:0005515&relations=is_a,nope` });
  expect(own.body.nodes).toHaveLength(3);
  await test.db.updateTable('go_term_relationship').set({ relation_type: 'is_a' }).execute();
  expect(problemIn(await test.call({ url: `${base}/subgraph` })).errors?.[0]).toMatchObject({
    path: '/go_ids',
    code: 'required',
  });
  expect(problemIn(await test.call({ url: `${base}/subgraph?go_ids=0005515` })).errors?.[0].path).toBe(
    '/go_ids/0',
  );
});

it('gives those below operator the file name of a local address, not its folder', async () => {
  const { obo_url } = (await test.call({ url: base })).body;
  await test.db
    .updateTable('ontology_snapshot')
    .set({ obo_url: 'file:///srv/import/go.obo' })
    .where('id', '=', data.snapshotId)
    .execute();
  const shown = async (headers = {}) => [
    (await test.call({ url: '/v1/annotations/snapshots', headers })).body[0].obo_url,
    (await test.call({ url: base, headers })).body.obo_url,
  ];
  expect(await shown()).toEqual(['go.obo', 'go.obo']);
  expect(await shown(operator.headers)).toEqual(['file:///srv/import/go.obo', 'file:///srv/import/go.obo']);
  await test.db.updateTable('ontology_snapshot').set({ obo_url }).where('id', '=', data.snapshotId).execute();
});

it('sets and clears the address of the IA file', async () => {
  const set = (ia_url: unknown) =>
    test.call({ method: 'PATCH', url: `${base}/ia-url`, payload: { ia_url }, headers: operator.headers });
  expect((await set('https://example.org/ia.tsv')).body.ia_url).toBe('https://example.org/ia.tsv');
  expect((await set('')).body.ia_url).toBeNull();
  expect((await set(null)).body.ia_url).toBeNull();
  expect(problemIn(await set('javascript:alert(1)')).errors?.[0].path).toBe('/ia_url');
  expect(problemIn(await set(undefined)).errors?.[0].code).toBe('required');
});

it('queues a load', async () => {
  const load = (payload: object) =>
    test.call({ method: 'POST', url: '/v1/annotations/snapshots/load', payload, headers: operator.headers });
  const queued = await load({ obo_url: 'https://example.org/go.obo' });
  expect(queued.status).toBe(202);
  const job = (await test.call({ url: String(queued.headers.location) })).body;
  expect(job).toMatchObject({
    operation: 'load_ontology_snapshot',
    queue_name: 'svc.jobs',
    payload: { obo_url: 'https://example.org/go.obo' },
  });
  expect(problemIn(await load({ obo_url: 'x', color: 1 })).errors?.[0].path).toBe('/color');
});
