import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findHitsFile, hitsOfQueries, targetsOfHits } from '../../../store/proteins/query-hits.repository.js';
import { multipart, problemIn, startTestApp, type TestApp } from '../../../testing/test-app.js';
import { fillCatalogue } from '../../../testing/tiny-catalogue.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
  await fillCatalogue(test.db);
});
afterAll(() => test?.close());

const fasta = '>sp|Q1|A_B one\nMKTAYIAK\n>Q2\nMKTAYIAKW\n';
const line = (query: string, target: string, eValue: string, { identity = '0.3', bits = '50' } = {}) =>
  `${[query, target, identity, 100, 10, 0, 1, 100, 1, 100, eValue, bits].join('\t')}\n`;

type Part = string | { filename: string; content: Uint8Array | string };
const send = async (
  content: Uint8Array | string | null,
  {
    query = '',
    path = '/v1/annotate',
    more = {},
  }: { query?: string; path?: string; more?: Record<string, Part> } = {},
) => {
  const hits: Record<string, Part> = content === null ? {} : { hits: { filename: 'hits.m8', content } };
  const { payload, headers } = multipart({ fasta_text: fasta, ...hits, ...more });
  const account = await test.account('researcher');
  return test.call({
    method: 'POST',
    url: path + query,
    payload,
    headers: { ...headers, ...account.headers },
  });
};

const table =
  '# Foldseek 10.941cd33\n' +
  line('Q1.pdb', 'AF-P00001-F1-model_v4', '1e-9') +
  line('sp|Q1|A_B', 'sp|P00001|X_Y', '1e-12', { identity: '0.4' }) +
  line('Q1', 'P00002', '3') +
  line('Q1', 'P00003', '1000') +
  line('Q1', 'Q1', '0') +
  line('Q2', 'NOSUCH', '1e-4') +
  line('Q9', 'P00001', '1e-4');

it('keeps the best hits of each sequence, and says what it left out', async () => {
  const { status, body } = await send(gzipSync(table), { query: '?auto_predict=true' });
  expect(status).toBe(202);
  expect(body.hits).toEqual({
    file: 'hits.m8',
    program: 'Foldseek 10.941cd33',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    hits: 7,
    queries: 2,
    kept: 3,
    unknown_queries: 1,
    unknown_query: 'Q9',
    self_hits: 1,
    surplus: 2,
  });
  expect(body.predict_payload).toMatchObject({ method: 'combined', use_hits: true });
  const id = body.query_set_id as string;
  expect(await findHitsFile(test.db, id)).toEqual(body.hits);
  expect(await hitsOfQueries(test.db, id, ['Q1', 'Q3'])).toEqual(
    new Map([
      [
        'Q1',
        [
          ['P00001', -12, 0.4, 50],
          ['P00002', expect.closeTo(Math.log10(3)), 0.3, 50],
        ],
      ],
    ]),
  );
  expect(await targetsOfHits(test.db, id)).toEqual([
    { target: 'NOSUCH', hits: 1 },
    { target: 'P00001', hits: 1 },
    { target: 'P00002', hits: 1 },
  ]);
});

it('names the program that the caller names, reads percents, and checks without storing', async () => {
  const hits =
    line('Q1', 'P00001', '1e-9', { identity: '30' }) + line('Q1', 'P00002', '1e-9', { identity: '0.9' });
  const { body } = await send(hits, { more: { hits_program: 'BLAST 2.16' } });
  expect(body.hits).toMatchObject({ program: 'BLAST 2.16', kept: 2 });
  const stored = await hitsOfQueries(test.db, body.query_set_id as string, ['Q1']);
  expect(stored.get('Q1')?.map(([, , identity]) => identity)).toEqual([0.3, expect.closeTo(0.009)]);
  const checked = await send(hits, { path: '/v1/annotate/check' });
  expect(checked.body.hits).toMatchObject({ file: 'hits.m8', kept: 2 });
  expect((await send(null)).body.hits).toBeNull();
});

it.each([
  ['a\tb\n', 'hits.m8, line 1 (record a): expected the 12 columns'],
  ['# nothing\n', 'hits.m8 has no hit'],
  [line('other', 'P1', '1e-9'), 'column 1 has names such as "other"'],
  [line('Q1', 'Q1', '1e-9'), 'only hits of sequences with themselves'],
  [new Uint8Array([0x50, 0x4b, 3, 4, 0, 0]), 'hits.m8'],
])('refuses %j', async (content, detail) => {
  const refused = problemIn(await send(content));
  expect(refused).toMatchObject({ code: 'bad_file', detail: expect.stringContaining(detail) });
});

it('refuses hits for a method that does not use them, and a program without hits', async () => {
  const hits = line('Q1', 'P00001', '1e-9');
  expect(problemIn(await send(hits, { query: '?method=knn' })).errors?.[0]).toMatchObject({
    path: '/hits',
    message: expect.stringContaining('the method combined takes hits'),
  });
  expect(problemIn(await send(null, { more: { hits_program: 'BLAST' } })).errors?.[0].path).toBe(
    '/hits_program',
  );
  expect(problemIn(await send(null, { more: { hits } })).errors?.[0]).toMatchObject({
    path: '/hits',
    message: expect.stringContaining('-F hits=@FILE'),
  });
});
