import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { deletionRules, type Effect, type Link } from './deletion-rules.js';

interface KeyRow {
  child: string;
  column: string;
  parent: string;
  key: string;
  type: string;
  effect: Effect;
}

/** These notes of the service are deleted with their row, and nobody needs to see them. */
export const unseenTables = ['bank_change', 'bank_fingerprint'];

/**
 * Lists all columns that name a row of another table: the foreign keys of the database with their effects,
 * the columns that name a row without a key, and the links that the functions of deletion add.
 */
export async function deletionLinks(db: Queryable): Promise<Link[]> {
  const { rows } = await sql<KeyRow>`${foreignKeys} union all ${namingColumns}`.execute(db);
  const ruled = new Set(deletionRules.map(nameOf));
  const isSeen = (row: KeyRow) => !ruled.has(nameOf(row)) && !unseenTables.includes(row.child);
  return [...rows.filter(isSeen), ...deletionRules];
}

const nameOf = ({ child, column, parent }: Pick<Link, 'child' | 'column' | 'parent'>) =>
  `${child}.${column} ${parent}`;

const ownTable = (table: string) => sql<boolean>`(${sql.ref(`${table}.relnamespace`)} = 'public'::regnamespace
  and ${sql.ref(`${table}.relkind`)} in ('r', 'p') and not ${sql.ref(`${table}.relispartition`)})`;

const foreignKeys = sql`
  select child.relname as child, a.attname as column, parent.relname as parent, k.attname as key,
    format_type(a.atttypid, null) as type,
    case f.confdeltype when 'c' then 'deleted' when 'n' then 'kept' when 'd' then 'kept' else 'first' end as effect
  from pg_constraint f
  join pg_class child on child.oid = f.conrelid and ${ownTable('child')}
  join pg_class parent on parent.oid = f.confrelid
  join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
  join pg_attribute k on k.attrelid = f.confrelid and k.attnum = f.confkey[1]
  where f.contype = 'f'`;

/**
 * Large tables, and tables whose rows outlive others, have columns without a key: `prediction_set_number` in
 * rows that are deleted with their set, `job_id` and `owner_user_id` in rows that stay.
 */
const namingColumns = sql`
  select child.relname, a.attname, parent.relname, k.attname, format_type(a.atttypid, null),
    case k.attname when 'number' then 'deleted' else 'kept' end
  from pg_class child
  join pg_attribute a on a.attrelid = child.oid and a.attnum > 0 and not a.attisdropped
  join pg_class parent on ${ownTable('parent')}
  join pg_attribute k on k.attrelid = parent.oid and k.attname in ('id', 'number') and k.atttypid = a.atttypid
  where ${ownTable('child')}
    and (a.attname = parent.relname || '_' || k.attname
      or (a.attname = 'owner_user_id' and parent.relname = 'user_account' and k.attname = 'id'))
    and not exists (select from pg_constraint f where f.contype = 'f' and f.conrelid = child.oid and a.attnum = any(f.conkey))`;
