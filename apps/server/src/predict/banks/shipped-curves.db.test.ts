import { combinedSources } from '@kindred/contracts/resources/prediction-sets';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Memory } from '../../ground/memory.js';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/db.js';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { curvesFor } from './combined-input.js';
import { wholeReference } from './source-choice.js';

let test: TestDatabase;
let db: Database;
beforeAll(async () => {
  test = await testDatabase();
  db = openDatabase(test.url, 1);
});
afterAll(async () => {
  await closeDatabase(db);
  await test.close();
});

const id = '00000000-0000-4000-8000-000000000000';

/** Says which rates the shipped curves give for a reference with annotations of these codes: of experiments, of databases, or neither. */
async function curves(evidenceCodes: string[], model = 'kmer-1024'): Promise<string> {
  const subject = {
    bank: { texts: { evidenceCodes } },
    config: { id, number: 1, dimension: 1024, model_name: model },
    set: { id, number: 1, ontology_snapshot_id: id },
    merging: null,
  };
  const found = await curvesFor(
    subject as never,
    { k: combinedSources, sources: wholeReference },
    { db, memory: new Memory() },
  );
  return [
    ...(found.curves.length > 0 ? ['experiments'] : []),
    ...(found.databaseCurves.length > 0 ? ['databases'] : []),
  ].join();
}

it('gives probabilities by the shipped curves only for references of the kind that they were measured on', async () => {
  expect(await curves(['IDA', 'IEA'])).toBe('experiments');
  expect(await curves(['IDA', 'IEA'], 'another')).toBe('');
  expect(await curves(['IDA', 'IEA', 'ECO:0000000'])).toBe('databases');
  expect(await curves(['IDA', 'IEA', 'ECO:0000000'], 'another')).toBe('');
});

it('gives the rate of the databases beside a reference without experiments, because it has none to count', async () => {
  expect(await curves(['IEA'])).toBe('databases');
  expect(await curves(['IEA', 'ISS', 'ND'])).toBe('databases');
  expect(await curves(['IEA', 'TAS'])).toBe('experiments');
  expect(await curves(['IEA'], 'another')).toBe('');
});
