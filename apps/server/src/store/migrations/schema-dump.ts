import type { Database } from '../postgres/connection.js';

const header = `-- What the migrations add up to, for reading. Made by \`npm run gen\` from a migrated database; not run by anything.
-- Partitions that are made while the service runs are left out.
`;

interface Relation {
  oid: number;
  name: string;
  kind: string;
  options: string[] | null;
  partition_key: string | null;
}

/**
 * Gives the schema as SQL text, the same for every server version from 15 to 18: sorted by name, columns in
 * their order.
 */
export async function dumpSchema(db: Database): Promise<string> {
  const { rows } = await db.pool.query<Relation>(`
    select c.oid, quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name, c.relkind as kind, c.reloptions as options,
           case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end as partition_key
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'broker', 'audit') and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and c.relname <> 'schema_migration'
    order by 2`);
  const tables: string[] = [];
  for (const relation of rows)
    tables.push(relation.kind === 'v' ? await dumpView(db, relation) : await dumpTable(db, relation));
  return [header, ...tables, await dumpFunctions(db)].join('\n');
}

async function dumpTable(db: Database, relation: Relation): Promise<string> {
  const constraints = await texts(
    db,
    `select '  constraint ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid) from pg_constraint
     where conrelid = $1 and contype in ('p', 'u', 'f', 'c') order by contype <> 'p', conname`,
    relation.oid,
  );
  const indexes = await texts(
    db,
    `select pg_get_indexdef(indexrelid) || ';' from pg_index
     where indrelid = $1 and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u')) order by 1`,
    relation.oid,
  );
  const triggers = await texts(
    db,
    "select pg_get_triggerdef(oid) || ';' from pg_trigger where tgrelid = $1 and not tgisinternal order by 1",
    relation.oid,
  );
  const storage = await texts(
    db,
    `select 'alter table only ' || $2 || ' alter column ' || quote_ident(a.attname) || ' set storage external;'
     from pg_attribute a join pg_type t on t.oid = a.atttypid
     where attrelid = $1 and attnum > 0 and attstorage = 'e' and t.typstorage <> 'e' order by attnum`,
    relation.oid,
    relation.name,
  );
  const body = [...(await columns(db, relation.oid)), ...constraints].join(',\n');
  const partition = relation.partition_key === null ? '' : ` partition by ${relation.partition_key}`;
  const options = relation.options === null ? '' : ` with (${[...relation.options].sort().join(', ')})`;
  const create = `create table ${relation.name} (\n${body}\n)${partition}${options};`;
  return `${[create, ...storage, ...indexes, ...triggers].join('\n')}\n`;
}

/** A view is dumped as its columns, because servers print its query in their own ways. */
async function dumpView(db: Database, relation: Relation): Promise<string> {
  const body = (await columns(db, relation.oid)).join(',\n');
  return `-- A view; its query is in the migrations.\n-- ${relation.name} (\n${body.replace(/^/gm, '-- ')}\n-- )\n`;
}

function columns(db: Database, oid: number): Promise<string[]> {
  return texts(
    db,
    `select '  ' || quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
       || case when a.attnotnull then ' not null' else '' end
       || case when a.attidentity = 'a' then ' generated always as identity' else '' end
       || coalesce(case when a.attgenerated = 's' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
                   else ' default ' || pg_get_expr(d.adbin, d.adrelid) end, '')
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1 and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    oid,
  );
}

async function dumpFunctions(db: Database): Promise<string> {
  const functions = await texts(
    db,
    `select pg_get_functiondef(p.oid) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('public', 'broker', 'audit') order by n.nspname, p.proname`,
  );
  return functions.map((text) => `${text.trimEnd()};\n`).join('\n');
}

async function texts(db: Database, sql: string, ...values: unknown[]): Promise<string[]> {
  const { rows } = await db.pool.query({ text: sql, values, rowMode: 'array' });
  return rows.map((row) => row[0] as string);
}
