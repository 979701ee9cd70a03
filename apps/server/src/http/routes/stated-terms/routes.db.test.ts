import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { multipart, problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
let data: TestData;
let owner: Awaited<ReturnType<TestApp['account']>>;
let querySet: string;

/** Kindred knows binding and predicts protein binding, which it knows, and biological process of Q1; of Q2 it knows protein binding. */
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
  owner = await test.account('researcher');
  const { payload, headers } = multipart({
    file: { filename: 'q.fasta', content: '>sp|Q1|A_B one\nMKTAYIAK\n>Q2\nMKTAYIAKW\n' },
  });
  const uploaded = await test.call({
    method: 'POST',
    url: '/v1/query-sets',
    payload,
    headers: { ...headers, ...owner.headers },
  });
  expect(uploaded.status).toBe(201);
  querySet = uploaded.body.id as string;
  await test.db.updateTable('prediction_set').set({ query_set_id: querySet }).execute();
});
afterAll(() => test?.close());

interface Sent {
  program?: string;
  as?: { headers: Record<string, string> };
  filename?: string;
}
async function send(content: string | Uint8Array, { program, as = owner, filename = 'x.tsv' }: Sent = {}) {
  const { payload, headers } = multipart({
    file: { filename, content },
    ...(program === undefined ? {} : { program }),
  });
  return test.call({
    method: 'POST',
    url: `/v1/query-sets/${querySet}/stated-terms`,
    payload,
    headers: { ...headers, ...as.headers },
  });
}
const compare = (query = '') =>
  test.call({ url: `/v1/embeddings/prediction-sets/${data.predictionSetId}/stated-terms${query}` });
const listed = async () =>
  (await test.call({ url: `/v1/query-sets/${querySet}/stated-terms` })).body as { program: string }[];
const remove = (program: string, as = owner) =>
  test.call({
    method: 'DELETE',
    url: `/v1/query-sets/${querySet}/stated-terms/${encodeURIComponent(program)}`,
    headers: as.headers,
  });

interface Term {
  go_id: string;
  agreement: string;
  kindred_term: string | null;
  said_by: { program: string; go_id: string; score: number | null; basis: string | null }[];
}
const short = (terms: Term[]) =>
  terms.map(({ go_id, agreement, kindred_term, said_by }) =>
    [
      go_id,
      agreement,
      kindred_term ?? '-',
      ...said_by.map((said) => `${said.program} ${said.go_id} ${said.score ?? said.basis}`),
    ].join(' '),
  );

const emapper =
  '#query\tseed_ortholog\tevalue\tGOs\n' +
  'sp|Q1|A_B\t9606.A\t1e-80\tGO:0001948,GO:0005488\n' +
  'Q2\t-\t-\t-\n' +
  'Q9\ts\t1\tGO:0005515\n' +
  'Q1\tbroken\n';
const cafa = 'AUTHOR me\nMODEL 1\nQ1 GO:0005575 0.4\nQ2 GO:0005515 0.9\nQ2 GO:9999999 0.2\nEND\n';

describe('the terms of other programs beside a run', () => {
  it('keeps a file with what it left out, and says who says what', async () => {
    const none = await compare();
    expect(none.body).toMatchObject({ programs: [], next: null });
    const added = await send(gzipSync(emapper), { filename: 'p.emapper.annotations' });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
    expect(added.body).toMatchObject({
      ...{
        program: 'eggNOG-mapper',
        file: 'p.emapper.annotations',
        format: 'emapper',
        proteins: 1,
        terms: 2,
      },
      ...{ unknown_proteins: 1, unknown_protein: 'Q9', skipped: 1, unreadable: 1 },
      faults: [{ line: 5, record: 'Q1', reason: expect.stringContaining('at least 4 columns') }],
    });
    expect((await send(cafa, { program: 'DeepGO' })).status).toBe(201);
    expect(await listed()).toMatchObject([{ program: 'DeepGO' }, { program: 'eggNOG-mapper' }]);
    const { body } = await compare();
    expect(body).toMatchObject({
      ...{ programs: ['DeepGO', 'eggNOG-mapper'], next: null, implied: 1 },
      ...{ absent: ['GO:9999999'], obsolete: [] },
    });
    const [q1, q2] = body.proteins as { accession: string; silent: string[]; terms: Term[] }[];
    // Protein binding comes under its former id.
    expect(short(q1.terms)).toEqual([
      'GO:0005515 both GO:0005515 eggNOG-mapper GO:0005515 9606.A (E-value 1e-80)',
      'GO:0005488 both GO:0005488 eggNOG-mapper GO:0005488 9606.A (E-value 1e-80)',
      'GO:0008150 only_kindred GO:0008150',
      'GO:0005575 only_others - DeepGO GO:0005575 0.4',
    ]);
    expect(q1.terms[3]).toMatchObject({ go_name: 'cellular_component', aspect: 'C', kindred: null });
    expect(q2.silent).toEqual(['eggNOG-mapper']);
    expect(short(q2.terms)).toEqual(['GO:0005515 both GO:0005515 DeepGO GO:0005515 0.9']);
  });

  it('gives one protein, one program, and pages', async () => {
    const one = await compare('?accession=Q2&program=DeepGO');
    expect(one.body).toMatchObject({ programs: ['DeepGO'], next: null, proteins: [{ accession: 'Q2' }] });
    const first = await compare('?limit=1');
    expect(first.body).toMatchObject({ next: 'Q1', proteins: [{ accession: 'Q1' }] });
    expect((await compare('?limit=1&after=Q1')).body).toMatchObject({ proteins: [{ accession: 'Q2' }] });
    expect((await compare('?accession=Q3')).status).toBe(404);
    expect((await compare('?program=none')).status).toBe(404);
  });

  it('replaces the file of a program, and removes it', async () => {
    await send('AUTHOR me\nMODEL 1\nQ1 GO:0005515 0.3\nEND\n', { program: 'DeepGO' });
    const { body } = await compare('?program=DeepGO&accession=Q2');
    expect(body.proteins[0]).toMatchObject({
      silent: ['DeepGO'],
      terms: [{ agreement: 'only_kindred', said_by: [] }],
    });
    expect((await remove('DeepGO')).body).toEqual({ deleted: 'DeepGO' });
    expect((await remove('DeepGO')).status).toBe(404);
    expect(await listed()).toMatchObject([{ program: 'eggNOG-mapper' }]);
  });

  it('lets the owner alone change them', async () => {
    const other = await test.account('researcher');
    expect(problemIn(await send(cafa, { as: other })).code).toBe('not_owner');
    expect(problemIn(await remove('eggNOG-mapper', other)).code).toBe('not_owner');
  });

  it.each([
    ['nothing here\n', 'is none of the files that are read here'],
    [
      '#query\tseed_ortholog\tevalue\tGOs\nQ9\ts\t1\tGO:0005515\n',
      'only proteins that this run lacks, such as "Q9"',
    ],
    [
      `Q1\t${'0'.repeat(32)}\t90\tPfam\tPF1\tx\t1\t80\t1e-9\tT\t01-01-2026\n`,
      'run InterProScan with --goterms',
    ],
    ['Q1\tGO:0005515\t2\n', 'no line that can be read. Line 1'],
    [Uint8Array.of(0x1f, 0x8b, 1), 'gzip'],
  ])('refuses %j with a sentence', async (content, sentence) => {
    const refused = await send(content);
    expect(problemIn(refused)).toMatchObject({ status: 422, code: 'bad_file' });
    expect(refused.body.detail).toContain(sentence);
  });

  it('keeps at most twenty programs', async () => {
    for (let at = 0; at < 19; at++) expect((await send(cafa, { program: `p${at}` })).status).toBe(201);
    expect((await send(cafa, { program: 'p19' })).body.detail).toContain('remove one first');
    expect((await send(cafa, { program: 'p3' })).status).toBe(201);
  });
});
