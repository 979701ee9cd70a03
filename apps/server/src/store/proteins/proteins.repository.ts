import { type Selectable, sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

export type ProteinRow = Selectable<Tables['protein']>;
export type ProteinMetadataRow = Selectable<Tables['protein_metadata']>;

export interface ProteinStats {
  total: number;
  canonical: number;
  reviewed: number;
  /** Distinct organism names; proteins without one don't count. */
  organisms: number;
}

/** Index-only scans; organisms are counted by leaping from name to name in their index. */
export async function proteinStats(db: Queryable): Promise<ProteinStats> {
  const { rows } = await sql<ProteinStats>`
    with recursive name as (
      (select organism from protein where organism is not null order by organism limit 1)
      union all
      select (select p.organism from protein p where p.organism > name.organism order by p.organism limit 1)
      from name where name.organism is not null)
    select (select count(*) from protein) as total,
           (select count(*) from protein where isoform_index is null) as canonical,
           (select count(*) from protein where reviewed) as reviewed,
           (select count(*) from name where organism is not null) as organisms`.execute(db);
  return rows[0];
}

export interface ProteinFilter {
  /** The whole name, as UniProt writes it. */
  organism?: string;
  taxonomyId?: number;
  reviewed?: boolean;
  /** Part of accession, entry name, gene, protein name or organism, any case. Reads every row that the other filters leave. */
  search?: string;
}

export interface ProteinPage {
  total: number;
  items: ProteinRow[];
}

/** By accession. Each filter has its index; `total` is counted on the same index. */
export async function listProteins(
  db: Queryable,
  filter: ProteinFilter,
  page: { offset: number; limit: number },
): Promise<ProteinPage> {
  const { organism, taxonomyId, reviewed, search } = filter;
  const chosen = db
    .selectFrom('protein')
    .$if(organism !== undefined, (query) => query.where('organism', '=', organism as string))
    .$if(taxonomyId !== undefined, (query) => query.where('taxonomy_id', '=', taxonomyId as number))
    .$if(reviewed !== undefined, (query) => query.where('reviewed', '=', reviewed as boolean))
    .$if(search !== undefined, (query) => query.where(nameContains(search as string)));
  const { total } = await chosen.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const items = await chosen.selectAll().orderBy('accession').offset(page.offset).limit(page.limit).execute();
  return { total, items };
}

function nameContains(text: string) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`(accession ilike ${pattern} or entry_name ilike ${pattern} or gene_name ilike ${pattern}
    or protein_name ilike ${pattern} or organism ilike ${pattern})`;
}

export interface ProteinDetail extends ProteinRow {
  sequence: string;
  sequence_md5: string;
  /** Functional description, shared by the isoforms of one canonical accession. */
  metadata: ProteinMetadataRow | null;
  /** Other accessions of the same canonical accession, at most 200. */
  isoforms: string[];
}

export async function findProtein(db: Queryable, accession: string): Promise<ProteinDetail | undefined> {
  const protein = await db
    .selectFrom('protein')
    .innerJoin('sequence', 'sequence.id', 'protein.sequence_id')
    .selectAll('protein')
    .select(['sequence.sequence', 'sequence.sequence_md5'])
    .where('accession', '=', accession)
    .executeTakeFirst();
  if (protein === undefined) return undefined;
  const metadata = await db
    .selectFrom('protein_metadata')
    .selectAll()
    .where('canonical_accession', '=', protein.canonical_accession)
    .executeTakeFirst();
  const family = await db
    .selectFrom('protein')
    .select('accession')
    .where('canonical_accession', '=', protein.canonical_accession)
    .where('accession', '<>', accession)
    .orderBy('isoform_index', (order) => order.asc().nullsFirst())
    .limit(200)
    .execute();
  return { ...protein, metadata: metadata ?? null, isoforms: family.map((row) => row.accession) };
}

export interface AccessionRow {
  id: number;
  accession: string;
}

/** Ids by accession, in pages, oldest first: canonical ones alone or all. */
export async function* accessionPages(
  db: Queryable,
  which: 'canonical' | 'all',
  pageSize = 50_000,
): AsyncGenerator<AccessionRow[]> {
  for (let after = 0; ; ) {
    const page = await db
      .selectFrom('protein')
      .select(['id', 'accession'])
      .where('id', '>', after)
      .$if(which === 'canonical', (query) => query.where('isoform_index', 'is', null))
      .orderBy('id')
      .limit(pageSize)
      .execute();
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page[page.length - 1].id;
  }
}

export async function countAccessions(db: Queryable, which: 'canonical' | 'all'): Promise<number> {
  const { n } = await db
    .selectFrom('protein')
    .select(sql<number>`count(*)`.as('n'))
    .$if(which === 'canonical', (query) => query.where('isoform_index', 'is', null))
    .executeTakeFirstOrThrow();
  return n;
}
