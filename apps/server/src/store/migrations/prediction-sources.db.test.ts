import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { testDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';
import { migrate } from './migrate.js';
import { migrateUntil } from '../../testing/migrations/migrate-until.js';

/** Rows as the methods stored them before: [method, what stood as the reference, distance]. */
const before = [
  ['knn', 'P1', 0.25],
  ['weighted_votes', 'P2', 0.5],
  ['weighted_votes', null, 1.5],
  ['interpro', 'IPR000001', 1],
  ['sequence_similarity', 'P3', 0.75],
  ['non_experimental_annotations', 'Q', 0],
  ['naive', null, 1.25],
] as const;

async function storeBefore(db: Database): Promise<void> {
  await sql`
    insert into ontology_snapshot (obo_version, obo_url, obo_sha256, term_counts, relationship_count, alt_id_count)
    values ('v', 'u', 's', '{}', 0, 0)`.execute(db);
  for (const method of new Set(before.map(([name]) => name)))
    await sql`
      insert into prediction_set (ontology_snapshot_id, limit_per_entry, method)
      select id, 5, ${method} from ontology_snapshot`.execute(db);
  for (const [method, reference, distance] of before)
    await sql`
      insert into go_prediction (prediction_set_number, protein_accession, go_term_id, ref_protein_accession, distance, score, term_rank, is_nearest)
      select number, 'Q', 1, ${reference}, ${distance}::real, 0.5, 1, true from prediction_set where method = ${method}`.execute(
      db,
    );
  await sql`
    insert into prediction_set_protein
    select prediction_set_number, protein_accession, 1, count(*), count(*), min(distance) from go_prediction group by 1, 2`.execute(
    db,
  );
}

it('gives stored predictions their source, and takes away distances that nobody measured', async () => {
  const database = await testDatabase();
  const db = openDatabase(database.url, 2);
  try {
    await migrateUntil(db, '000020');
    await storeBefore(db);
    await migrate(db);
    const { rows } = await sql<Record<string, unknown>>`
      select s.method, p.source_kind, p.source_id, p.distance, q.min_distance
      from prediction_set s join go_prediction p on p.prediction_set_number = s.number
      join prediction_set_protein q on q.prediction_set_number = s.number
      order by s.number, p.source_id`.execute(db);
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['knn', 'protein', 'P1', 0.25, 0.25],
      ['weighted_votes', 'protein', 'P2', 0.5, 0.5],
      ['weighted_votes', 'none', null, null, 0.5],
      ['interpro', 'interpro_entry', 'IPR000001', null, null],
      ['sequence_similarity', 'protein', 'P3', null, null],
      ['non_experimental_annotations', 'own_annotation', 'Q', null, null],
      ['naive', 'none', null, null, null],
    ]);
  } finally {
    await closeDatabase(db);
    await database.close();
  }
});
