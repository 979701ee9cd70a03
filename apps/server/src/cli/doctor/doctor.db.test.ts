import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeRecipe } from '@kindred/contracts/resources/embedding-configs';
import { patience } from '@kindred/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeArtifacts } from '../../run/compose.js';
import { bankFormat } from '../../predict/compute/reference-bank.js';
import { loadSettings } from '../../run/env.js';
import { closeDatabase, openDatabase } from '../../store/postgres/connection.js';
import { listProcessReports } from '../../store/jobs/process-reports.repository.js';
import { createLog } from '../../telemetry/log.js';
import { type TestDatabase, testDatabase } from '../../testing/test-database.js';
import { ProcessReport } from '../process-report.js';
import { checkBanks } from './banks.js';
import { checkDatabaseAndBroker } from './database.js';
import { examine, type Finding } from './doctor.js';
import { checkKernels } from './kernels.js';
import { checkModels } from './models.js';

let database: TestDatabase;
let dataDir: string;
beforeAll(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'kindred-doctor-'));
});
afterAll(async () => {
  await database.close();
  await rm(dataDir, { recursive: true });
});

const lookAtDatabase = (more: NodeJS.ProcessEnv = {}) => checkDatabaseAndBroker(settingsOf(more));
const absentModel = {
  ...completeRecipe({ model_name: 'esm2_none', model_backend: 'plm', normalize: false, max_length: 100 }),
  dimension: 2,
} as const;
const settingsOf = (more: NodeJS.ProcessEnv = {}) =>
  loadSettings({}, { SVC_DATA_DIR: dataDir, SVC_DB_URL: database.url, ...more });
const look = (more: NodeJS.ProcessEnv = {}) =>
  examine({ SVC_DATA_DIR: dataDir, SVC_DB_URL: database.url, ...more });
const about = (findings: Finding[], name: string) => findings.filter((finding) => finding.about === name);

it('finds nothing wrong where nothing is', async () => {
  const findings = await look();
  expect(findings.filter(({ state, about: name }) => state === 'fault' && name !== 'disk')).toEqual([]);
  expect(about(findings, 'schema')).toMatchObject([{ state: 'ok' }]);
  expect(about(findings, 'broker')).toMatchObject([
    { state: 'ok', text: 'queues in the database: takes messages' },
  ]);
  expect(about(findings, 'store')).toMatchObject([{ state: 'ok' }]);
  expect(about(findings, 'clock')).toMatchObject([{ state: 'ok' }]);
  expect(about(findings, 'taxon constraints')).toMatchObject([
    { state: 'warning', text: expect.stringContaining('not checked') },
  ]);
  expect(about(findings, 'processes')).toMatchObject([
    { state: 'ok', text: expect.stringContaining('none') },
  ]);
  expect(about(findings, 'kernels')).toMatchObject([{ text: expect.any(String) }]);
  expect(about(findings, 'models')).toMatchObject([
    { state: 'ok', text: expect.stringContaining('those that were shipped') },
    { state: 'ok', text: expect.stringContaining('no language model is installed') },
  ]);
});

it('says that native kernels are switched off', async () => {
  expect(await checkKernels(settingsOf({ SVC_NATIVE_KERNELS: 'off' }))).toMatchObject([
    { state: 'ok', text: expect.stringContaining('SVC_NATIVE_KERNELS=off') },
  ]);
});

describe('processes that share the database', () => {
  it('finds those with another secret, broker or store, and shows no value', async () => {
    const db = openDatabase(database.url, 2);
    const log = createLog('silent', 'test');
    const running: ProcessReport[] = [];
    const start = async (role: 'http' | 'worker', more?: NodeJS.ProcessEnv) => {
      running.push(new ProcessReport(db, log, role, settingsOf(more)));
      await expect.poll(() => listProcessReports(db), patience).toHaveLength(running.length);
    };
    await start('http');
    await start('worker');
    expect(about(await lookAtDatabase(), 'processes')).toMatchObject([
      { state: 'ok', text: expect.stringContaining('2 with the same') },
    ]);

    await start('worker', { SVC_AMQP_URL: 'amqp://user:hidden@mq.example/' });
    const brokers = await lookAtDatabase();
    expect(about(brokers, 'settings')).toMatchObject([
      { state: 'warning', text: expect.stringMatching(/SVC_AMQP_URL: .*http \d+ on .* \| worker \d+ on /) },
    ]);
    expect(about(brokers, 'secret').filter(({ state }) => state === 'fault')).toEqual([]);

    const other = 'another secret of at least 32 characters';
    await start('http', { SVC_JWT_SECRET: other });
    const secrets = await lookAtDatabase();
    expect(about(secrets, 'secret').at(-1)).toMatchObject({
      state: 'fault',
      text: expect.stringContaining('SVC_JWT_SECRET: these processes have different values'),
      advice: expect.stringContaining('the same SVC_JWT_SECRET'),
    });
    const stored = JSON.stringify([secrets, await listProcessReports(db)]);
    for (const value of [other, 'hidden', settingsOf().accounts.jwtSecret])
      expect(stored).not.toContain(value);

    await Promise.all(running.map((process) => process.stop()));
    expect(await listProcessReports(db)).toEqual([]);
    await closeDatabase(db);
  });

  it('says that the command itself reads other settings', async () => {
    const db = openDatabase(database.url, 1);
    const report = new ProcessReport(db, createLog('silent', 'test'), 'http', settingsOf());
    await expect.poll(() => listProcessReports(db), patience).toHaveLength(1);
    const findings = await lookAtDatabase({ SVC_JWT_SECRET: 'of the shell where the doctor was called' });
    expect(about(findings, 'secret').at(-1)).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('this command has another value'),
    });
    await report.stop();
    await closeDatabase(db);
  });
});

it('names a language model whose file was changed', async () => {
  const folder = join(dataDir, 'models', 'our-model');
  await mkdir(folder, { recursive: true });
  const sha256 = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
  const files = { 'model.safetensors': { sizeBytes: 5, sha256 } };
  const manifest = { source: 'test', revision: null, files };
  await writeFile(join(folder, 'kindred-model.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'model.safetensors'), 'hello');
  expect((await checkModels(settingsOf())).at(-1)).toMatchObject({
    state: 'ok',
    text: 'plm: our-model: its 1 files are as they were added',
  });
  await writeFile(join(folder, 'model.safetensors'), 'jello');
  expect((await checkModels(settingsOf())).at(-1)).toMatchObject({
    state: 'fault',
    text: expect.stringContaining('our-model: '),
    advice: expect.stringContaining('kindred models pull our-model'),
  });
});

it('names a re-ranker whose file is gone or changed, and a configuration without its model', async () => {
  const db = openDatabase(database.url, 1);
  const artifacts = composeArtifacts(settingsOf());
  const { uri, sha256 } = await artifacts.put('rerankers/r1/model.txt', Buffer.from('tree'));
  await db
    .insertInto('reranker_model')
    .values({
      name: 'ours',
      run_id: 'r1',
      artifact_uri: uri,
      model_sha256: sha256,
      model_bytes: 4,
      objective: 'binary',
      tree_count: 1,
      feature_names: ['a'],
      feature_schema_sha: 'a',
      category_values: '{}',
      spec_yaml: '',
      run_json: '{}',
      metrics: '{}',
      feature_importance: '{}',
    })
    .execute();
  await db.insertInto('embedding_config').values(absentModel).execute();
  await closeDatabase(db);
  const fine = about(await lookAtDatabase(), 'models').map(({ state, text }) => `${state} ${text}`);
  expect(fine).toContain('ok 1 re-rankers; their files are those that were registered');
  expect(fine).toContainEqual(expect.stringMatching(/^warning embedding configuration .*esm2_none/));
  await artifacts.put('rerankers/r1/model.txt', Buffer.from('treo'));
  expect(about(await lookAtDatabase(), 'models')[0]).toMatchObject({
    state: 'fault',
    text: expect.stringContaining('re-ranker "ours": the file'),
  });
  await artifacts.delete(uri);
  expect(about(await lookAtDatabase(), 'models')[0]).toMatchObject({
    state: 'fault',
    text: expect.stringContaining('There is no artifact'),
    advice: expect.stringContaining('DELETE /v1/reranker-models/'),
  });
});

it('tells banks that are damaged from those of another version', async () => {
  for (const [name, formatVersion] of [
    ['damaged', bankFormat],
    ['outdated', 0],
  ]) {
    await mkdir(join(dataDir, 'banks', String(name)), { recursive: true });
    const manifest = JSON.stringify({ formatVersion, lengths: {} });
    await writeFile(join(dataDir, 'banks', String(name), 'manifest.json'), manifest);
  }
  expect(await checkBanks(settingsOf())).toMatchObject([
    { state: 'fault', text: expect.stringMatching(/damaged is damaged: /), advice: expect.any(String) },
    { state: 'ok', text: expect.stringMatching(/^0 reference banks in .*, 1 of another version/) },
  ]);
});

it('names a misspelt variable and the one that was meant', async () => {
  expect(about(await look({ SVC_WORKER_CONCURENCY: '4', SVC_NONSENSE: '1' }), 'settings')).toMatchObject([
    {
      text: 'SVC_WORKER_CONCURENCY is not a setting and has no effect',
      advice: 'Did you mean SVC_WORKER_CONCURRENCY?',
    },
    {
      text: 'SVC_NONSENSE is not a setting and has no effect',
      advice: expect.stringContaining('settings.md'),
    },
  ]);
});

it('stops at settings that are invalid', async () => {
  expect(await look({ SVC_PORT: 'many' })).toMatchObject([
    { state: 'fault', text: expect.stringContaining('SVC_PORT') },
  ]);
});

it('says that database and broker are away, and what to do', async () => {
  const away = await look({ SVC_DB_URL: 'postgresql://127.0.0.1:1/none' });
  expect(about(away, 'database')).toMatchObject([
    { state: 'fault', advice: expect.stringContaining('SVC_DB_URL') },
  ]);
  const mute = await look({ SVC_AMQP_URL: 'amqp://127.0.0.1:1/' });
  expect(about(mute, 'broker')).toMatchObject([
    { state: 'fault', advice: expect.stringContaining('SVC_AMQP_URL') },
  ]);
});
