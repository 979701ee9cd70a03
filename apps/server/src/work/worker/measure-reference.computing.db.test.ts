import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { referenceBody } from '@kindred/contracts/resources/references';
import { testSentences } from '@kindred/contracts/reference-words';
import { Random } from '@kindred/kernels/arrays';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReference } from '../jobs/start-reference.js';
import { requireReference } from '../../resources/references.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { setReliability } from '../../store/references/reference-reliability.repository.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { until } from '../../testing/worker/harness.js';
import { insertKmerConfig, WorkerProcesses } from '../../testing/worker/worker-processes.js';

/**
 * A family of 120 proteins, each with a tenth of its residues changed, and 30 proteins without a relative. A protein that saw its own
 * annotations would answer for itself, so the 30 would have answers, too.
 */
const [members, alone] = [120, 30];
const random = new Random(7);
const letters = 'ACDEFGHIKLMNPQRSTVWY';
const residues = (length: number) => Array.from({ length }, () => letters[random.integer(20)]);
const first = residues(150);
const member = () => first.map((letter) => (random.integer(10) === 0 ? letters[random.integer(20)] : letter));
const sequences = [
  ...Array.from({ length: members }, member),
  ...Array.from({ length: alone }, () => residues(150)),
].map((letter) => letter.join(''));
const accession = (n: number) => `K${100 + n}`;
const term = (id: string, parent: string | null) =>
  `[Term]\nid: ${id}\nname: ${id}\nnamespace: molecular_function\n${parent === null ? '' : `is_a: ${parent} ! x\n`}\n`;
const row = (n: number, goId: string, code: string) =>
  `UniProtKB\t${accession(n)}\tS\tenables\t${goId}\tPMID:1\t${code}\t\tF\t\t\tprotein\ttaxon:1\t20200101\tX\t\t\n`;
const files: Record<string, string> = {
  'go.obo':
    'data-version: releases/2020-02-02\n\n' +
    term('GO:0003674', null) +
    term('GO:0000002', 'GO:0003674') +
    term('GO:0000003', 'GO:0000002') +
    term('GO:0000004', 'GO:0003674'),
  'all.fasta': sequences.map((sequence, n) => `>${accession(n)} OX=9606\n${sequence}\n`).join(''),
  // Every member has the first term, in a third of them an experiment shows another one beside it.
  'all.gaf': `!gaf-version: 2.2\n${sequences
    .map((_, n) => row(n, 'GO:0000003', 'IEA') + (n % 3 === 0 ? row(n, 'GO:0000002', 'IDA') : ''))
    .join('')}`,
  // The rate of the databases is for references with such rows.
  'one.gpad': `!gpa-version: 1.1\nUniProtKB\t${accession(0)}\tenables\tGO:0000003\tPMID:1\tECO:0000000\t\t\t20200101\tX\t\t\n`,
};

let database: TestDatabase;
let db: Database;
let workers: WorkerProcesses;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 6);
  workers = await WorkerProcesses.on({ db, url: database.url });
  for (const [name, text] of Object.entries(files)) await writeFile(join(workers.folder, name), text);
  const { id } = await insertKmerConfig(db, 1024);
  workers.start();
  const source = (name: string) => ({ url: pathToFileURL(join(workers.folder, name)).href });
  const body = referenceBody.parse({
    ...{ name: 'family', version: '1', ontology: source('go.obo'), proteins: [source('all.fasta')] },
    ...{ annotations: [source('all.gaf'), source('one.gpad')], embedding_config_ids: [id] },
  });
  await startReference({ db, broker: workers.broker }, body, {
    ownerUserId: null,
    checkFiles: async () => {},
  });
  await until(async () => (await requireReference(db, 'family')).reliability !== null);
});
afterAll(async () => {
  await workers?.stop();
  await closeDatabase(db);
  await database.close();
});

it('asks every protein without its own annotations, and says how often each word was right', async () => {
  const { reliability } = await requireReference(db, 'family');
  expect(reliability).toMatchObject({ held_out: members + alone, answered: members, why_not: null });
  const words = reliability?.words ?? [];
  // All members hold the surest terms; experiments of a third of them, too few for a share, show one.
  const strong = words.find(({ meaning, word }) => meaning === 'held by the databases' && word === 'strong');
  expect(strong).toMatchObject({ proteins: members, right: 1, low: 1, high: 1 });
  expect(strong?.calls).toBeGreaterThanOrEqual(2 * members);
  const shown = words.filter(({ meaning }) => meaning === 'shown by experiment');
  expect(shown).toMatchObject([{ word: 'strong', proteins: members / 3, right: null }]);
  expect(testSentences({ words })).toEqual([
    'shown by experiment: strong too few (n = 40)',
    'held by the databases: strong 100 % (100 to 100, n = 120)',
  ]);
});

it('is repeated on demand, with the same figures', async () => {
  const { id, reliability } = await requireReference(db, 'family');
  await setReliability(db, id, { ...reliability!, answered: 1, words: [] });
  const { result } = await workers.run('measure_reference', { reference_id: id });
  expect(result).toEqual(reliability);
  expect((await requireReference(db, 'family')).reliability).toEqual(reliability);
});
