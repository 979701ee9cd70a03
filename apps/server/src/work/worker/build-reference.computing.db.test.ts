import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { referenceBody } from '@kindred/contracts/resources/references';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelJob } from '../jobs/cancel.js';
import { startReference } from '../jobs/start-reference.js';
import { compareReferences, requireReference } from '../../resources/references.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { insertEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { bankSources } from '../../store/references/reference-bank.repository.js';
import type { DescribedReference } from '../../store/references/references.repository.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { until } from '../../testing/worker/harness.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';

/** A worker process of the product builds references from two organisms' files. */
let database: TestDatabase;
let db: Database;
let workers: WorkerProcesses;
let configId: string;

const letters = 'ACDEFGHIKLMNPQRSTVWY';
/** Makes a sequence for each seed, all different. */
const sequenceOf = (seed: number) =>
  Array.from(createHash('sha512').update(String(seed)).digest(), (byte) => letters[byte % 20]).join('');
const fasta = (organism: number, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => `>A${from + i} OX=${organism}\n${sequenceOf(from + i)}\n`).join('');
const gafRow = (accession: string, goId: string, code: string) =>
  `UniProtKB\t${accession}\tS\tinvolved_in\t${goId}\tPMID:1\t${code}\t\tP\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n`;
const term = (id: string, parent: string | null, more = '') =>
  `[Term]\nid: ${id}\nname: ${id}\nnamespace: biological_process\n${parent === null ? '' : `is_a: ${parent} ! x\n`}${more}\n`;

const files: Record<string, string> = {
  'go.obo':
    'data-version: releases/2020-02-02\n\n' +
    term('GO:0008150', null) +
    term('GO:0000002', 'GO:0008150') +
    term('GO:0000003', 'GO:0000002') +
    term('GO:0000009', null, 'is_obsolete: true\n'),
  'one.fasta': fasta(83333, 100, 40),
  'two.fasta': fasta(559292, 200, 40),
  'one.gaf': `!gaf-version: 2.2\n${gafRow('A100', 'GO:0000002', 'IDA')}${gafRow('A101', 'GO:0000003', 'IEA')}${gafRow('A102', 'GO:0000009', 'IDA')}`,
  'two.gaf': `!gaf-version: 2.2\n${gafRow('A200', 'GO:0000003', 'IMP')}${gafRow('A999', 'GO:0000003', 'IMP')}${gafRow('A100', 'GO:0000003', 'EXP')}not a row\n`,
};

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 6);
  // The periods are short, so that another process takes over the work of a killed one at once.
  const settings = { SVC_LEASE_SECONDS: '3', SVC_SWEEP_PERIOD_MS: '200' };
  workers = await WorkerProcesses.on({ db, url: database.url }, () => settings);
  for (const [name, text] of Object.entries(files)) await writeFile(join(workers.folder, name), text);
  configId = (await insertKmerConfig(db)).id;
  workers.start();
});
afterAll(async () => {
  await workers.stop();
  await closeDatabase(db);
  await database.close();
});

const source = (name: string) => ({ url: pathToFileURL(join(workers.folder, name)).href });
const request = (name: string, more: object = {}) =>
  referenceBody.parse({
    name,
    version: '1',
    ontology: source('go.obo'),
    proteins: [source('one.fasta'), source('two.fasta')],
    annotations: [source('one.gaf'), source('two.gaf')],
    embedding_config_ids: [configId],
    ...more,
  });
const begin = (body: ReturnType<typeof request>) =>
  startReference({ db, broker: workers.broker }, body, { ownerUserId: null, checkFiles: async () => {} });
async function untilEnded(name: string): Promise<DescribedReference> {
  let row = await requireReference(db, name);
  await until(async () => {
    row = await requireReference(db, name);
    return row.status !== 'building';
  });
  return row;
}
async function build(name: string, more: object = {}): Promise<DescribedReference> {
  await begin(request(name, more));
  return untilEnded(name);
}

const published = { model_name: 'published', model_backend: 'imported', dimension: 4, normalize: false };
async function kmerRecipe() {
  const { id, number, created_at, ...recipe } = await db
    .selectFrom('embedding_config')
    .selectAll()
    .where('id', '=', configId)
    .executeTakeFirstOrThrow();
  return recipe;
}

/** Computes the hash by a slow way, from the files alone. */
function expectedHash(rows: string[][], oboSha256: string, recipe: string): string {
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const proteins = [100, 200].flatMap((from) => Array.from({ length: 40 }, (_, i) => from + i));
  const lines = proteins.map((id) => `A${id}\t${id < 200 ? 83333 : 559292}\t${md5(sequenceOf(id))}\n`);
  const annotations = rows
    .map(([accession, goId, code]) =>
      [accession, goId, 'involved_in', code, 'X', 'PMID:1', '\\N', '20200101'].join('\t'),
    )
    .sort()
    .map((row) => `${row}\n`);
  return sha([oboSha256, sha(lines.join('')), sha(annotations.join('')), sha(''), recipe].join('\n'));
}

describe('a reference of several files', () => {
  it('joins organisms and sources, and says what it left out', async () => {
    const row = await build('both');
    expect(row).toMatchObject({
      status: 'complete',
      is_default: false,
      protein_count: 80,
      annotation_count: 4,
      annotated_protein_count: 3,
      left_out: {
        'annotations of obsolete terms': 1,
        'annotations of proteins that are not in it': 1,
        'annotation lines that cannot be read': 1,
      },
    });
    expect(row.vectors).toMatchObject([{ vector_count: 80 }]);
    expect(row.parts.map(({ kind, name }) => [kind, name])).toEqual([
      ['ontology', 'releases/2020-02-02'],
      ['proteins', 'one.fasta'],
      ['proteins', 'two.fasta'],
      ['annotations', 'one.gaf'],
      ['annotations', 'two.gaf'],
    ]);
    const text = await readFile(join(workers.folder, 'one.fasta'));
    expect(row.parts[1].sha256).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('says why its reliability cannot be measured', async () => {
    await until(async () => (await requireReference(db, 'both')).reliability !== null);
    expect((await requireReference(db, 'both')).reliability).toMatchObject({
      held_out: 3,
      aspects: [],
      words: [],
      why_not: 'Only 3 proteins of the reference have annotations; 100 are needed.',
    });
  });

  it('has a hash of its content alone, which a slow way confirms', async () => {
    const [first, swapped] = [
      await requireReference(db, 'both'),
      await build('swapped', {
        proteins: [source('two.fasta'), source('one.fasta')],
        annotations: [source('two.gaf'), source('one.gaf')],
        make_default: true,
      }),
    ];
    expect(swapped.content_sha256).toBe(first.content_sha256);
    expect(swapped.is_default).toBe(true);
    const obo = createHash('sha256').update(files['go.obo']).digest('hex');
    const config = await db
      .selectFrom('embedding_config')
      .selectAll()
      .where('id', '=', configId)
      .executeTakeFirstOrThrow();
    const { id, number, description, display_name, family, param_count, created_at, ...recipe } = config;
    const rows = [
      ['A100', 'GO:0000002', 'IDA'],
      ['A101', 'GO:0000003', 'IEA'],
      ['A200', 'GO:0000003', 'IMP'],
      ['A100', 'GO:0000003', 'EXP'],
    ];
    const recipeText = JSON.stringify(Object.entries(recipe).sort(([a], [b]) => (a < b ? -1 : 1)));
    expect(first.content_sha256).toBe(expectedHash(rows, obo, recipeText));
  });

  it('is the one that was built as long as its rows and vectors are there', async () => {
    const { id, annotation_set_id } = await build('verified', { annotations: [source('one.gaf')] });
    const verified = async () => (await workers.run('verify_reference', { reference_id: id })).result;
    const intact = await verified();
    expect(intact).toMatchObject({ is_intact: true, vectors: [{ expected: 80, found: 80 }] });
    expect(intact.found_sha256).toBe(intact.content_sha256);
    const taken = await db
      .deleteFrom('sequence_embedding')
      .where('sequence_id', '=', (eb) =>
        eb.selectFrom('protein').select('sequence_id').where('accession', '=', 'A101'),
      )
      .returningAll()
      .execute();
    expect(await verified()).toMatchObject({ is_intact: false, vectors: [{ expected: 80, found: 79 }] });
    await db.insertInto('sequence_embedding').values(taken).execute();
    await sql`delete from protein_go_annotation a using annotation_set s, protein p
      where s.id = ${annotation_set_id} and a.annotation_set_number = s.number
        and p.id = a.protein_id and p.accession = 'A101'`.execute(db);
    const changed = await verified();
    expect(changed.is_intact).toBe(false);
    expect(changed.found_sha256).not.toBe(changed.content_sha256);
  });

  it('is whole without its measured reliability, where somebody cancels that before', async () => {
    await begin(request('unmeasured', { evidence: 'experimental' }));
    const { job_id } = await requireReference(db, 'unmeasured');
    const cancelled = await db
      .selectFrom('job')
      .select('id')
      .where('parent_job_id', '=', job_id)
      .where('operation', '=', 'measure_reference')
      .executeTakeFirstOrThrow();
    await cancelJob(db, cancelled.id);
    expect(await untilEnded('unmeasured')).toMatchObject({ status: 'complete', error: null });
  });

  it('takes experimental rows alone where asked', async () => {
    const row = await build('experimental', { evidence: 'experimental' });
    expect(row.statistics?.by_evidence_code).toEqual({ IDA: 1, IMP: 1, EXP: 1 });
    expect(row.left_out).toMatchObject({ 'annotations of other evidence': 1 });
    expect(row.content_sha256).not.toBe((await requireReference(db, 'both')).content_sha256);
  });

  it('keeps its sequences when the catalogue gets others', async () => {
    const before = await requireReference(db, 'both');
    const sourcesOf = async ({ annotation_set_id }: DescribedReference) => {
      const set = await db
        .selectFrom('annotation_set')
        .select('number')
        .where('id', '=', annotation_set_id as string)
        .executeTakeFirstOrThrow();
      const config = await db.selectFrom('embedding_config').select('number').executeTakeFirstOrThrow();
      return bankSources(db, config.number, set.number);
    };
    const sources = await sourcesOf(before);
    await writeFile(join(workers.folder, 'newer.fasta'), `>A100 OX=83333\n${sequenceOf(777)}\n`);
    await begin(request('both', { version: '2', proteins: [source('newer.fasta'), source('two.fasta')] }));
    const newer = await untilEnded('both@2');
    expect(await sourcesOf(before)).toEqual(sources);
    const sequenceIds = (await sourcesOf(newer)).map((source) => source.sequence_id);
    expect(sequenceIds).not.toContain(sources[0].sequence_id);
    // The older version consists of these rows, so a vacuum may not remove them.
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from reference_protein m join sequence_embedding e on e.sequence_id = m.sequence_id
      where m.reference_number = ${before.number}`.execute(db);
    expect(rows[0].n).toBe(80);
  });

  it('is compared with another, as a slow way compares their files', async () => {
    expect(await compareReferences(db, 'both@1', 'experimental')).toMatchObject({
      proteins: { gained: 0, lost: 0, sequence_changed: 0 },
      terms: { added: 0, obsolete: 0, replaced: 0 },
      annotations: [{ aspect: 'P', evidence_code: 'IEA', gained: 0, lost: 1 }],
    });
    const newer = await compareReferences(db, 'both@1', 'both@2');
    // In both@2, A100 has another sequence, and no other protein of the first file is left.
    expect(newer.proteins).toEqual({ gained: 0, lost: 39, sequence_changed: 1 });
    expect(newer.annotations).toEqual([{ aspect: 'P', evidence_code: 'IEA', gained: 0, lost: 1 }]);
    const back = await compareReferences(db, 'both@2', 'both@1');
    expect(back.proteins).toEqual({ gained: 39, lost: 0, sequence_changed: 1 });
    expect(back.annotations).toEqual([{ aspect: 'P', evidence_code: 'IEA', gained: 1, lost: 0 }]);
  });

  it('imports vectors that were published, and computes none', async () => {
    const config = await insertEmbeddingConfig(db, { ...(await kmerRecipe()), ...published });
    const vectors = (from: number, count: number, more = 0) =>
      Array.from({ length: count }, (_, i) => `A${from + i},1,${i + more},2,3\n`).join('');
    await writeFile(join(workers.folder, 'one.csv'), vectors(100, 40));
    await writeFile(join(workers.folder, 'two.csv'), vectors(200, 39));
    const row = await build('published', {
      embedding_config_ids: [config.id],
      vectors: [source('one.csv'), source('two.csv')],
    });
    expect(row).toMatchObject({ status: 'complete', error: null });
    // A239 has no vector.
    expect(row.vectors).toMatchObject([{ vector_count: 79 }]);
    expect(row.parts.filter(({ kind }) => kind === 'vectors')).toMatchObject([
      { name: 'one.csv', sha256: createHash('sha256').update(vectors(100, 40)).digest('hex') },
      { name: 'two.csv' },
    ]);
    await writeFile(join(workers.folder, 'other.csv'), vectors(100, 40, 1));
    const other = await build('published-later', {
      embedding_config_ids: [config.id],
      vectors: [source('other.csv'), source('two.csv')],
    });
    expect(other.content_sha256).not.toBe(row.content_sha256);
  });

  it('fails with the reason of the step, and the same request goes on when it is repaired', async () => {
    await writeFile(join(workers.folder, 'late.gaf'), 'nothing of use\n');
    const body = request('repaired', { annotations: [source('late.gaf')] });
    const first = await begin(body);
    const failed = await untilEnded('repaired');
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('late.gaf') });
    await writeFile(join(workers.folder, 'late.gaf'), files['one.gaf']);
    expect(await begin(body)).toEqual({ id: first.id, queued: true });
    expect(await untilEnded('repaired')).toMatchObject({ status: 'complete', error: null });
    expect(await begin(body)).toEqual({ id: first.id, queued: false });
  });

  it('killed workers leave the same content', async () => {
    const expected = (await requireReference(db, 'both@1')).content_sha256;
    const steps = ['load_reference_annotations', 'build_reference'];
    for (const [n, operation] of steps.entries()) {
      await begin(request('stormy', { version: String(n) }));
      const name = `stormy@${n}`;
      const { number, job_id } = await requireReference(db, name);
      await until(async () => {
        const { rows } = await sql<{ status: string }>`
          select status from job where (id = ${job_id} or parent_job_id = ${job_id}) and operation = ${operation}`.execute(
          db,
        );
        return rows[0].status === 'RUNNING' || rows[0].status === 'SUCCEEDED';
      });
      await workers.kill();
      workers.start();
      const done = await untilEnded(name);
      expect(done).toMatchObject({ number, status: 'complete', content_sha256: expected });
    }
  });
});
