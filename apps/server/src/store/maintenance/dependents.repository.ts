import { ProblemError } from '@kindred/contracts';
import { type DependentKind, dependentWords } from '@kindred/contracts/dependent-words';
import {
  countedDependents,
  type DeletableTable,
  dependentKinds,
  type DependentRows,
  type Dependents,
  namedDependents,
} from '@kindred/contracts/resources/dependents';
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../postgres/fragments/visibility.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../postgres/connection.js';
import { labelOf } from './dependent-labels.js';
import { deletionLinks } from './deletion-links.js';
import type { Effect, Link } from './deletion-rules.js';

export interface Doomed {
  table: DeletableTable;
  id: string;
  /** If true, the runs of a reference are deleted with it. */
  withDependents?: boolean;
}

type Condition = RawBuilder<boolean>;
/** The rows of a table in one group share an effect and a name. */
interface Group {
  table: string;
  kind: DependentKind;
  effect: Effect;
  /** A row that meets one of the conditions belongs to the group. In conditions, `c` is the row. */
  conditions: Condition[];
  /** The flag is true if only a part of the rows that may have dependents was read. */
  isPart: boolean;
}
/** The dependents of these deleted rows are searched next. */
interface Deleted {
  table: string;
  condition: Condition;
}

const limit = countedDependents + 1;

/**
 * Lists the rows that depend on a row. Every count and every step reads at most 10,001 rows of a table, found
 * by the column that names the other row. A reader gets the names of rows that they would find in lists.
 */
export function dependentsOf(db: Database, doomed: Doomed, reader: Reader): Promise<Dependents> {
  return inTransaction(db, async (trx) => {
    // Sequential scans are off because PostgreSQL would rather read a large table from its start for a limit,
    // though the rows may be at its end.
    await trx.client.query('set local enable_seqscan = off');
    return listDependents(trx, doomed, reader);
  });
}

async function listDependents(db: Queryable, doomed: Doomed, reader: Reader): Promise<Dependents> {
  const groups = await groupsOf(db, doomed);
  const reply: Dependents = { first: [], deleted: [], kept: [] };
  for (const group of groups) {
    const condition = ofGroup(group, groups, doomed);
    const { count, more } = await bounded(db, group, condition);
    if (count === 0) continue;
    const names = await examples(db, group, condition, { name: 'name', reader });
    reply[group.effect].push({ kind: group.kind, words: wordsOf(group.kind, count), count, more, names });
  }
  return reply;
}

function wordsOf(kind: DependentKind, count: number): string {
  const [one, several] = dependentWords[kind];
  return count === 1 ? one : several;
}

/** @throws ProblemError in_use, naming by id the rows that must be deleted first */
export async function refuseInUse(
  trx: Transaction,
  doomed: Doomed,
  { what, advice = 'Delete them first.' }: { what: string; advice?: string | undefined },
): Promise<void> {
  const groups = await groupsOf(trx, doomed);
  const users: string[] = [];
  for (const group of groups.filter(({ effect }) => effect === 'first')) {
    const condition = ofGroup(group, groups, doomed);
    const { count, more } = await bounded(trx, group, condition);
    if (count === 0) continue;
    const ids = await examples(trx, group, condition, { name: 'id', reader: null });
    const others = count > ids.length ? ` and ${more ? 'more than ' : ''}${count - ids.length} more` : '';
    users.push(`${wordsOf(group.kind, count)} ${ids.join(', ')}${others}`);
  }
  if (users.length > 0) throw new ProblemError('in_use', `${what} is used by ${users.join('; ')}. ${advice}`);
}

/** Follows the links from the row through all rows that are deleted. */
async function groupsOf(db: Queryable, doomed: Doomed): Promise<Group[]> {
  const links = await deletionLinks(db);
  const groups = new Map<string, Group>();
  const open: Deleted[] = [{ table: doomed.table, condition: sql<boolean>`c.id = ${doomed.id}` }];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    for (const link of links.filter(({ parent }) => parent === at.table)) {
      const keys = await keysOf(db, at, link.key);
      if (keys.length === 0) continue;
      const condition = byKeys(link, keys);
      const effect = (doomed.withDependents === true ? link.effectWithDependents : undefined) ?? link.effect;
      addTo(groups, link, effect, { condition, isPart: keys.length === limit });
      if (effect === 'deleted') open.push({ table: link.child, condition });
    }
  }
  const place = ({ kind }: Group) => dependentKinds.indexOf(kind);
  return [...groups.values()].sort((a, b) => place(a) - place(b));
}

function addTo(
  groups: Map<string, Group>,
  link: Link,
  effect: Effect,
  { condition, isPart }: { condition: Condition; isPart: boolean },
): void {
  const kind = link.kind ?? kindOf(link.child);
  const name = `${link.child} ${kind} ${effect}`;
  const group = groups.get(name) ?? { table: link.child, kind, effect, conditions: [], isPart: false };
  group.conditions.push(condition);
  group.isPart ||= isPart;
  groups.set(name, group);
}

function kindOf(table: string): DependentKind {
  const kind = dependentKinds.find((one) => one === table);
  if (kind === undefined) throw new Error(`dependentWords of the contracts has no words for ${table}`);
  return kind;
}

function byKeys({ column, value, type = 'uuid', where, isList }: Link, keys: readonly unknown[]): Condition {
  const cell = value ?? sql.ref(`c.${column}`);
  const list = sql`${keys}::${sql.raw(type)}[]`;
  const named = isList ? sql<boolean>`${cell} && ${list}` : sql<boolean>`${cell} = any(${list})`;
  return where === undefined ? named : sql<boolean>`(${named} and ${where})`;
}

async function keysOf(db: Queryable, { table, condition }: Deleted, key: string): Promise<unknown[]> {
  const column = sql.ref(`c.${key}`);
  const { rows } = await sql<{ key: unknown }>`
    select ${column} as key from ${sql.table(table)} c where ${condition} and ${column} is not null limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => row.key);
}

const anyOf = (conditions: readonly Condition[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;

/** Excludes rows that are deleted anyway: they need not be deleted first, and do not stay. */
function ofGroup(group: Group, groups: readonly Group[], doomed: Doomed): Condition {
  const deleted = groups
    .filter(({ table, effect }) => table === group.table && effect === 'deleted' && group.effect !== effect)
    .flatMap(({ conditions }) => conditions);
  const other = deleted.length === 0 ? [] : [sql<boolean>`${anyOf(deleted)} is not true`];
  const itself = group.table === doomed.table ? [sql<boolean>`c.id <> ${doomed.id}`] : [];
  return sql<boolean>`(${sql.join([anyOf(group.conditions), ...other, ...itself], sql` and `)})`;
}

async function bounded(
  db: Queryable,
  { table, isPart }: Group,
  condition: Condition,
): Promise<Pick<DependentRows, 'count' | 'more'>> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from ${sql.table(table)} c where ${condition} limit ${limit}) few`.execute(
    db,
  );
  const [{ count }] = rows;
  return { count: Math.min(count, countedDependents), more: isPart || count > countedDependents };
}

/**
 * Gives the names or ids of some rows, newest first. A reader gets those that their lists have; without a
 * reader, all are named.
 */
async function examples(
  db: Queryable,
  group: Group,
  condition: Condition,
  { name, reader }: { name: 'name' | 'id'; reader: Reader | null },
): Promise<string[]> {
  const label = labelOf(group);
  if (label === undefined) return [];
  const visible = reader === null ? sql<boolean>`true` : label.visible(reader);
  const { rows } = await sql<{ label: string }>`
    select ${label[name]} as label from (
      select c.* from ${sql.table(group.table)} c where ${condition} and ${visible}
      order by ${label.newest} desc limit ${namedDependents}) c order by ${label.newest} desc`.execute(db);
  return rows.map((row) => row.label);
}
