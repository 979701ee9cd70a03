import { type Insertable, type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type InterproMappingRow = Selectable<Tables['interpro_mapping']>;
export interface MappedPair {
  interpro_accession: string;
  go_id: string;
}

/** Finds the mapping of that version, or the one loaded last. */
export async function findInterproMapping(
  db: Queryable,
  sourceVersion: string | null,
): Promise<InterproMappingRow | undefined> {
  return db
    .selectFrom('interpro_mapping')
    .selectAll()
    .$if(sourceVersion !== null, (query) => query.where('source_version', '=', sourceVersion as string))
    .orderBy('loaded_at', 'desc')
    .orderBy('source_version')
    .limit(1)
    .executeTakeFirst();
}

export type NewInterproMapping = Omit<
  InterproMappingRow,
  'loaded_at' | 'header' | 'pair_count' | 'entry_count'
> & {
  header: Record<string, string>;
};

/** Stores a whole mapping. Pairs must be distinct. */
export async function insertInterproMapping(
  trx: Transaction,
  mapping: NewInterproMapping,
  pairs: readonly MappedPair[],
): Promise<void> {
  const entries = new Set(pairs.map((pair) => pair.interpro_accession));
  await trx
    .insertInto('interpro_mapping')
    .values({
      ...mapping,
      header: JSON.stringify(mapping.header),
      pair_count: pairs.length,
      entry_count: entries.size,
    })
    .execute();
  await sql`
    insert into interpro_go_mapping (source_version, interpro_accession, go_id)
    select ${mapping.source_version}, entry, term
    from unnest(${pairs.map((pair) => pair.interpro_accession)}::text[], ${pairs.map((pair) => pair.go_id)}::text[]) as pair (entry, term)`.execute(
    trx,
  );
}

/** Reads all pairs of a mapping, some ten thousand. */
export async function mappedPairs(db: Queryable, sourceVersion: string): Promise<MappedPair[]> {
  return db
    .selectFrom('interpro_go_mapping')
    .select(['interpro_accession', 'go_id'])
    .where('source_version', '=', sourceVersion)
    .orderBy('interpro_accession')
    .orderBy('go_id')
    .execute();
}

/** Inserts the row of a mapping without its pairs; false if this version exists already. */
export async function insertMappingRow(
  trx: Transaction,
  row: Insertable<Tables['interpro_mapping']>,
): Promise<boolean> {
  const inserted = await trx
    .insertInto('interpro_mapping')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('source_version')
    .executeTakeFirst();
  return inserted !== undefined;
}
