import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { parseFasta, writeFasta } from '@kindred/kernels/formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  multipart,
  problemIn,
  startTestApp,
  type TestAccount,
  type TestApp,
} from '../../../testing/test-app.js';

let test: TestApp;
let owner: TestAccount;
beforeAll(async () => {
  test = await startTestApp();
  owner = await test.account('researcher');
});
afterAll(() => test?.close());

type Parts = Parameters<typeof multipart>[0];
const upload = (parts: Parts, account = owner) => {
  const { payload, headers } = multipart(parts);
  return test.call({
    method: 'POST',
    url: '/v1/query-sets',
    payload,
    headers: { ...headers, ...account.headers },
  });
};
const fasta = (content: string | Uint8Array) => ({ filename: 'my.fasta', content });
const two =
  '>sp|P12345|NAME_HUMAN Some protein OS=Homo sapiens OX=9606\r\nmktay\r\nIAKQR*\n>second\nMKTAY IAKQR\n';

const genbank = (residues: string) =>
  `LOCUS       X   15 bp DNA
FEATURES             Location/Qualifiers
     CDS             1..15
                     /protein_id="P1.1"
                     /gene="abc"
                     /product="thing"
                     /translation="${residues}"
//
`;

describe('an upload', () => {
  it('keeps headers and order, and shares one sequence among equal records', async () => {
    const made = await upload({ name: 'mine', description: 'two', file: fasta(two) });
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`/v1/query-sets/${made.body.id}`);
    expect(made.body).toMatchObject({ name: 'mine', description: 'two', entry_count: 2 });
    const { body } = await test.call({ url: String(made.headers.location) });
    expect(body.entries).toMatchObject([
      {
        accession: 'P12345',
        header: 'sp|P12345|NAME_HUMAN Some protein OS=Homo sapiens OX=9606',
        taxonomy_id: 9606,
        length: 10,
      },
      { accession: 'second', header: 'second', taxonomy_id: null },
    ]);
    expect(body.entries[0].sequence_id).toBe(body.entries[1].sequence_id);
    const md5 = createHash('md5').update('MKTAYIAKQR').digest('hex');
    const stored = await test.db
      .selectFrom('sequence')
      .select('sequence')
      .where('sequence_md5', '=', md5)
      .execute();
    expect(stored).toEqual([{ sequence: 'MKTAYIAKQR' }]);
    expect((await test.call({ url: '/v1/query-sets', headers: owner.headers })).body[0].id).toBe(
      made.body.id,
    );
  });

  it('takes the proteins of a GenBank file, and names line and protein where it is wrong', async () => {
    const made = await upload({ name: 'genes', file: fasta(genbank('MKTAY')) });
    expect(made.body.entry_count).toBe(1);
    const { body } = await test.call({ url: String(made.headers.location) });
    expect(body.entries).toMatchObject([{ accession: 'P1.1', header: 'P1.1 thing GN=abc', length: 5 }]);
    const refused = await upload({ name: 'genes', file: fasta(genbank('MK1')) });
    expect(refused).toMatchObject({ status: 422, body: { code: 'bad_fasta' } });
    expect(refused.body.detail).toContain('line 3 (record P1.1)');
  });

  it.each([
    ['bzip2', [0x42, 0x5a, 0x68, 0x39], 'bzip2 -dc FILE'],
    ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], 'xz -dc FILE'],
    ['zip', [0x50, 0x4b, 3, 4], 'unzip -p FILE'],
    ['zstd', [0x28, 0xb5, 0x2f, 0xfd], 'zstd -dc FILE'],
    ['gzip twice', gzipSync(gzipSync(two)), 'gzip -dc FILE'],
  ])('packed with %s is refused with the command that unpacks it', async (packing, bytes, command) => {
    const refused = problemIn(await upload({ file: fasta(Uint8Array.from(bytes)) }));
    expect(refused).toMatchObject({ status: 422, code: 'bad_file' });
    expect(refused).toMatchObject({ detail: expect.stringContaining(`packed with ${packing}`) });
    expect(refused).toMatchObject({ detail: expect.stringContaining(`"${command} > unpacked"`) });
  });

  it('says what of a file has no protein, and refuses a file without any', async () => {
    const pseudo = genbank('MKTAY').replace('/translation="MKTAY"', '/pseudo');
    const both = pseudo.replaceAll('P1.1', 'P2.1') + genbank('MKTAY');
    for (const content of [both, gzipSync(both)])
      expect((await upload({ name: 'genes', file: fasta(content) })).body).toMatchObject({
        entry_count: 1,
        left_out: { count: 1, records: [{ line: 3, record: 'P2.1', reason: 'a pseudogene' }] },
      });
    expect((await upload({ name: 'two', file: fasta(two) })).body.left_out).toEqual({
      count: 0,
      records: [],
    });
    const refused = problemIn(await upload({ name: 'none', file: fasta(pseudo) }));
    expect(refused).toMatchObject({
      status: 422,
      code: 'bad_fasta',
      detail:
        'The upload has no protein: its one record was left out. The first: line 3 (record P1.1): a pseudogene',
    });
  });

  it.each([
    ['a letter that is no residue', '>a\nMKT\n>b\nMK1\n', 4, 'b', /not a residue/],
    ['a name given twice', '>a\nMKT\n>a\nMKTA\n', 3, 'a', /occurs twice/],
    ['no residues', '>b\n>a\nMKT\n', 1, 'b', /no residues/],
    ['text before the first record', 'see below\n>a\nMKT\n', 1, null, /text before/],
    [
      'a residue of GenBank',
      genbank('MK1').replaceAll('P1.1', 'b') + genbank('MKT'),
      3,
      'b',
      /not a residue/,
    ],
  ])(
    'leaves out and lists a record with %s where that is asked for',
    async (_name, content, line, record, reason) => {
      const made = await upload({ bad_records: 'leave_out', file: fasta(content) });
      expect(made.body).toMatchObject({
        entry_count: 1,
        left_out: { count: 1, records: [{ line, record, reason: expect.stringMatching(reason as RegExp) }] },
      });
      expect((await upload({ bad_records: 'refuse', file: fasta(content) })).status).toBe(422);
    },
  );

  it('of bad records alone is refused in both cases, and lists a hundred of more', async () => {
    const bad = Array.from({ length: 150 }, (_, i) => `>b${i}\nMK1\n`).join('');
    expect(problemIn(await upload({ bad_records: 'leave_out', file: fasta(bad) }))).toMatchObject({
      detail: expect.stringMatching(/no protein: all 150 .* left out. The first: line 2 \(record b0\)/),
    });
    const { left_out } = (await upload({ bad_records: 'leave_out', file: fasta(`${bad}>a\nMKT\n`) })).body;
    expect(left_out.count).toBe(150);
    expect(left_out.records).toHaveLength(100);
    expect(left_out.records[99]).toMatchObject({ line: 200, record: 'b99' });
  });

  it('takes UTF-16 by its byte order mark, also packed and of a genome', async () => {
    const genome =
      'LOCUS       X  6 bp  DNA\nFEATURES             Location/Qualifiers\n     CDS             1..6\n                     /locus_tag="x"\nORIGIN\n        1 atgaaa\n//\n';
    for (const [text, count] of [
      [two, 2],
      [genome, 1],
    ] as const) {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      for (const content of [
        bytes,
        Buffer.from(bytes).swap16(),
        gzipSync(bytes),
        Buffer.from(`\ufeff${text}`),
      ])
        expect((await upload({ name: 'marked', file: fasta(content) })).body.entry_count).toBe(count);
    }
  });

  it('takes gzip by its first bytes', async () => {
    expect((await upload({ name: 'packed', file: fasta(gzipSync(two)) })).body.entry_count).toBe(2);
  });

  it.each([
    ['a bad letter', '>a\nMK1AY\n', /line 2 \(record a\).*1/],
    ['no record', '', /no FASTA record/],
    ['text before a record', 'hello\n>a\nMK\n', /line 1/],
    ['a duplicate', '>a\nMK\n>a\nMKT\n', /line 3.*occurs twice/],
    ['a record without residues', '>a\n>b\nMK\n', /line 1 \(record a\)/],
    ['too many residues', `>a\n${'M'.repeat(5001)}\n`, /5000 residues/],
    ['too many sequences', Array.from({ length: 1001 }, (_, i) => `>s${i}\nMK\n`).join(''), /1000 sequences/],
    ['bytes that are not text', Buffer.from([0x3e, 0x61, 0x0a, 0xff, 0xfe]), /line 2: not UTF-8/],
    ['UTF-16 without a mark', Buffer.from(two, 'utf16le'), /line 1: .*UTF-16.*save it as UTF-8/],
    [
      'names in Latin-1',
      Buffer.from('>caf\u00e9\nMK\n', 'latin1'),
      /line 1: not UTF-8 text; save the file as UTF-8/,
    ],
    ['a zero byte', '>a\nMK\0T\n', /line 2: a zero byte/],
    ['carriage returns for line ends', '>a\rMKT\r>b\rMKTA\r', /line 1: .*carriage return/],
    ['an accession that is too long', `>${'a'.repeat(256)}\nMK\n`, /255/],
  ])('with %s is a 422 that names the place', async (_name, content, message) => {
    const problem = problemIn(await upload({ name: 'bad', file: fasta(content) }));
    expect(problem).toMatchObject({ status: 422, code: 'bad_fasta', detail: expect.stringMatching(message) });
    expect(problem.errors?.[0].path).toBe('/file');
  });

  it('that is too large is a 413, packed or not, and leaves nothing', async () => {
    const before = await test.db.selectFrom('query_set').select('id').execute();
    const big = `>a\n${'M'.repeat(2 << 20)}\n`;
    expect(problemIn(await upload({ name: 'big', file: fasta(big) }))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    const bomb = gzipSync(Buffer.alloc(200 << 20, 'M'));
    expect(bomb.byteLength).toBeLessThan(test.settings.maxUploadBytes);
    expect(problemIn(await upload({ name: 'bomb', file: fasta(bomb) }))).toMatchObject({
      status: 413,
      code: 'decompressed_too_large',
    });
    const broken = gzipSync(two).subarray(0, 40);
    expect(problemIn(await upload({ name: 'cut', file: fasta(broken) }))).toMatchObject({
      status: 422,
      code: 'bad_file',
    });
    expect(await test.db.selectFrom('query_set').select('id').execute()).toEqual(before);
  });

  it('of 51 MiB is refused under the default limit of 50', async () => {
    const usual = await test.sibling({ maxUploadBytes: 50 << 20 });
    const { payload, headers } = multipart({ name: 'x', file: fasta(Buffer.alloc(51 << 20, 'M')) });
    const response = await usual.inject({
      method: 'POST',
      url: '/v1/query-sets',
      payload,
      headers: { ...headers, ...owner.headers },
    });
    expect(response.statusCode).toBe(413);
    expect(response.json()).toMatchObject({ code: 'payload_too_large' });
  });

  it('is named after its file where no name is given', async () => {
    expect((await upload({ file: fasta(two) })).body.name).toBe('my.fasta');
    const long = { filename: `${'n'.repeat(300)}.fasta`, content: two };
    expect((await upload({ file: long })).body.name).toBe('n'.repeat(255));
  });

  it('comes back as FASTA with the same headers in the same order, on many pages', async () => {
    const records = Array.from({ length: 450 }, (_, i) => ({
      header: `tr|Q${i}|NAME${i} a protein  with	marks | = ; ${i}`,
      sequence: 'MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDA'.slice(i % 50),
    })).reverse();
    const made = await upload({ file: fasta([...writeFasta(records)].join('')) });
    const { status, headers, body } = await test.call({ url: made.body.links.sequences });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/x-fasta; charset=utf-8');
    expect(headers['content-disposition']).toBe(`attachment; filename="queries_${made.body.id}.fasta"`);
    expect(parseFasta(body).map(({ header, sequence }) => ({ header, sequence }))).toEqual(records);
    const none = await test.call({ url: `/v1/query-sets/${crypto.randomUUID()}/sequences` });
    expect(problemIn(none).status).toBe(404);
  });

  it('needs a file, a name that is not empty, and no part that is unknown', async () => {
    expect(problemIn(await upload({ name: ' ', file: fasta(two) })).errors?.[0].path).toBe('/name');
    expect(problemIn(await upload({ name: 'x' })).errors?.[0].path).toBe('/file');
    expect(problemIn(await upload({ name: 'x', colour: 'red', file: fasta(two) })).errors?.[0].path).toBe(
      '/colour',
    );
    const json = await test.call({
      method: 'POST',
      url: '/v1/query-sets',
      payload: { name: 'x' },
      headers: owner.headers,
    });
    expect(problemIn(json).status).toBe(415);
    const cut = multipart({ name: 'x', file: fasta(two) });
    const half = await test.call({
      method: 'POST',
      url: '/v1/query-sets',
      payload: cut.payload.subarray(0, 150),
      headers: { ...cut.headers, ...owner.headers },
    });
    expect(problemIn(half).status).toBe(400);
  });
});

describe('a form', () => {
  const send = (payload: Buffer, headers: Record<string, string>) =>
    test.call({ method: 'POST', url: '/v1/query-sets', payload, headers: { ...headers, ...owner.headers } });

  it('has one file, in a file part', async () => {
    expect(problemIn(await upload({ name: 'x', file: two })).errors).toMatchObject([
      { path: '/file', message: expect.stringMatching(/sent as text.*file part/) },
    ]);
    for (const content of [two, `>long\n${'M'.repeat(4000)}\n`.repeat(50)]) {
      const { payload, headers } = multipart({ name: 'x', file: fasta(content), other: fasta(content) });
      const twice = Buffer.from(payload.toString('latin1').replace('name="other"', 'name="file"'), 'latin1');
      const problem = problemIn(await send(twice, headers));
      expect(problem.status).toBe(422);
      expect(problem.errors).toMatchObject([
        { path: '/file', message: expect.stringMatching(/more than one/) },
      ]);
    }
  });

  it('has few parts, and short fields', async () => {
    const parts = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`part-${i}`, '']));
    const { payload, headers } = multipart(parts);
    const nameless = Buffer.from(
      payload.toString('latin1').replaceAll(/Content-Disposition: .*/g, 'X-Part: 1'),
      'latin1',
    );
    expect(problemIn(await send(nameless, headers)).errors).toMatchObject([
      { path: '/', message: expect.stringMatching(/more than 20 parts/) },
    ]);
    expect(problemIn(await upload({ name: 'n'.repeat(70_000), file: fasta(two) })).errors).toMatchObject([
      { path: '/name', message: expect.stringMatching(/longer than 65536 bytes/) },
    ]);
  });

  it('has fields of UTF-8 text', async () => {
    const { payload, headers } = multipart({ name: 'Stra?e', file: fasta(two) });
    payload[payload.indexOf('Stra?e') + 4] = 0xdf;
    expect(problemIn(await send(payload, headers)).errors).toMatchObject([
      { path: '/name', message: expect.stringMatching(/not UTF-8/) },
    ]);
    expect((await upload({ name: 'Straße', file: fasta(two) })).body.name).toBe('Straße');
  });
});

describe('renaming', () => {
  it('is for the owner and operators, and shows in the predictions', async () => {
    const { body: set } = await upload({ name: 'first name', file: fasta(two) });
    const rename = (payload: object, account: TestAccount) =>
      test.call({ method: 'PATCH', url: `/v1/query-sets/${set.id}`, payload, headers: account.headers });
    const stranger = await test.account('researcher');
    expect(
      (await test.call({ url: `/v1/query-sets/${set.id}`, headers: stranger.headers })).body,
    ).toMatchObject({
      may_change: false,
    });
    expect(problemIn(await rename({ name: 'hers' }, stranger))).toMatchObject({ status: 403 });
    expect((await rename({ name: ' second name ' }, owner)).body).toMatchObject({
      name: 'second name',
      visibility: set.visibility,
      may_change: true,
    });
    expect(problemIn(await rename({}, owner))).toMatchObject({ status: 422 });
    expect(problemIn(await rename({ name: '' }, owner))).toMatchObject({ status: 422 });
  });
});

describe('deleting', () => {
  it('is for the owner, and not while a job needs the set', async () => {
    const { body: set } = await upload({ name: 'gone', file: fasta(two) });
    const remove = (account: TestAccount) =>
      test.call({ method: 'DELETE', url: `/v1/query-sets/${set.id}`, headers: account.headers });
    expect(problemIn(await remove(await test.account('researcher')))).toMatchObject({
      status: 403,
      code: 'not_owner',
    });
    const job = await test.db
      .insertInto('job')
      .values({
        operation: 'compute_embeddings',
        queue_name: 'svc.embeddings',
        payload: JSON.stringify({ query_set_id: set.id }),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect(problemIn(await remove(owner))).toMatchObject({
      status: 409,
      code: 'in_use',
      detail: expect.stringContaining(job.id),
    });
    await test.db.updateTable('job').set({ status: 'SUCCEEDED' }).where('id', '=', job.id).execute();
    expect((await remove(owner)).body).toEqual({ deleted: set.id, entries_deleted: 2 });
    expect((await remove(owner)).status).toBe(404);
  });
});
