import { sql } from 'kysely';
import { closeDatabase, type Database, openDatabase } from '../../store/postgres/connection.js';
import { exampleDatabase } from '../test-database.js';
import { WorkerProcesses } from './worker-processes.js';

/** The workers have a clone of the example world, and their processes run on it. */
export interface ExampleWorkers {
  db: Database;
  workers: WorkerProcesses;
  /** The ids of the loaded example set are fields of a prediction's payload. */
  loaded: { embedding_config_id: string; annotation_set_id: string; ontology_snapshot_id: string };
  close(): Promise<void>;
}

/**
 * Starts one worker process on the first `proteins` of the example set, because predictions from all of them
 * take longer. `environment` is that of `WorkerProcesses.on`.
 */
export async function startExampleWorkers(
  proteins: number,
  environment: Record<string, string> = {},
): Promise<ExampleWorkers> {
  const database = await exampleDatabase();
  const db = openDatabase(database.url, 6);
  await keepFirst(db, proteins);
  const workers = await WorkerProcesses.on({ db, url: database.url }, () => environment);
  workers.start();
  const { id } = await db.selectFrom('embedding_config').select('id').executeTakeFirstOrThrow();
  const set = await db
    .selectFrom('annotation_set')
    .select(['id', 'ontology_snapshot_id'])
    .executeTakeFirstOrThrow();
  return {
    db,
    workers,
    loaded: {
      embedding_config_id: id,
      annotation_set_id: set.id,
      ontology_snapshot_id: set.ontology_snapshot_id,
    },
    async close() {
      await workers.stop();
      await closeDatabase(db);
      await database.close();
    },
  };
}

/** Keeps what a reference of the first `proteins` would have, and the sample. */
async function keepFirst(db: Database, proteins: number): Promise<void> {
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(id), 0) as last from (select id from protein order by id limit ${proteins}) p`.execute(
    db,
  );
  const { last } = rows[0];
  await sql`delete from protein_go_annotation where protein_id > ${last}`.execute(db);
  await sql`delete from reference_protein where protein_id > ${last}`.execute(db);
  await sql`delete from protein where id > ${last}`.execute(db);
  await sql`
    delete from sequence s where not exists (select from protein p where p.sequence_id = s.id)
      and not exists (select from query_set_entry e where e.sequence_id = s.id)`.execute(db);
}
