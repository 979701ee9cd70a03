import { type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';
import type { AuditRow } from './audit.repository.js';

const pageRows = 1000;

export type AuditExportRow = Selectable<Tables['audit.audit_export']>;

/** These rows of one month go into one file. */
export interface AuditSegment
  extends Pick<AuditExportRow, 'first_id' | 'last_id' | 'first_at' | 'last_at' | 'row_count'> {
  /** The month has the form YYYY-MM (UTC). */
  month: string;
}

/**
 * Finds the first rows of the log, in order of their ids, up to the first row of another month; at most
 * `limit`. Null means that the log is empty, or that the month of its first row ended less than `days` ago.
 */
export async function oldestAuditSegment(
  db: Queryable,
  days: number,
  limit: number,
): Promise<AuditSegment | null> {
  const { rows } = await sql<AuditSegment>`
    with first as (
      select id, date_trunc('month', occurred_at at time zone 'UTC') as month from audit.audit_log order by id limit 1
    ), other as (
      select l.id from audit.audit_log l, first
      where l.id > first.id and date_trunc('month', l.occurred_at at time zone 'UTC') <> first.month
      order by l.id limit 1
    ), beyond as (
      select l.id from audit.audit_log l, first where l.id > first.id order by l.id offset ${limit - 1} limit 1
    )
    select to_char(first.month, 'YYYY-MM') as month, min(l.id) as first_id, max(l.id) as last_id,
      min(l.occurred_at) as first_at, max(l.occurred_at) as last_at, count(*) as row_count
    from audit.audit_log l, first
    where first.month < date_trunc('month', (clock_timestamp() - make_interval(days => ${days}::integer)) at time zone 'UTC')
      and (l.id < (select id from other)) is not false and (l.id < (select id from beyond)) is not false
    group by first.month`.execute(db);
  return rows[0] ?? null;
}

/** Reads rows of the audit log in the order of their ids, in pages. */
export async function* auditRowsOf(
  db: Queryable,
  { first_id, last_id }: AuditSegment,
): AsyncGenerator<AuditRow[]> {
  for (let after = first_id - 1; after < last_id; ) {
    const rows = await db
      .selectFrom('audit.audit_log')
      .selectAll()
      .where('id', '>', after)
      .where('id', '<=', last_id)
      .orderBy('id')
      .limit(pageRows)
      .execute();
    if (rows.length === 0) return;
    yield rows;
    after = rows[rows.length - 1].id;
  }
}

/**
 * Records the file and deletes its rows. False means that another process did so before.
 *
 * @throws Error if the rows differ from those in the file
 */
export async function replaceAuditRows(
  trx: Transaction,
  file: Omit<AuditExportRow, 'exported_at'>,
): Promise<boolean> {
  const recorded = await trx
    .insertInto('audit.audit_export')
    .values(file)
    .onConflict((conflict) => conflict.doNothing())
    .returning('first_id')
    .executeTakeFirst();
  if (recorded === undefined) return false;
  const { numAffectedRows } = await sql`delete from audit.audit_log
    where id between ${file.first_id} and ${file.last_id}`.execute(trx);
  const deleted = Number(numAffectedRows ?? 0n);
  if (deleted !== file.row_count)
    throw new Error(`the audit log has ${deleted} rows of the ${file.row_count} that are in ${file.uri}`);
  return true;
}

/** Lists exports in the order of their rows; at most 10,000, which are centuries of months. */
export async function listAuditExports(db: Queryable): Promise<AuditExportRow[]> {
  return db.selectFrom('audit.audit_export').selectAll().orderBy('first_id').limit(10_000).execute();
}

export interface AuditWindow {
  /** The export begins at this moment; null means from the beginning. */
  since: string | null;
  /** The export ends at this moment; null means no end. */
  untilExclusive: string | null;
}

/** Gives the moments in the form of `occurred_at`, so that texts compare as times do. */
export async function normalWindow(db: Queryable, window: AuditWindow): Promise<AuditWindow> {
  const { rows } = await sql<AuditWindow>`
    select ${window.since}::timestamptz as since, ${window.untilExclusive}::timestamptz as "untilExclusive"`.execute(
    db,
  );
  return rows[0];
}

/** Reads rows of the log with ids above `afterId`, oldest first, in pages. */
export async function* auditPages(
  db: Queryable,
  { since, untilExclusive }: AuditWindow,
  afterId: number,
): AsyncGenerator<AuditRow[]> {
  let last: AuditRow | null = null;
  do {
    let query = db
      .selectFrom('audit.audit_log')
      .selectAll()
      .where('id', '>', afterId)
      .orderBy('occurred_at')
      .orderBy('id')
      .limit(pageRows);
    if (since !== null) query = query.where('occurred_at', '>=', since);
    if (untilExclusive !== null) query = query.where('occurred_at', '<', untilExclusive);
    if (last !== null)
      query = query.where(
        sql<boolean>`(occurred_at, id) > (${last.occurred_at}::timestamptz, ${last.id}::bigint)`,
      );
    const rows: AuditRow[] = await query.execute();
    if (rows.length > 0) yield rows;
    last = rows.length === pageRows ? rows[pageRows - 1] : null;
  } while (last !== null);
}
