import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { isSelected, type SequenceSelection } from '../proteins/sequence-selection.js';

/** Reads sequences of the selection that were not scanned with this release, shortest first; ties by id. */
export async function unscannedSequences(
  db: Queryable,
  selection: SequenceSelection,
  interproRelease: string,
): Promise<{ total: number; ids: number[] }> {
  const { rows } = await sql<{ id: number; scanned: boolean }>`
    select s.id, exists (select from interpro_scan i where i.sequence_id = s.id and i.interpro_release = ${interproRelease}) as scanned
    from sequence s where ${isSelected(selection)} order by s.length, s.id`.execute(db);
  return { total: rows.length, ids: rows.filter((row) => !row.scanned).map((row) => row.id) };
}

export async function markScanned(
  db: Queryable,
  sequenceIds: readonly number[],
  interproRelease: string,
): Promise<void> {
  await sql`insert into interpro_scan (sequence_id, interpro_release)
    select id, ${interproRelease} from sequence where id = any(${sequenceIds}::bigint[]) order by id
    on conflict do nothing`.execute(db);
}

export interface SubmissionRow {
  id: string;
  sequence_id: number;
  remote_id: string | null;
  state: 'intended' | 'submitted' | 'stored' | 'failed';
}

export async function submissionsOfJob(db: Queryable, jobId: string): Promise<SubmissionRow[]> {
  return db
    .selectFrom('interproscan_submission')
    .select(['id', 'sequence_id', 'remote_id', 'state'])
    .where('job_id', '=', jobId)
    .orderBy('created_at')
    .execute() as Promise<SubmissionRow[]>;
}

/**
 * Callers note the submission before it happens, because from then on the service may have the sequence. A
 * row that failed before is used again.
 */
export async function intendSubmission(
  db: Queryable,
  { jobId, sequenceId, serviceUrl }: { jobId: string; sequenceId: number; serviceUrl: string },
): Promise<SubmissionRow> {
  const { rows } = await sql<SubmissionRow>`
    insert into interproscan_submission (job_id, sequence_id, service_url) values (${jobId}, ${sequenceId}, ${serviceUrl})
    on conflict (job_id, sequence_id) do update set state = 'intended', remote_id = null, updated_at = clock_timestamp()
    returning id, sequence_id, remote_id, state`.execute(db);
  return rows[0];
}

export async function setSubmission(
  db: Queryable,
  id: string,
  change: { state: SubmissionRow['state']; remote_id?: string; message?: string },
): Promise<void> {
  await db
    .updateTable('interproscan_submission')
    .set({ ...change, updated_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .execute();
}
