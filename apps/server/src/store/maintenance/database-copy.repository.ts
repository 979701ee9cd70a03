import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Database, Transaction } from '../postgres/connection.js';
import { type CopiedOut, copiedOut } from '../postgres/copied-rows.js';

/** The rows of a table, or of a partition, are copied as a whole. */
export interface CopiedTable {
  /** The name of the table is quoted, and has its schema. */
  name: string;
  /** The names of the columns are quoted; generated columns are left out. */
  columns: string[];
  /** A load made the table for this annotation set; null for tables that a migration made. */
  annotationSet: { number: number; attached: boolean } | null;
}

export interface SequenceValue {
  name: string;
  value: number;
}

interface TableRow {
  name: string;
  columns: string[];
  set_number: number | null;
  attached: boolean;
}

const schemas = "('public', 'broker', 'audit')";
/**
 * Lists of running processes mean nothing elsewhere, and migrations record themselves which of them are
 * applied.
 */
const leftOut = "('public.schema_migration', 'public.worker_process', 'public.process_report')";

/**
 * Lists all tables as they are in the transaction's snapshot; a table comes before the tables that refer to
 * it.
 */
export async function tablesToCopy(trx: Transaction): Promise<CopiedTable[]> {
  const { rows } = await trx.client.query<TableRow>(`
    select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name, c.relispartition as attached,
      substring(c.relname from '^protein_go_annotation_s([0-9]+)$')::integer as set_number,
      array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
        and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ${schemas} and c.relkind = 'r' and n.nspname || '.' || c.relname not in ${leftOut}
    order by 1`);
  const { rows: references } = await trx.client.query<{ child: string; parent: string }>(`
    select distinct conrelid::regclass::text as child, confrelid::regclass::text as parent
    from pg_constraint where contype = 'f' and conrelid <> confrelid`);
  const unqualified = (name: string) => name.replace(/^public\./, '');
  const parents = new Map<string, string[]>();
  for (const { child, parent } of references) parents.set(child, [...(parents.get(child) ?? []), parent]);
  const byName = new Map(rows.map((row) => [unqualified(row.name), row]));
  const ordered = new Set<TableRow>();
  const visiting = new Set<string>();
  const visit = (name: string) => {
    const row = byName.get(name);
    if (visiting.has(name) || (row && ordered.has(row))) return;
    visiting.add(name);
    for (const parent of parents.get(name) ?? []) visit(parent);
    if (row) ordered.add(row);
  };
  for (const name of byName.keys()) visit(name);
  return [...ordered].map(({ name, columns, set_number, attached }) => ({
    name,
    columns,
    annotationSet: set_number === null ? null : { number: set_number, attached },
  }));
}

/** Reads the rows of a table in PostgreSQL's text format, one a line, in the order of the table. */
export function copyOut(trx: Transaction, { name, columns }: CopiedTable): CopiedOut {
  return copiedOut(trx, `copy ${name} (${columns.join(', ')}) to stdout`);
}

/** Errors of these classes come from the rows and names of a copy, and not from the server. */
const faultOfCopy = /^(22|23|42)/;

/** Says why the server did not take the copied rows; null for any other error. */
export function whyNotCopied(error: unknown): string | null {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' && faultOfCopy.test(code) ? (message ?? code) : null;
}

export async function copyIn(
  trx: Transaction,
  { name, columns }: CopiedTable,
  lines: AsyncIterable<Buffer>,
): Promise<void> {
  const target = trx.client.query(copyFrom(`copy ${name} (${columns.join(', ')}) from stdin`));
  await pipeline(lines, target);
}

/**
 * Reads the values of sequences. Callers read the rows first: values never fall, so none is below an id of
 * the rows.
 */
export async function sequenceValues(db: Database): Promise<SequenceValue[]> {
  const { rows } = await db.pool.query<SequenceValue>(`
    select quote_ident(schemaname) || '.' || quote_ident(sequencename) as name, last_value as value
    from pg_sequences where schemaname in ${schemas} and last_value is not null order by 1`);
  return rows;
}

/** Returns true if the database has none of our tables. */
export async function isEmptyDatabase(trx: Transaction): Promise<boolean> {
  const { rows } = await trx.client.query<{ empty: boolean }>(
    `select count(*) = 0 as empty from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ${schemas} and c.relkind in ('r', 'p')`,
  );
  return rows[0].empty;
}

/**
 * Runs `work`, which copies rows as they were, while no trigger fires, because the rows include what triggers
 * wrote. `session_replication_role` alone does not suffice, because some triggers fire always. It allows rows
 * to refer to later ones; if the role may not set it, the order of the tables must suffice.
 */
export async function withoutTriggers<T>(trx: Transaction, work: () => Promise<T>): Promise<T> {
  const parameter = 'session_replication_role';
  const { rows: privileges } = await trx.client.query<{ allowed: boolean }>(
    `select has_parameter_privilege('${parameter}', 'SET') as allowed`,
  );
  const choose = async (value: string) => {
    if (privileges[0].allowed) await trx.client.query(`set local ${parameter} = ${value}`);
  };
  const { rows } = await trx.client.query<{ disable: string; enable: string }>(`
    select 'alter table ' || of_table || ' disable trigger ' || name as disable,
      'alter table ' || of_table || ' enable ' || case state when 'A' then 'always ' when 'R' then 'replica ' else '' end
        || 'trigger ' || name as enable
    from (select tgrelid::regclass::text as of_table, quote_ident(tgname) as name, tgenabled as state
      from pg_trigger join pg_class c on c.oid = tgrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ${schemas} and not tgisinternal and tgenabled <> 'D') firing`);
  for (const { disable } of rows) await trx.client.query(disable);
  await choose('replica');
  const result = await work();
  await choose('origin');
  for (const { enable } of rows) await trx.client.query(enable);
  return result;
}

/** Empties the tables that migrations filled, and makes the tables of annotation sets. */
export async function makeRoom(trx: Transaction, tables: readonly CopiedTable[]): Promise<void> {
  await trx.client.query(
    'set local synchronize_seqscans = off; set local idle_in_transaction_session_timeout = 0',
  );
  const own = tables.filter(
    ({ annotationSet, name }) => annotationSet === null && !name.startsWith('audit.'),
  );
  await trx.client.query(`truncate ${own.map(({ name }) => name).join(', ')} cascade`);
  for (const { name, annotationSet } of tables) {
    if (annotationSet === null) continue;
    const { number, attached } = annotationSet;
    await trx.client.query(`create table ${name} (like protein_go_annotation including defaults,
      check (annotation_set_number = ${Number(number)}))`);
    if (attached)
      await trx.client.query(
        `alter table protein_go_annotation attach partition ${name} for values in (${Number(number)})`,
      );
  }
}

export async function setSequences(trx: Transaction, values: readonly SequenceValue[]): Promise<void> {
  for (const { name, value } of values)
    await trx.client.query('select setval($1::regclass, $2)', [name, value]);
}

/** Lists versions and file names of the migrations that the database has. */
export async function appliedMigrations(trx: Transaction): Promise<{ version: number; name: string }[]> {
  const { rows } = await trx.client.query<{ version: number; name: string }>(
    'select version, name from schema_migration order by version',
  );
  return rows;
}
