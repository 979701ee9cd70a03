import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ProcessReportRow = Selectable<Tables['process_report']>;
export type NewProcessReport = Pick<ProcessReportRow, 'id' | 'role' | 'host' | 'pid' | 'version'> & {
  /** Each setting has its fingerprint, by its name. */
  fingerprints: Readonly<Record<string, string>>;
};

/** A process reports this often; a process that was silent for three times as long no longer counts. */
export const processReportSeconds = 20;
const silentSeconds = 3 * processReportSeconds;
const silent = sql<boolean>`last_seen_at < clock_timestamp() - make_interval(secs => ${silentSeconds})`;

/** Writes or refreshes the report of a living process, and drops those of silent ones. */
export async function reportProcess(db: Queryable, report: NewProcessReport): Promise<void> {
  const fingerprints = JSON.stringify(report.fingerprints);
  await db
    .insertInto('process_report')
    .values({ ...report, fingerprints })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ last_seen_at: sql`clock_timestamp()`, fingerprints }),
    )
    .execute();
  await sql`delete from process_report where id in (
    select id from process_report where ${silent} for update skip locked)`.execute(db);
}

export async function removeProcessReport(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('process_report').where('id', '=', id).execute();
}

/** Lists up to a thousand living processes, ordered by role and host. */
export async function listProcessReports(db: Queryable): Promise<ProcessReportRow[]> {
  return db
    .selectFrom('process_report')
    .selectAll()
    .where(sql<boolean>`not ${silent}`)
    .orderBy('role')
    .orderBy('host')
    .orderBy('pid')
    .limit(1000)
    .execute();
}
