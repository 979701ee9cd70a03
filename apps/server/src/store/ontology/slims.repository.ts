import type { Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import { LastValue } from '../../ground/last-value.js';
import type { Queryable } from '../postgres/connection.js';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';

export interface SlimTermRow {
  go_id: string;
  name: string;
  aspect: Aspect;
}

export interface SlimRow {
  id: string;
  name: string;
  version: string;
  obo_url: string;
  term_count: number;
  loaded_at: string;
}
/** A slim comes with its terms by GO id. */
export type FullSlimRow = SlimRow & { terms: SlimTermRow[] };

const shortColumns = ['id', 'name', 'version', 'obo_url', 'term_count', 'loaded_at'] as const;

/** Lists slims, newest first. */
export async function listSlims(db: Queryable, limit: number, after?: Cursor): Promise<Page<SlimRow>> {
  const chosen = db.selectFrom('go_slim').select(shortColumns);
  return pageOf(db, chosen, { table: 'go_slim', time: 'loaded_at' }, { limit, after });
}

export async function findSlim(db: Queryable, id: string): Promise<FullSlimRow | undefined> {
  return slims(db).where('id', '=', id).executeTakeFirst() as Promise<FullSlimRow | undefined>;
}

/** Finds the slim of that name that was loaded last. */
export async function findSlimByName(db: Queryable, name: string): Promise<FullSlimRow | undefined> {
  const row = await slims(db)
    .where('name', '=', name)
    .orderBy('loaded_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row as FullSlimRow | undefined;
}

export async function findSlimByVersion(
  db: Queryable,
  { name, version }: { name: string; version: string },
): Promise<FullSlimRow | undefined> {
  const row = await slims(db).where('name', '=', name).where('version', '=', version).executeTakeFirst();
  return row as FullSlimRow | undefined;
}

/**
 * Reads the terms of GO's list for which annotation is discouraged, from its last load; none if it was not
 * loaded.
 */
export async function doNotAnnotateTerms(db: Queryable): Promise<ReadonlySet<string>> {
  const kept = doNotAnnotate.get(db) ?? new LastValue<ReadonlySet<string>>();
  doNotAnnotate.set(db, kept);
  const newest = await db
    .selectFrom('go_slim')
    .select('id')
    .where('name', '=', 'gocheck_do_not_annotate')
    .orderBy('loaded_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest === undefined) return new Set();
  return kept.get(newest.id, async () => {
    const slim = await findSlim(db, newest.id);
    return new Set(slim?.terms.map((term) => term.go_id));
  });
}

/** The list is read once, because the terms of a loaded slim do not change. */
const doNotAnnotate = new WeakMap<object, LastValue<ReadonlySet<string>>>();

function slims(db: Queryable) {
  return db.selectFrom('go_slim').select([...shortColumns, 'terms']);
}

/** Inserts a slim; undefined if one of that name and version exists. */
export async function insertSlim(
  db: Queryable,
  slim: { name: string; version: string; obo_url: string; terms: readonly SlimTermRow[] },
  jobId: string,
): Promise<SlimRow | undefined> {
  return db
    .insertInto('go_slim')
    .values({ ...slim, terms: JSON.stringify(slim.terms), term_count: slim.terms.length, job_id: jobId })
    .onConflict((conflict) => conflict.columns(['name', 'version']).doNothing())
    .returning(shortColumns)
    .executeTakeFirst();
}

export async function deleteSlim(db: Queryable, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('go_slim').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Reads ids and names of terms of a snapshot. */
export async function termNames(
  db: Queryable,
  snapshotId: string,
  goIds: readonly string[],
): Promise<SlimTermRow[]> {
  const rows = await db
    .selectFrom('go_term')
    .select(['go_id', 'name', 'aspect'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .where('go_id', '=', sql<string>`any(${goIds}::text[])`)
    .execute();
  return rows as SlimTermRow[];
}
