import { parseFasta } from '@kindred/kernels/formats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
});
afterAll(() => test?.close());

const get = (url: string) => test.call({ url: `/v1/proteins${url}` });

it('counts the catalogue', async () => {
  expect((await get('/stats')).body).toEqual({ total: 2, canonical: 2, reviewed: 1, organisms: 2 });
});

it('filters and pages', async () => {
  const accessions = async (query: string) =>
    (await get(query)).body.items.map((item: { accession: string }) => item.accession);
  expect(await accessions('?organism=Mus%20musculus')).toEqual(['P00002']);
  expect(await accessions('?reviewed=true')).toEqual(['P00001']);
  expect(await accessions('?reviewed=false&taxonomy_id=10090')).toEqual(['P00002']);
  expect(await accessions('?search=p00001_hum')).toEqual(['P00001']);
  expect(await accessions('?search=100%25')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?search=prot%20sapiens')).toEqual(['P00001']);
  expect(await accessions('?search=1_0')).toEqual([]);
  // Only the beginnings of words are found.
  expect(await accessions('?search=rotein')).toEqual([]);
  expect(problemIn(await get('?search=%25')).errors?.[0].path).toBe('/search');
  const page = await get('?limit=1');
  expect(page.body).toMatchObject({ total: 2, offset: 0, limit: 1 });
  expect(String(page.headers.link)).toContain('offset=1');
  expect((await get('?offset=5')).body).toMatchObject({ total: 2, offset: 5, items: [] });
  expect(problemIn(await get('?reviewed=perhaps')).errors?.[0].path).toBe('/reviewed');
  expect(problemIn(await get('?offset=-1')).errors?.[0].path).toBe('/offset');
});

it('finds organisms by a part of the name, taxa with those below, and accessions in any case', async () => {
  await test.db
    .insertInto('taxon')
    .values([
      { id: 1, parent_id: 1, rank: 'no rank' },
      { id: 40674, parent_id: 1, rank: 'class' },
      { id: 9606, parent_id: 40674, rank: 'species' },
      { id: 10090, parent_id: 40674, rank: 'species' },
    ])
    .execute();
  await test.db.insertInto('taxon_merged').values({ old_id: 777, new_id: 40674 }).execute();
  const accessions = async (query: string) =>
    (await get(query)).body.items.map((item: { accession: string }) => item.accession);
  expect(await accessions('?organism=SAPIENS')).toEqual(['P00001']);
  expect(await accessions('?organism=M')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?organism=musculus%20')).toEqual(['P00002']);
  expect(await accessions('?organism=_us')).toEqual([]);
  expect(await accessions('?taxonomy_id=40674')).toEqual([]);
  expect(await accessions('?taxonomy_id=40674&descendants=true')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?taxonomy_id=777&descendants=true')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?taxonomy_id=9606&descendants=true')).toEqual(['P00001']);
  expect(await accessions('?taxonomy_id=4&descendants=true')).toEqual([]);
  expect(problemIn(await get('?descendants=true')).errors?.[0].path).toBe('/descendants');
  expect(await accessions('?accessions=p00002,P00001,%20P9')).toEqual(['P00001', 'P00002']);
  expect(await accessions('?accessions=P00002&reviewed=true')).toEqual([]);
  expect((await get('/p00001')).body.accession).toBe('P00001');
  expect((await get('/p00001/annotations')).body).toHaveLength(2);
});

it('gives them as a table and as FASTA that reads back', async () => {
  const table = await get('?format=tsv&organism=homo');
  expect(table.headers['content-type']).toBe('text/tab-separated-values; charset=utf-8');
  expect(table.body).toBe(
    'accession\tentry_name\tprotein_name\tgene_name\torganism\ttaxonomy_id\tlength\treviewed\tcanonical_accession\n' +
      'P00001\tP00001_HUMAN\tSome 100% protein\t\tHomo sapiens\t9606\t8\ttrue\tP00001\n',
  );
  const fasta = await get('?format=fasta');
  expect(fasta.headers['content-disposition']).toBe('attachment; filename="proteins.fasta"');
  expect(parseFasta(fasta.body)).toMatchObject([
    { accession: 'P00001', reviewed: true, taxonId: 9606, organism: 'Homo sapiens', sequence: 'MKTAYIAK' },
    { accession: 'P00002', reviewed: false, taxonId: 10090, proteinName: 'Some 100% protein' },
  ]);
  expect(problemIn(await get('?format=fasta&limit=3')).errors?.[0].path).toBe('/format');
});

it('filters annotations as QuickGO does', async () => {
  const found = async (query: string) =>
    (await get(`/P00001/annotations?${query}`)).body.map((row: { go_id: string }) => row.go_id);
  const all = ['GO:0005488', 'GO:0005515'];
  expect(await found('aspect=mfo')).toEqual(all);
  expect(await found('aspect=P')).toEqual([]);
  expect(await found('evidence_code=ida,iea')).toEqual(all);
  expect(await found('evidence_code=IEA')).toEqual([]);
  expect(await found(`annotation_set_id=${data.setId}`)).toEqual(all);
  expect(await found('annotation_set_id=00000000-0000-4000-8000-000000000000')).toEqual([]);
  expect(await found('go_id=GO:0005488')).toEqual(['GO:0005488']);
  expect(await found('go_id=GO:0005488&descendants=true')).toEqual(all);
  expect(await found('go_id=GO:0005515&descendants=true')).toEqual(['GO:0005515']);
  await test.db
    .updateTable('protein_go_annotation')
    .set({ qualifier: 'NOT|enables' })
    .where('go_term_id', 'in', (of) =>
      of.selectFrom('go_term').select('id').where('go_id', '=', 'GO:0005515'),
    )
    .execute();
  expect(await found('qualifier=not')).toEqual(['GO:0005515']);
  expect(await found('qualifier=contributes_to')).toEqual([]);
  for (const [query, path] of [
    ['aspect=X', '/aspect'],
    ['descendants=true', '/descendants'],
    ['go_id=5488', '/go_id'],
    ['evidence_code=I', '/evidence_code/0'],
  ])
    expect(problemIn(await get(`/P00001/annotations?${query}`)).errors?.[0].path).toBe(path);
});

it('shows one protein with its metadata', async () => {
  const { body } = await get('/P00001');
  expect(body).toMatchObject({
    accession: 'P00001',
    is_canonical: true,
    sequence: 'MKTAYIAK',
    metadata: { function_cc: 'Binds.', kinetics: null },
  });
  expect((await get('/P00002')).body.metadata).toBeNull();
  expect(problemIn(await get('/P99999'))).toMatchObject({ status: 404, code: 'not_found' });
});

it('shows annotations across all sets, in pages', async () => {
  const { body } = await get('/P00001/annotations');
  expect(body).toHaveLength(2);
  expect(body[0]).toMatchObject({
    go_id: 'GO:0005488',
    evidence_code: 'IDA',
    annotation_set_id: data.setId,
    annotation_set_source: 'goa',
  });
  const first = await get('/P00001/annotations?limit=1');
  expect(first.body).toHaveLength(1);
  expect(first.headers['x-total-count']).toBe('2');
  const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] as string;
  expect((await test.call({ url: next })).body[0].go_id).toBe('GO:0005515');
  expect(problemIn(await get('/P99999/annotations')).status).toBe(404);
});
