import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../testing/test-database.js';
import { examine, type Finding } from './doctor.js';

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
