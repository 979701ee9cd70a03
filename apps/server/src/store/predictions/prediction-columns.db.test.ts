import { featureColumns } from '@kindred/kernels/features';
import { columnsOf, type ColumnTable, predictionColumn } from '@kindred/kernels/prediction';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 1);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

interface StoredColumn {
  name: string;
  storage: string;
  nullable: boolean;
}

async function migrated(relation: string): Promise<StoredColumn[]> {
  const { rows } = await sql<StoredColumn>`
    select column_name as name, udt_name as storage, is_nullable = 'YES' as nullable
    from information_schema.columns where table_schema = 'public' and table_name = ${relation}
    order by ordinal_position`.execute(db);
  return rows;
}

const byName = (a: StoredColumn, b: StoredColumn) => (a.name < b.name ? -1 : 1);

describe('the migrated tables', () => {
  it.each<ColumnTable>(['go_prediction', 'go_prediction_pair_features'])(
    '%s has the listed columns',
    async (table) => {
      const listed = columnsOf(table).map((name): StoredColumn => {
        const { storage, nullable } = predictionColumn(name);
        return { name, storage, nullable };
      });
      expect((await migrated(table)).sort(byName)).toEqual(listed.sort(byName));
    },
  );

  it('store each column of the feature vector once, and give the vector whole', async () => {
    const keys = ['prediction_set_number', 'protein_accession', 'go_term_id'];
    const inPairs = new Set<string>(columnsOf('go_prediction_pair_features'));
    expect(columnsOf('go_prediction').filter((name) => inPairs.has(name))).toEqual(keys);
    const types = { real: 'float4', integer: 'int4', boolean: 'bool', category: 'text' };
    const vector = (await migrated('go_prediction_features')).map(({ name, storage }) => ({ name, storage }));
    expect(vector.slice(4)).toEqual(featureColumns.map(({ name, type }) => ({ name, storage: types[type] })));
  });
});
