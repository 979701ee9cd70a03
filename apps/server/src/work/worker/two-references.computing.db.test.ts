import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseFasta } from '@kindred/kernels/formats';
import { referenceBody } from '@kindred/contracts/resources/references';
import { repositoryRoot } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evidenceText } from '../../cli/explain.js';
import { requireReference } from '../../resources/references.js';
import { countAnnotatedSequences } from '../../store/annotations/annotate-check.repository.js';
import { inTransaction } from '../../store/postgres/connection.js';
import { sequenceMd5 } from '../../store/proteins/sequences.repository.js';
import { deleteReference } from '../../store/references/references.repository.js';
import { sampledProteins } from '../../store/references/reference-reliability.repository.js';
import { startTestApp, type TestApp } from '../../testing/test-app.js';
import { until } from '../../testing/worker/harness.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';
import { startReference } from '../jobs/start-reference.js';

/**
 * The files of two species both name their first protein g1.t1, as BRAKER names the first of every genome.
 * The queries are pieces of the proteins of each.
 */
let test: TestApp;
let workers: WorkerProcesses;
let banks: string;
let configId: string;
let configNumber: number;
const cases = join(repositoryRoot(), 'packages/kernels/src/formats/golden/cases');
const shared = 'g1.t1';
const files = {
  first: ['140-speciesA.fasta', '140-speciesA.gaf'],
  second: ['141-speciesB.fasta', '143-speciesB.gaf'],
};
type Name = keyof typeof files;
/** The queries are for proteins that both species name: the given one, and pieces of each. */
const pieces: [name: Name, protein: string, query: string][] = [
  ['first', shared, 'myquery'],
  ['first', 'g2.t1', 'first-2'],
  ['first', 'g3.t1', 'first-3'],
  ['second', shared, 'second-1'],
  ['second', 'g2.t1', 'second-2'],
  ['second', 'g3.t1', 'second-3'],
];
const names: Name[] = ['first', 'second'];
const sequenceOf = {} as Record<Name, string>;
const sequences = {} as Record<Name, Map<string, string>>;
const references = {} as Record<Name, Awaited<ReturnType<typeof requireReference>>>;

beforeAll(async () => {
  banks = await mkdtemp(join(tmpdir(), 'kindred-two-references-'));
  test = await startTestApp({ cacheDir: banks });
  workers = await WorkerProcesses.on({ db: test.db, url: test.url });
  for (const name of [...names.flatMap((one) => files[one]), '144-query-like-A1.fasta'])
    await copyFile(join(cases, name), join(workers.folder, name));
  for (const name of names) await writeFile(join(workers.folder, `${name}.obo`), await ontology(name));
  ({ id: configId, number: configNumber } = await insertKmerConfig(test.db));
  workers.start();
  for (const name of names) {
    const text = await readFile(join(cases, files[name][0]), 'utf8');
    sequences[name] = new Map(parseFasta(text).map(({ accession, sequence }) => [accession, sequence]));
    sequenceOf[name] = sequences[name].get(shared) as string;
    references[name] = await built(name);
  }
  const records = pieces
    .slice(1)
    .map(([name, protein, query]) => `>${query}\n${sequences[name].get(protein)?.slice(10, -10)}\n`);
  await writeFile(join(workers.folder, 'pieces.fasta'), records.join(''));
  for (const file of ['144-query-like-A1.fasta', 'pieces.fasta'])
    await workers.run('insert_proteins', { fasta_url: url(file) });
  await workers.run('compute_embeddings', { embedding_config_id: configId });
});
afterAll(async () => {
  await workers?.stop();
  await test?.close();
  await rm(banks, { recursive: true, force: true });
});

const url = (name: string) => pathToFileURL(join(workers.folder, name)).href;

/** Writes every term that the files name, right below the root; each reference has a release of its own. */
async function ontology(name: Name): Promise<string> {
  const rows = await Promise.all(names.map((name) => readFile(join(cases, files[name][1]), 'utf8')));
  const ids = new Set(rows.join('').match(/GO:\d{7}/g));
  const stanzas = [...ids].map(
    (id) => `[Term]\nid: ${id}\nname: ${id}\nnamespace: molecular_function\nis_a: GO:0003674\n`,
  );
  const root = '[Term]\nid: GO:0003674\nname: molecular_function\nnamespace: molecular_function\n';
  return `format-version: 1.2\ndata-version: releases/2020-0${names.indexOf(name) + 1}-02\n\n${[root, ...stanzas].join('\n')}`;
}

async function built(name: Name) {
  const body = referenceBody.parse({
    ...{ name, version: '1', ontology: { url: url(`${name}.obo`) }, embedding_config_ids: [configId] },
    proteins: [{ url: url(files[name][0]) }],
    annotations: [{ url: url(files[name][1]) }],
  });
  const { db } = test;
  await startReference({ db, broker: workers.broker }, body, {
    ownerUserId: null,
    checkFiles: async () => {},
  });
  await until(async () => (await requireReference(db, name)).status !== 'building');
  return requireReference(db, name);
}

async function predicted(name: Name, method: string, queries: readonly string[]) {
  const { annotation_set_id, ontology_snapshot_id } = references[name];
  const { result } = await workers.run('predict_go_terms', {
    ...{ method, embedding_config_id: configId, annotation_set_id, ontology_snapshot_id },
    query_accessions: queries,
  });
  return result;
}

async function termOf(name: Name, protein: string): Promise<string> {
  const text = await readFile(join(cases, files[name][1]), 'utf8');
  return text
    .split('\n')
    .find((line) => line.includes(`\t${protein}\t`))
    ?.split('\t')[4] as string;
}

describe.each(names)('evidence of predictions from the %s reference', (name) => {
  it.each(['combined', 'knn'])('by %s aligns with its sequences, and so does explain', async (method) => {
    const own = pieces.filter(([species]) => species === name);
    const set = await predicted(
      name,
      method,
      own.map(([, , query]) => query),
    );
    for (const [, protein, query] of own) {
      const place = `/v1/embeddings/prediction-sets/${set.prediction_set_id}/proteins/${query}`;
      const term = await termOf(name, protein);
      const { body } = await test.call({ url: `${place}/terms/${term}/evidence?alignment=${protein}` });
      const source = body.alignment.source.replaceAll('-', '');
      expect(sequences[name].get(protein)).toContain(source);
      expect(source.length).toBeGreaterThan(150);
      expect(evidenceText(body)).toContain(body.alignment.source.slice(0, 30));
    }
  });
});

describe('a run that nobody chose a reference for', () => {
  const queries = pieces.map(([, , query]) => query);
  const both = async (more: object = {}) => {
    const { annotation_set_id, ontology_snapshot_id } = references.first;
    const { result } = await workers.run('predict_go_terms', {
      ...{ method: 'combined', embedding_config_id: configId, annotation_set_id, ontology_snapshot_id },
      more_annotation_set_ids: [references.second.annotation_set_id],
      ...{ query_accessions: [...queries, 'g5.t1'], ...more },
    });
    return `/v1/embeddings/prediction-sets/${result.prediction_set_id}`;
  };
  const file = async (address: string) => (await test.app.inject({ url: address })).body;
  const get = async (address: string) => (await test.call({ url: address })).body;

  it('answers each query by the reference that fits it best, and says which on every surface', async () => {
    const set = await both();
    for (const [name, protein, query] of pieces) {
      const answer = await get(`${set}/proteins/${query}/answer`);
      const term = await termOf(name, protein);
      expect(answer).toMatchObject({ accession: query, reference: `${name}@1`, no_answer: null });
      expect(answer.terms.map((one: { go_id: string }) => one.go_id)).toContain(term);
      const evidence = await get(`${set}/proteins/${query}/terms/${term}/evidence?alignment=${protein}`);
      expect(sequences[name].get(protein)).toContain(evidence.alignment.source.replaceAll('-', ''));
      expect(evidence.sources[0].annotations[0].go_id).toBe(term);
    }
    const { proteins } = await get(`${set}/overview`);
    const named = new Map(
      proteins.map((one: { accession: string; reference: string }) => [one.accession, one.reference]),
    );
    for (const [name, , query] of pieces) expect(named.get(query)).toBe(`${name}@1`);
    const tsv = (await file(`${set}/export?format=tsv`)).split('\n');
    const column = tsv[0].split('\t').indexOf('reference');
    for (const line of tsv.slice(1, -1))
      expect(line.split('\t')[column]).toBe(named.get(line.split('\t')[0]));
    const gaf = await file(`${set}/export?format=gaf`);
    for (const name of names) expect(gaf).toContain(`!reference: ${name}@1`);
    expect(await get(set)).toMatchObject({
      reference: { name: 'first' },
      more_references: [{ name: 'second' }],
    });
  });

  it('knows a protein by the annotations of the reference that has its sequence', async () => {
    // The catalogue has the second species' sequences.
    const set = await both();
    const { known, reference } = await get(`${set}/proteins/g5.t1/answer`);
    expect(reference).toBe('second@1');
    expect(known).toMatchObject({ accession: 'g5.t1', matched_by: 'accession' });
    expect(known.terms.map((one: { go_id: string }) => one.go_id)).toEqual([await termOf('second', 'g5.t1')]);
  });

  it('is compared with the reference of most of its proteins, without those of the others', async () => {
    const set = await both();
    const compared = async (payload: object) => {
      const reply = await test.call({
        ...{ method: 'POST', url: `${set}/enrichment` },
        payload: { compare_with: 'reference', max_rate: 1, ...payload },
      });
      expect(reply.status, JSON.stringify(reply.body)).toBe(200);
      return reply.body;
    };
    const of = (name: Name) => pieces.filter(([one]) => one === name).map(([, , query]) => query);
    // The second reference answers g5.t1, too.
    expect(await compared({})).toMatchObject({
      list: 4,
      reference: 'second@1',
      of_other_references: [{ reference: 'first@1', proteins: 3 }],
    });
    const alone = await compared({ accessions: of('first') });
    expect(alone).toMatchObject({ list: 3, reference: 'first@1', of_other_references: [] });
    const mixed = await compared({ accessions: [...of('first'), 'second-1'] });
    expect(mixed).toMatchObject({ list: 3, absent_count: 0, of_other_references: [{ proteins: 1 }] });
    // Its proteins are the background of its own queries, whichever reference comes first in the run.
    const { annotation_set_id } = references.first;
    const { body } = await test.call({
      ...{ method: 'POST', url: `/v1/annotations/sets/${annotation_set_id}/enrichment` },
      payload: { accessions: [shared], max_rate: 1 },
    });
    expect(alone.population - 3).toBeLessThanOrEqual(body.population);
    expect(alone.population).toBeGreaterThanOrEqual(body.population);
  });

  it('keeps answers of a preferred reference, and searches the others for what it does not answer', async () => {
    const set = await both({ prefer_first: true });
    for (const [name, , query] of pieces)
      expect(await get(`${set}/proteins/${query}/answer`)).toMatchObject({ reference: `${name}@1` });
  });

  it('is named by whoever wants to delete the other reference', async () => {
    await both();
    const { status, body } = await test.call({
      ...{
        method: 'DELETE',
        url: '/v1/references/second',
        headers: (await test.account('operator')).headers,
      },
    });
    expect([status, body.code]).toEqual([409, 'in_use']);
  });
});

it.each(['combined', 'knn'])('by %s, nothing is known by a name of another sequence', async (method) => {
  // The catalogue has the second species' sequences.
  const named = [...sequences.second.keys()].filter((one) => sequences.first.has(one));
  const result = await predicted('first', method, named);
  expect(named.length).toBeGreaterThan(3);
  expect(result).toMatchObject({ namesakes: named.length });
  const { body } = await test.call({
    url: `/v1/embeddings/prediction-sets/${result.prediction_set_id}/overview`,
  });
  const known = (body.proteins as { accession: string; known_by: string | null }[]).map(
    (one) => one.known_by,
  );
  expect(known).toEqual(named.map(() => null));
});

it('says before a run which sequences that reference knows', async () => {
  const { db } = test;
  for (const name of names)
    for (const other of names) {
      const md5 = sequenceMd5(sequenceOf[other]);
      const setOf = (one: Name) => references[one].annotation_set_id as string;
      expect(await countAnnotatedSequences(db, [setOf(name)], [md5])).toBe(name === other ? 1 : 0);
      expect(await countAnnotatedSequences(db, names.map(setOf), [md5, md5])).toBe(2);
    }
});

it('measures the reliability of a reference by its own sequences', async () => {
  for (const name of names) {
    const set = await test.db
      .selectFrom('annotation_set')
      .select('number')
      .where('id', '=', references[name].annotation_set_id as string)
      .executeTakeFirstOrThrow();
    const rows = await sampledProteins(test.db, {
      ...{ setNumber: set.number, configNumber, evidence: ['IDA'], limit: 100 },
    });
    const row = rows.find(({ accession }) => accession === shared);
    const { sequence } = await test.db
      .selectFrom('sequence')
      .select('sequence')
      .where('id', '=', row?.sequence_id as number)
      .executeTakeFirstOrThrow();
    expect(sequence).toBe(sequenceOf[name]);
  }
});

it('the protein page says which reference has which sequence', async () => {
  const { body } = await test.call({ url: `/v1/proteins/${shared}` });
  expect(body.reference_sequences).toEqual(
    names.map((name) => ({
      ...{ length: sequenceOf[name].length, sequence: sequenceOf[name] },
      sequence_md5: expect.stringMatching(/^[0-9a-f]{32}$/),
      references: [{ id: references[name].id, name, version: '1' }],
    })),
  );
  expect(Object.values(sequenceOf)).toContain(body.sequence);
  await inTransaction(test.db, (trx) => deleteReference(trx, references.first.id));
  const after = await test.call({ url: `/v1/proteins/${shared}` });
  expect(after.body.reference_sequences).toMatchObject([{ references: [{ name: 'second' }] }]);
});
