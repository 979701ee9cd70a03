import { readdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase, type TestDatabase } from '../../testing/test-database.js';
import { closeDatabase, type Database, openDatabase } from '../postgres/connection.js';

// An older program must keep working after every migration that is marked compatible. Its tables and columns
// must keep their types, rows that name none of the new columns must be allowed, and so must all values that
// were allowed before.
let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url, 1);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

interface Column {
  table: string;
  name: string;
  type: string;
  required: boolean;
  filled: boolean;
}
interface Constraint {
  table: string;
  name: string;
  columns: string[];
  definition: string;
}
interface Schema {
  columns: Column[];
  constraints: Constraint[];
}

const schemas = `('public', 'broker', 'audit')`;

async function schemaNow(): Promise<Schema> {
  const columns = await db.pool.query<Column>(`
    select c.oid::regclass::text as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as required, a.atthasdef or a.attidentity <> '' as filled
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname in ${schemas} and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped`);
  const constraints = await db.pool.query<Constraint>(`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(k.oid) as definition,
      array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any (conkey)) as columns
    from pg_constraint k join pg_namespace n on n.oid = connamespace
    where n.nspname in ${schemas} and conrelid <> 0 and contype not in ('t', 'n')`);
  return { columns: columns.rows, constraints: constraints.rows };
}

/** Lists the parts of `before` that an older program would miss in `after`. */
function breaks(before: Schema, after: Schema): string[] {
  const key = ({ table, name }: { table: string; name: string }) => `${table}.${name}`;
  const old = new Map(before.columns.map((column) => [key(column), column]));
  const now = new Map(after.columns.map((column) => [key(column), column]));
  const oldTables = new Set(before.columns.map(({ table }) => table));
  const found: string[] = [];
  for (const [name, column] of old) {
    const kept = now.get(name);
    if (kept === undefined) found.push(`${name} is gone`);
    else if (kept.type !== column.type) found.push(`${name} became ${kept.type}`);
    else if (kept.required && !column.required && !kept.filled) found.push(`${name} must now be given`);
  }
  for (const [name, column] of now)
    if (oldTables.has(column.table) && !old.has(name) && column.required && !column.filled)
      found.push(`${name} is new and must be given`);
  const oldRules = new Set(before.constraints.map((rule) => `${rule.table} ${rule.definition}`));
  for (const rule of after.constraints) {
    const onOld = rule.columns.some((column) => old.has(`${rule.table}.${column}`));
    if (onOld && !oldRules.has(`${rule.table} ${rule.definition}`))
      found.push(`${key(rule)} is a new rule for old columns: ${rule.definition}`);
  }
  return found;
}

/** These new rules for old columns allow all that was allowed before; each has its reason. */
const wider: Record<string, string> = {
  '000088_several_embeddings.sql calibration_curve.calibration_curve_pkey':
    'the longer key lets in all that the shorter one did',
  '000104_namesakes.sql prediction_set_protein.prediction_set_protein_known_by_check':
    'one more way is allowed',
};

describe('migrations that are marked compatible', () => {
  it('take nothing from an older program', async () => {
    const folder = dirname(fileURLToPath(import.meta.url));
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    await db.pool.query(
      'drop schema public cascade; drop schema broker cascade; drop schema audit cascade; create schema public',
    );
    const found: string[] = [];
    let compatible = 0;
    for (const name of names) {
      const text = await readFile(`${folder}/${name}`, 'utf8');
      const isCompatible = text.startsWith('--! compatible\n');
      const before = isCompatible ? await schemaNow() : null;
      await db.pool.query(`begin; ${text}; commit`);
      if (before === null) continue;
      compatible++;
      for (const fault of breaks(before, await schemaNow()))
        if (!(`${name} ${fault.split(' ', 1)[0]}` in wider)) found.push(`${name}: ${fault}`);
    }
    expect(compatible).toBeGreaterThan(20);
    expect(found).toEqual([]);
  });

  it('would be caught if they took something', async () => {
    const before = await schemaNow();
    await db.pool.query(`
      alter table job drop column progress_total, alter column progress_current type numeric, alter column deadline_at set not null,
        add column origin text not null, add column note text, add column kind text not null default 'x',
        add constraint short check (length(operation) < 9), add constraint new_only check (length(note) < 9)`);
    expect(breaks(before, await schemaNow()).sort()).toEqual([
      'job.deadline_at must now be given',
      'job.origin is new and must be given',
      'job.progress_current became numeric',
      'job.progress_total is gone',
      'job.short is a new rule for old columns: CHECK ((length(operation) < 9))',
    ]);
  });
});
