import { type Taxonomy, TaxonomyBuilder } from '@kindred/kernels/taxonomy';
import { type Insertable, type Selectable, sql } from 'kysely';
import { BinaryRows, copyBinaryRows } from '../postgres/binary-copy.js';
import { type Database, inTransaction, type Queryable, type Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';
import type { TaxonomyFile } from '../postgres/column-types.js';

export type { TaxonomyFile } from '../postgres/column-types.js';

export type TaxonomyRow = Selectable<Tables['taxonomy']>;

export interface NewTaxonomy {
  taxonomy: Taxonomy;
  /** Gives the UTF-8 bytes of the scientific name of the taxon at an index; null if it has none. */
  nameOf(index: number): Uint8Array | null;
  contentSha256: string;
  files: TaxonomyFile[];
  rejectedLines: number;
  jobId: string;
}

/** Reads the current taxonomy, if one was loaded. */
export async function currentTaxonomy(db: Queryable): Promise<TaxonomyRow | undefined> {
  return db.selectFrom('taxonomy').selectAll().executeTakeFirst();
}

const rowsPerCopy = 100_000;

/**
 * Replaces the previous taxonomy. Readers see the old one until the commit, then the new one. `onRows` is
 * called with the number of taxa written so far, and may throw to give up.
 */
export async function replaceTaxonomy(
  trx: Transaction,
  fresh: NewTaxonomy,
  onRows: (written: number) => Promise<void>,
): Promise<TaxonomyRow> {
  for (const table of ['taxonomy', 'taxon', 'taxon_merged'] as const) await trx.deleteFrom(table).execute();
  const { size, arrays } = fresh.taxonomy;
  for (let from = 0; from < size; from += rowsPerCopy) {
    const to = Math.min(size, from + rowsPerCopy);
    await copyBinaryRows(trx, 'taxon', ['id', 'parent_id', 'rank', 'name'], taxonRows(fresh, from, to));
    await onRows(to);
  }
  const merged = new BinaryRows(2);
  arrays.mergedIds.forEach((oldId, at) => {
    merged.row();
    merged.int4(oldId);
    merged.int4(arrays.ids[arrays.mergedInto[at]]);
  });
  await copyBinaryRows(trx, 'taxon_merged', ['old_id', 'new_id'], merged);
  await sql`analyze taxon, taxon_merged`.execute(trx);
  return trx
    .insertInto('taxonomy')
    .values({
      content_sha256: fresh.contentSha256,
      files: JSON.stringify(fresh.files),
      taxon_count: size,
      merged_count: arrays.mergedIds.length,
      rejected_lines: fresh.rejectedLines,
      job_id: fresh.jobId,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

function taxonRows({ taxonomy, nameOf }: NewTaxonomy, from: number, to: number): BinaryRows {
  const { ids, parent } = taxonomy.arrays;
  const rows = new BinaryRows(4);
  for (let index = from; index < to; index++) {
    const name = nameOf(index);
    rows.row();
    rows.int4(ids[index]);
    rows.int4(ids[parent[index]]);
    rows.text(taxonomy.rankOf(index));
    // The binary form of a text is its bytes.
    if (name === null) rows.null();
    else rows.bytea(name);
  }
  return rows;
}

/**
 * Reads the part of the current taxonomy that the lineages of these taxa span, former ids included, with the
 * identity of this taxonomy; null if none is loaded. Unknown ids are left out. All rows come from one moment,
 * whatever is loaded meanwhile.
 */
export async function lineagesOf(
  db: Database,
  taxonIds: readonly number[],
): Promise<{ current: TaxonomyRow; taxonomy: Taxonomy } | null> {
  return inTransaction(db, async (trx) => {
    await sql`set transaction isolation level repeatable read, read only`.execute(trx);
    const current = await currentTaxonomy(trx);
    if (current === undefined) return null;
    const merged = await trx
      .selectFrom('taxon_merged')
      .selectAll()
      .where('old_id', '=', sql<number>`any(${taxonIds}::int[])`)
      .execute();
    const start = [...taxonIds, ...merged.map((row) => row.new_id)];
    const { rows } = await sql<{ id: number; parent_id: number; rank: string }>`
      with recursive lineage (id, parent_id, rank) as (
        select id, parent_id, rank from taxon where id = any(${start}::int[])
        union
        select t.id, t.parent_id, t.rank from lineage l join taxon t on t.id = l.parent_id)
      select id, parent_id, rank from lineage order by id`.execute(trx);
    const builder = new TaxonomyBuilder();
    for (const { id, parent_id, rank } of rows) builder.addNode({ id, parentId: parent_id, rank, line: 0 });
    for (const { old_id, new_id } of merged) builder.addMerged({ oldId: old_id, newId: new_id, line: 0 });
    // A set without a single known taxon has no lineage, so the root represents an empty tree.
    if (rows.length === 0) builder.addNode({ id: 1, parentId: 1, rank: 'no rank', line: 0 });
    return { current, taxonomy: builder.finish().taxonomy };
  });
}

/** Inserts the row of the taxa that the database already has. */
export async function insertTaxonomyRow(
  trx: Transaction,
  row: Insertable<Tables['taxonomy']>,
): Promise<void> {
  await trx.insertInto('taxonomy').values(row).execute();
}

/**
 * Finds the taxon with this scientific name, in any case; undefined if the taxonomy has none. The query reads
 * the whole table.
 */
export async function taxonByName(db: Queryable, name: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from taxon where lower(name) = lower(${name}) order by id limit 1`.execute(db);
  return rows[0]?.id;
}

/**
 * Finds taxa of an abbreviated scientific name such as E. coli, in any case, at most `limit`. The query reads
 * the whole table.
 */
export async function taxaByShortName(
  db: Queryable,
  { initial, rest }: { initial: string; rest: string },
  limit: number,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from taxon
    where lower(left(name, 1)) = lower(${initial}) and lower(substr(name, strpos(name, ' ') + 1)) = lower(${rest})
      and strpos(name, ' ') > 0
    order by name limit ${limit}`.execute(db);
  return rows;
}

/** Gives the scientific name of a taxon; null if the taxonomy lacks it. */
export async function nameOfTaxon(db: Queryable, taxonId: number): Promise<string | null> {
  const { rows } = await sql<{ name: string | null }>`
    select t.name from taxon t
    where t.id = coalesce((select new_id from taxon_merged where old_id = ${taxonId}), ${taxonId})`.execute(
    db,
  );
  return rows[0]?.name ?? null;
}
