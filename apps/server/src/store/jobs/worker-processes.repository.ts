import type { WorkerState } from '@kindred/contracts/resources/workers';
import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type WorkerProcessRow = Selectable<Tables['worker_process']>;
export type NewWorkerProcess = Pick<WorkerProcessRow, 'id' | 'role' | 'host' | 'pid' | 'queues' | 'version'> &
  Partial<Pick<WorkerProcessRow, 'working' | 'draining'>> & { unsettled?: Readonly<Record<string, number>> };

/** A process that was silent for this long is lost, because it reports with each round of its housekeeper. */
export const lostWorkerSeconds = 30;

/** Writes or refreshes the row of a living process. */
export async function reportWorkerProcess(db: Queryable, worker: NewWorkerProcess): Promise<void> {
  const unsettled = JSON.stringify(worker.unsettled ?? {});
  await db
    .insertInto('worker_process')
    .values({ ...worker, unsettled })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        last_seen_at: sql`clock_timestamp()`,
        queues: worker.queues,
        working: worker.working ?? 0,
        draining: worker.draining ?? false,
        unsettled,
      }),
    )
    .execute();
}

export async function removeWorkerProcess(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('worker_process').where('id', '=', id).execute();
}

/** Removes the rows of processes that were not seen for `silenceSeconds`. */
export async function removeSilentWorkers(db: Queryable, silenceSeconds: number): Promise<number> {
  const { numAffectedRows } = await sql`delete from worker_process
    where last_seen_at < clock_timestamp() - make_interval(secs => ${silenceSeconds})`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export interface ListedWorker extends WorkerProcessRow {
  running_jobs: number;
  state: WorkerState;
}

const heldJobs = sql<number>`(select count(*) from job j where j.status = 'RUNNING' and j.lease_owner = w.id)`;
const state = sql<WorkerState>`case
  when w.last_seen_at < clock_timestamp() - make_interval(secs => ${lostWorkerSeconds}) then 'lost'
  when w.draining then 'draining' when w.working > 0 or ${heldJobs} > 0 then 'busy' else 'idle' end`;

/** Lists each process with the number of tracked jobs that it holds now; the oldest process comes first. */
export async function listWorkerProcesses(db: Queryable): Promise<ListedWorker[]> {
  const { rows } = await sql<ListedWorker>`
    select w.*, ${state} as state, ${heldJobs} as running_jobs
    from worker_process w order by w.started_at, w.id limit 1000`.execute(db);
  return rows;
}

/** Counts the processes in each state; states without a process are left out. */
export async function countWorkerStates(db: Queryable): Promise<{ state: WorkerState; count: number }[]> {
  const { rows } = await sql<{ state: WorkerState; count: number }>`
    select ${state} as state, count(*) as count from worker_process w group by 1`.execute(db);
  return rows;
}

/**
 * Counts the messages that workers hold and have not settled, by queue; messages of lost workers go back to
 * their queues.
 */
export async function countUnsettled(db: Queryable): Promise<{ queue: string; count: number }[]> {
  const { rows } = await sql<{ queue: string; count: number }>`
    select u.key as queue, sum(u.value::integer)::integer as count from worker_process, jsonb_each_text(unsettled) u
    where last_seen_at >= clock_timestamp() - make_interval(secs => ${lostWorkerSeconds}) group by 1`.execute(
    db,
  );
  return rows;
}
