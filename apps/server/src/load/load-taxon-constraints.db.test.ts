import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseObo } from '@kindred/kernels/ontology';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { currentTaxonConstraints } from '../store/ontology/taxon-constraints.repository.js';
import { closeDatabase, type Database, openDatabase } from '../store/postgres/connection.js';
import { examplesFolder, exampleUrl, loadingBench } from '../testing/loading-context.js';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { loadTaxonConstraints } from './load-taxon-constraints.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 3);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});
beforeEach(() => db.deleteFrom('taxon_constraints').execute());

const load = (payload: Record<string, unknown>) =>
  loadingBench(db, { importDirs: [examplesFolder] }).run(loadTaxonConstraints, payload as never);
const obo_url = exampleUrl('taxon-constraints.obo');

it('loads the table that comes with Kindred where no addresses are given, once', async () => {
  const loaded = await load({});
  expect(loaded).toMatchObject({
    skipped: false,
    in_force: expect.stringMatching(/^Kindred /),
    rejected_lines: 0,
  });
  const current = await currentTaxonConstraints(db);
  expect(current).toMatchObject({ source_version: loaded.in_force, content_sha256: loaded.content_sha256 });
  const { terms } = parseObo(
    gunzipSync(readFileSync(join(examplesFolder, 'go-basic-2022-07-01.obo.gz'))).toString(),
  );
  const known = new Set(terms.map(({ id }) => id));
  expect(current?.constraints.filter(({ termId }) => !known.has(termId))).toEqual([]);
  expect(current?.constraints).toContainEqual({
    termId: 'GO:0005634',
    kind: 'only_in',
    taxon: 'NCBITaxon:2759',
  });
  expect(await load({})).toMatchObject({ skipped: true, in_force: loaded.in_force });
});

it('keeps constraints of another source that are loaded, and says which', async () => {
  await load({ obo_url, source_version: 'GO 2026-06' });
  expect(await load({})).toMatchObject({ skipped: true, in_force: 'GO 2026-06' });
  expect((await currentTaxonConstraints(db))?.source_version).toBe('GO 2026-06');
  expect(await load({ obo_url, source_version: 'GO 2026-07' })).toMatchObject({ skipped: false });
});

it('wants a version with addresses, and addresses with a version', async () => {
  await expect(load({ obo_url })).rejects.toThrow('give both or neither');
  await expect(load({ source_version: 'GO 2026-06' })).rejects.toThrow('give both or neither');
});
