import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../../ground/artifacts/local.js';
import { createS3Artifacts } from '../../ground/artifacts/s3.js';
import { type FaultyS3, startS3 } from '../../testing/artifacts/s3-server.js';
import { bankFault, type ReferenceBank } from '../compute/reference-bank.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { fillCatalogue } from '../../testing/tiny-catalogue.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { type BankOptions, ensureReferenceBank } from './ensure-reference-bank.js';
import type { BankSubject } from './reference-bank-content.js';

let database: TestDatabase;
let db: Database;
let s3: FaultyS3;
let store: ArtifactStore;
let subject: BankSubject;
let folder: string;
let builds: number;
let events: string[];
let memories: Map<string, Memory>;

beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.close());
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 8);
  folder = await mkdtemp(join(tmpdir(), 'kindred-banks-'));
  store = createS3Artifacts({
    bucket: s3.bucket,
    prefix: database.name,
    endpoint: s3.endpoint,
    region: null,
  });
  const { configId, setId } = await fillCatalogue(db);
  const config = await db
    .selectFrom('embedding_config')
    .select(['id', 'number', 'model_name', 'dimension'])
    .where('id', '=', configId)
    .executeTakeFirstOrThrow();
  const set = await db
    .selectFrom('annotation_set')
    .select(['id', 'number', 'ontology_snapshot_id'])
    .where('id', '=', setId)
    .executeTakeFirstOrThrow();
  subject = { config: { ...config, dimension: config.dimension as number }, set };
  builds = 0;
  events = [];
  memories = new Map();
});
afterEach(async () => {
  await closeDatabase(db);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const memoryOf = (machine: string): Memory => {
  const memory = memories.get(machine) ?? new Memory();
  memories.set(machine, memory);
  return memory;
};

/** Runs as a separate machine would, which has only its cache folder and the store. */
function ensureOn(
  machine: string,
  options: BankOptions = {},
  memory = memoryOf(machine),
): Promise<ReferenceBank> {
  return ensureReferenceBank({ db, memory }, join(folder, machine), subject, {
    artifacts: store,
    onBuild: async () => {
      builds++;
    },
    emit: async (event) => {
      events.push(event);
    },
    ...options,
  });
}

async function filesOf(bank: ReferenceBank): Promise<Record<string, string>> {
  const path = join(bank.vectorsFile, '..');
  const names = (await readdir(path)).sort();
  const contents = names.map(async (name) => [name, (await readFile(join(path, name))).toString('base64')]);
  return Object.fromEntries(await Promise.all(contents));
}

async function addVector(): Promise<void> {
  await sql`insert into sequence_embedding (embedding_config_number, sequence_id, embedding)
    select ${subject.config.number}, sequence_id, ${Buffer.from([0, 60, 0, 0, 0, 0, 0, 0])}
    from protein where accession = 'P00002'`.execute(db);
}

/** The new release gives the first protein the sequence of the second. */
async function changeSequence(): Promise<void> {
  await sql`update protein set sequence_id = (select sequence_id from protein where accession = 'P00002')
    where accession = 'P00001'`.execute(db);
}

describe('machines that share a store', () => {
  it('build a bank once; the second copies it, byte for byte', async () => {
    const first = await ensureOn('one');
    const second = await ensureOn('two');
    expect(builds).toBe(1);
    expect(second.vectorsFile).not.toBe(first.vectorsFile);
    expect(await filesOf(second)).toEqual(await filesOf(first));
    expect(second.origin).toEqual(first.origin);
    expect(events).toEqual(['reference_bank.shared', 'reference_bank.fetched']);
  });

  it('build it once when both want it at the same moment', async () => {
    const banks = await Promise.all(['one', 'two', 'three'].map((machine) => ensureOn(machine)));
    expect(builds).toBe(1);
    expect(new Set(banks.map(({ vectorsFile }) => vectorsFile)).size).toBe(3);
    expect(await filesOf(banks[2])).toEqual(await filesOf(banks[0]));
  });

  it('build again when vectors or sequences change, and delete all but the last two from the store', async () => {
    const keys = [(await ensureOn('one')).origin.key];
    await addVector();
    keys.push((await ensureOn('one')).origin.key);
    await changeSequence();
    keys.push((await ensureOn('one')).origin.key);
    expect(new Set(keys).size).toBe(3);
    expect(builds).toBe(3);
    const sizes = await Promise.all(
      keys.map((key) => store.size(store.uriOf(`banks/${subject.config.id}/${subject.set.id}/${key}.tar`))),
    );
    expect(sizes.map((size) => size !== null)).toEqual([false, true, true]);
  });

  it('build for themselves when the copy is damaged, and mend it', async () => {
    const { origin } = await ensureOn('one');
    const key = `banks/${subject.config.id}/${subject.set.id}/${origin.key}.tar`;
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.get(store.uriOf(key))) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    bytes[bytes.length - 100] ^= 1;
    await store.put(key, bytes);
    await ensureOn('two');
    expect(builds).toBe(2);
    expect(events).toContain('reference_bank.not_fetched');
    await ensureOn('three');
    expect(builds).toBe(2);
  });

  it('go on alone when the store takes nothing', async () => {
    const broken = { ...store, put: () => Promise.reject(new Error('no room')) };
    const bank = await ensureOn('one', { artifacts: broken });
    expect(bank.texts.accessions).toEqual(['P00001']);
    expect(events).toEqual(['reference_bank.not_shared']);
  });
});

it('gives each term of a protein once, with its strongest evidence, in order of GO id', async () => {
  await addVector();
  await sql`insert into protein_go_annotation (annotation_set_number, protein_id, go_term_id, evidence_code, qualifier)
    select a.annotation_set_number, a.protein_id, a.go_term_id, code, null
    from protein_go_annotation a, unnest(array['IEA', 'ISS']) code`.execute(db);
  const { arrays, texts } = await ensureOn('one');
  expect(texts.accessions).toEqual(['P00001', 'P00002']);
  const given = texts.accessions.map((_, r) =>
    Array.from(arrays.terms.subarray(arrays.termStart[r], arrays.termStart[r + 1]), (term, at) => [
      texts.goIds[term],
      texts.evidenceCodes[arrays.evidence[arrays.termStart[r] + at]],
    ]),
  );
  expect(given).toEqual([
    [
      ['GO:0005488', 'IDA'],
      ['GO:0005515', 'IDA'],
    ],
    [['GO:0005515', 'IDA']],
  ]);
});

it('keeps no second copy in a local folder', async () => {
  const local = createLocalArtifacts(join(folder, 'artifacts'));
  await ensureOn('one', { artifacts: local });
  await ensureOn('two', { artifacts: local });
  expect(builds).toBe(2);
  expect(await readdir(folder)).not.toContain('artifacts');
});

it('is built by one of the callers of a machine', async () => {
  const local = { artifacts: createLocalArtifacts(folder) };
  await Promise.all([ensureOn('one', local), ensureOn('one', local), ensureOn('one', local)]);
  expect(builds).toBe(1);
});

it('stays in the memory of its process until that is closed', async () => {
  const kept: boolean[] = [];
  const asked = (inMemory: boolean) => kept.push(inMemory);
  const memory = new Memory();
  const first = await ensureOn('one', { asked }, memory);
  expect(await ensureOn('one', { asked }, memory)).toBe(first);
  expect(await ensureOn('one', { asked }, new Memory())).not.toBe(first);
  memory.close();
  expect(await ensureOn('one', { asked }, memory)).not.toBe(first);
  expect(kept).toEqual([false, true, false, false]);
  expect(builds).toBe(1);
});

it('refuses the key of a job whose vectors changed before this machine had its bank', async () => {
  const { origin } = await ensureOn('one', { artifacts: createLocalArtifacts(folder) });
  await addVector();
  const options = { key: origin.key as string, artifacts: createLocalArtifacts(folder) };
  await expect(ensureOn('two', options)).rejects.toMatchObject({ code: 'conflict' });
  await expect(ensureOn('one', options)).resolves.toMatchObject({ origin });
});

it('sweeps the banks that were used longest ago', async () => {
  const banks = join(folder, 'one', 'banks');
  await ensureOn('one');
  const [current] = await readdir(banks);
  for (let n = 0; n < 12; n++) {
    await writeFile(join(banks, `old-${n}`), '');
    await utimes(join(banks, `old-${n}`), 1000 + n, 1000 + n);
  }
  await addVector();
  await ensureOn('one');
  const left = await readdir(banks);
  expect(left).toHaveLength(8);
  expect(left).toContain(current);
  expect(left).not.toContain('old-0');
});

it('sees a file of a bank that was cut', async () => {
  const { vectorsFile } = await ensureOn('one');
  const bank = dirname(vectorsFile);
  expect(await bankFault(bank)).toBeNull();
  await truncate(vectorsFile, 600);
  expect(await bankFault(bank)).toMatch(/reference bank is damaged: 600 bytes/);
  await truncate(join(bank, 'terms'), 1);
  expect(await bankFault(bank)).toMatch(/^the file terms has 1 bytes, expected \d+/);
  await rm(join(bank, 'manifest.json'));
  expect(await bankFault(bank)).toMatch(/manifest\.json/);
  await rm(bank, { recursive: true });
  expect(await bankFault(bank)).toBeNull();
});
