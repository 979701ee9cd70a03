import type { Visibility } from '@kindred/contracts';
import { type Insertable, type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable } from '../postgres/connection.js';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ExperimentRunRow = Selectable<Tables['experiment_run']>;
export type ExperimentStatus = ExperimentRunRow['status'];
export type NewExperimentRun = Pick<
  Insertable<Tables['experiment_run']>,
  'name' | 'description' | 'hypothesis' | 'findings' | 'config' | 'provenance' | 'tags' | 'owner_user_id'
> & { status: ExperimentStatus; visibility: Visibility };
export type ExperimentRunChanges = Partial<Omit<NewExperimentRun, 'owner_user_id'>>;

/** Lists the runs that the reader may find, newest first. */
export async function listExperimentRuns(
  db: Queryable,
  filter: { reader: Reader; status?: ExperimentStatus },
  limit: number,
  after?: Cursor,
): Promise<Page<ExperimentRunRow>> {
  const chosen = db
    .selectFrom('experiment_run')
    .selectAll()
    .where(visibleTo('experiment_run', filter.reader))
    .$if(filter.status !== undefined, (query) =>
      query.where('status', '=', filter.status as ExperimentStatus),
    );
  return pageOf(db, chosen, { table: 'experiment_run' }, { limit, after });
}

export async function findExperimentRun(db: Queryable, id: string): Promise<ExperimentRunRow | undefined> {
  return db.selectFrom('experiment_run').selectAll().where('id', '=', id).executeTakeFirst();
}

/**
 * Rows of these statuses have a start, and those of the next have an end. A timestamp is set once, and never
 * overwritten.
 */
const startedStatuses: readonly ExperimentStatus[] = ['running', 'done'];
const finishedStatuses: readonly ExperimentStatus[] = ['done', 'abandoned'];
const now = sql<string>`clock_timestamp()`;

/**
 * Inserts a run; null when the name is taken. A run that begins as running or done gets its timestamps at
 * once; an abandoned one may never have started.
 */
export async function insertExperimentRun(
  db: Queryable,
  run: NewExperimentRun,
): Promise<ExperimentRunRow | null> {
  const row = await db
    .insertInto('experiment_run')
    .values({
      ...run,
      config: JSON.stringify(run.config ?? {}),
      provenance: JSON.stringify(run.provenance ?? {}),
      started_at: startedStatuses.includes(run.status) ? now : null,
      finished_at: finishedStatuses.includes(run.status) ? now : null,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Changes the given fields. A change of status sets the missing timestamps: running sets the start, done and
 * abandoned set the end. The same status again changes none.
 */
export async function updateExperimentRun(
  db: Queryable,
  id: string,
  changes: ExperimentRunChanges,
): Promise<ExperimentRunRow> {
  const { config, provenance, status, ...plain } = changes;
  return db
    .updateTable('experiment_run')
    .set({
      ...plain,
      ...(config === undefined ? {} : { config: JSON.stringify(config) }),
      ...(provenance === undefined ? {} : { provenance: JSON.stringify(provenance) }),
      ...(status === undefined ? {} : { status }),
      ...(status === 'running' ? { started_at: sql`coalesce(started_at, clock_timestamp())` } : {}),
      ...(status !== undefined && finishedStatuses.includes(status)
        ? { finished_at: sql`coalesce(finished_at, clock_timestamp())` }
        : {}),
      updated_at: now,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function lockExperimentRun(db: Queryable, id: string): Promise<ExperimentRunRow | undefined> {
  return db.selectFrom('experiment_run').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function deleteExperimentRun(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('experiment_run').where('id', '=', id).execute();
}
