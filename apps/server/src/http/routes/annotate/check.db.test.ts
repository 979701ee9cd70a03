import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultQuotas } from '../../../accounts/settings.js';
import { fillCatalogue, type TestData } from '../../../testing/tiny-catalogue.js';
import { problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';

let test: TestApp;
let data: TestData;
beforeAll(async () => {
  test = await startTestApp();
  data = await fillCatalogue(test.db);
});
afterAll(() => test?.close());

const check = (fasta_text: string, query = '') =>
  test.call({ method: 'POST', url: `/v1/annotate/check${query}`, payload: { fasta_text } });
const dna = 'ATGGCGTACGTTAGCATCGATCGATCGGCTAGCTAGCATCGATCA';

it('says what is known, what can have no answer and why, and what the quota leaves', async () => {
  const { status, body } = await check(
    `>known OX=9606\nMKTAYIAK\n>again\nmktayiak*\n>long\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQ\n>gene\n${dna}\n`,
  );
  expect(status).toBe(200);
  expect(body).toMatchObject({
    sequence_count: 4,
    residue_count: 8 + 8 + 33 + dna.length,
    longest: dna.length,
    taxon_id: 9606,
    known_exactly: 2,
    annotation_set_id: data.setId,
    embedding_config_id: data.configId,
    seconds: null,
    quota: { limit: 10, used: 0, is_enough: true },
  });
  expect(body.unanswerable).toEqual([
    expect.objectContaining({ reason: 'too_short', count: 2, accessions: ['known', 'again'] }),
    expect.objectContaining({ reason: 'looks_like_dna', count: 1, accessions: ['gene'] }),
  ]);
});

it('takes the organism that is named for queries whose header names none', async () => {
  const fasta = '>a OX=10090\nMKTAYIAKQRQISFVKSHFSR\n>b\nMKTAYIAKQRQISFVKSHFSK\n>c\nMKTAYIAKQRQISFVKSHFSH\n';
  const unnamed = (await check(fasta)).body;
  expect(unnamed).toMatchObject({ taxon_id: 10090, taxon_count: 1, taxon_name: null, without_taxon: 2 });
  await test.db
    .insertInto('taxon')
    .values(
      ['Homo sapiens', 'Escherichia coli', 'Bacillus subtilis', 'Brevibacillus subtilis'].map((name, at) => ({
        ...{ id: at === 0 ? 9606 : at, parent_id: 1, rank: 'species', name },
      })),
    )
    .execute();
  for (const organism of ['9606', 'homo sapiens', 'H. sapiens'])
    expect((await check(fasta, `?organism=${organism}`)).body).toMatchObject({
      taxon_id: 9606,
      taxon_name: 'Homo sapiens',
      without_taxon: 0,
    });
  const short = (await check(fasta, '?organism=e.coli')).body;
  expect(short).toMatchObject({ taxon_id: 1, taxon_name: 'Escherichia coli' });
  for (const [organism, detail] of [
    ['Homo errans', 'knows scientific names alone'],
    ['mouse', 'such as Mus musculus for the mouse'],
    ['E. errans', 'has no E. errans'],
    ['B. subtilis', 'may be Bacillus subtilis or Brevibacillus subtilis; write the whole name'],
    ['0', 'expected an NCBI taxon'],
  ]) {
    const [fault] = problemIn(await check(fasta, `?organism=${organism}`)).errors ?? [];
    expect(fault?.path).toBe('/organism');
    expect(fault?.message).toContain(detail);
  }
});

it('stores, queues and counts nothing', async () => {
  const eleven = Array.from({ length: 11 }, (_, i) => `>q${i}\nMKTAYIAKQRQISFVKSHFSR\n`).join('');
  for (const _again of [1, 2])
    expect((await check(eleven)).body.quota).toMatchObject({ used: 0, is_enough: false });
  expect(await test.db.selectFrom('query_set').selectAll().execute()).toEqual([]);
  expect(await test.db.selectFrom('job').selectAll().execute()).toEqual([]);
});

it('estimates the time from recent runs, per sequence', async () => {
  const { id } = await test.db
    .insertInto('query_set')
    .values({ name: 'ten', entry_count: 10 })
    .returning('id')
    .executeTakeFirstOrThrow();
  const job = (operation: string, seconds: number) => ({
    operation,
    queue_name: 'svc.jobs',
    status: 'SUCCEEDED' as const,
    payload: JSON.stringify({ query_set_id: id }),
    started_at: '2026-01-01T00:00:00Z',
    finished_at: `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`,
  });
  await test.db
    .insertInto('job')
    .values([job('compute_embeddings', 5), job('predict_go_terms', 20)])
    .execute();
  const fasta = (count: number) =>
    Array.from({ length: count }, (_, i) => `>q${i}\nMKTAYIAKQRQISFVKSHFSR\n`).join('');
  // The estimate is at least the time of the shortest run; beyond that, 0.5 s and 2 s per sequence count.
  expect((await check(fasta(1))).body.seconds).toBe(25);
  expect((await check(fasta(100))).body.seconds).toBe(250);
});

it('refuses what annotating would refuse', async () => {
  expect(problemIn(await check('>a\nMK4\n'))).toMatchObject({ status: 422, code: 'bad_fasta' });
  const absent = '?annotation_set_id=33333333-3333-4333-8333-333333333333';
  expect((await check('>a\nMKTAYIAKQRQISFVKSHFSR\n', absent)).status).toBe(422);
});

it.each([
  ['read at once', 1],
  ['read in a thread', 3000],
])('lists what is left out, in the check and in the annotation, %s', async (_name, copies) => {
  const good = Array.from({ length: copies }, (_, i) => `>q${i}\nMKTAYIAKQRQISFVKSHFSR\n`).join('');
  const own = await startTestApp({
    maxSequences: 5000,
    quotas: { ...defaultQuotas, viewer: { ...defaultQuotas.viewer, sequencesPerDay: 10_000 } },
  });
  await fillCatalogue(own.db);
  try {
    for (const url of ['/v1/annotate/check', '/v1/annotate']) {
      const call = (query: string) =>
        own.call({ method: 'POST', url: `${url}${query}`, payload: { fasta_text: `>bad\nMK1\n${good}` } });
      expect(problemIn(await call('')).code).toBe('bad_fasta');
      expect(problemIn(await call('?bad_records=some')).errors?.[0].path).toBe('/bad_records');
      expect((await call('?bad_records=leave_out')).body).toMatchObject({
        sequence_count: copies,
        left_out: { count: 1, records: [{ line: 2, record: 'bad' }] },
      });
    }
  } finally {
    await own.close();
  }
});
