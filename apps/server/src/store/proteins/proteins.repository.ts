import { type RawBuilder, type Selectable, sql } from 'kysely';
import { anywhere } from '../postgres/cursor.js';
import { prepared, type Queryable } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';
import { foundBy, unindexedAbove } from './protein-search.repository.js';
import { sequenceMd5 } from './sequences.repository.js';

export type ProteinRow = Selectable<Tables['protein']>;
export type ProteinMetadata = Omit<
  Selectable<Tables['protein_metadata']>,
  'canonical_accession' | 'created_at' | 'updated_at'
>;

export interface ProteinStats {
  total: number;
  canonical: number;
  reviewed: number;
  /** Distinct organism names are counted; proteins without one don't count. */
  organisms: number;
}

/** Counts by index-only scans; organisms are counted by skipping from name to name in their index. */
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
  /** The accessions may be in any case. */
  accessions?: string[];
  /** The text is part of the name, in any case. */
  organism?: string;
  taxonomyId?: number;
  /** If true, taxa below `taxonomyId` are included. */
  descendants?: boolean;
  reviewed?: boolean;
  /** The text has beginnings of words, or a secondary accession: see `foundBy`. */
  search?: string;
}

export interface ProteinPage {
  total: number;
  /** If false, the list has more than `total`. */
  totalIsExact: boolean;
  items: ProteinRow[];
}

/** Counting the results of a search stops here, because a word such as "protein" is in most names. */
const countedHits = 10_000;

/**
 * Lists proteins by accession. Each filter has its index; `total` is counted on the same index.
 *
 * @param countAll returns the number of all proteins. It is used only without a filter, because counting
 * takes longer than reading a page.
 * @default `countProteins`
 */
export async function listProteins(
  db: Queryable,
  filter: ProteinFilter,
  page: { offset: number; limit: number },
  countAll: () => Promise<number> = () => countProteins(db),
): Promise<ProteinPage> {
  if (Object.values(filter).every((value) => value === undefined)) {
    const [total, items] = await Promise.all([countAll(), proteinsFrom(db, page.limit, page.offset)]);
    return { total, totalIsExact: true, items };
  }
  const chosen = db.selectFrom('protein').where(await matches(db, filter));
  const counted = chosen
    .select('id')
    .$if(filter.search !== undefined, (query) => query.limit(countedHits + 1));
  const { found } = await db
    .selectFrom(counted.as('counted'))
    .select(sql<number>`count(*)`.as('found'))
    .executeTakeFirstOrThrow();
  const items = await chosen.selectAll().orderBy('accession').offset(page.offset).limit(page.limit).execute();
  const totalIsExact = filter.search === undefined || found <= countedHits;
  return { total: totalIsExact ? found : countedHits, totalIsExact, items };
}

const proteinsFrom = prepared((db, limit: number, offset: number) =>
  db.selectFrom('protein').selectAll().orderBy('accession').limit(limit).offset(offset).compile(),
);

/** Counts by an index of all proteins: 516,371 take tens of milliseconds. */
export async function countProteins(db: Queryable): Promise<number> {
  const [{ total }] = await proteinCount(db);
  return total;
}

const proteinCount = prepared((db) =>
  sql<{ total: number }>`select count(*) as total from protein`.compile(db),
);

/** Reads all proteins with their sequences, in pages by accession. */
export async function* proteinPages(
  db: Queryable,
  filter: ProteinFilter,
  pageSize = 1000,
): AsyncGenerator<(ProteinRow & { sequence: string })[]> {
  const chosen = await matches(db, filter);
  for (let after: string | null = null; ; ) {
    const page: (ProteinRow & { sequence: string })[] = await db
      .selectFrom('protein')
      .innerJoin('sequence', 'sequence.id', 'protein.sequence_id')
      .selectAll('protein')
      .select('sequence.sequence')
      .where(chosen)
      .$if(after !== null, (query) => query.where('accession', '>', after))
      .orderBy('accession')
      .limit(pageSize)
      .execute();
    yield page;
    if (page.length < pageSize) return;
    after = page[page.length - 1].accession;
  }
}

async function matches(
  db: Queryable,
  { accessions, organism, taxonomyId, descendants, reviewed, search }: ProteinFilter,
) {
  const conditions = [
    ...(accessions === undefined ? [] : [accessionIn(accessions)]),
    ...(organism === undefined ? [] : [sql<boolean>`organism = any(array(${organismsLike(organism)}))`]),
    ...(taxonomyId === undefined ? [] : [taxonIs(taxonomyId, descendants === true)]),
    ...(reviewed === undefined ? [] : [sql<boolean>`reviewed = ${reviewed}`]),
    ...(search === undefined ? [] : [foundBy(search, await unindexedAbove(db))]),
  ];
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/**
 * Accessions are upper case, except those from a user's own FASTA file. A secondary accession finds the
 * entries that have it now, unless a protein of that accession still exists.
 */
function accessionIn(accessions: readonly string[]) {
  const spellings = [...new Set(accessions.flatMap((accession) => [accession, accession.toUpperCase()]))];
  return accessionIs(sql`accession`, sql`${spellings}::text[]`);
}

function accessionIs(column: RawBuilder<unknown>, spellings: RawBuilder<unknown>) {
  return sql<boolean>`${column} = any(${spellings} || array(
    select s.accession from secondary_accession s where s.secondary = any(${spellings})
      and not exists (select from protein o where o.accession = s.secondary)))`;
}

/** Skips through the index for the few distinct names, and then compares those. */
function organismsLike(text: string) {
  return sql`with recursive name as (
      (select organism from protein where organism is not null order by organism limit 1)
      union all
      select (select p.organism from protein p where p.organism > name.organism order by p.organism limit 1)
      from name where name.organism is not null)
    select organism from name where organism ilike ${anywhere(text)}`;
}

/** Goes upward from the taxa of proteins, because these are fewer than the taxa below a high one. */
function taxonIs(taxonId: number, descendants: boolean) {
  if (!descendants) return sql<boolean>`taxonomy_id = ${taxonId}`;
  return sql<boolean>`taxonomy_id = any(array(
    with recursive own as (
      (select taxonomy_id as id from protein where taxonomy_id is not null order by taxonomy_id limit 1)
      union all
      select (select p.taxonomy_id from protein p where p.taxonomy_id > own.id order by p.taxonomy_id limit 1)
      from own where own.id is not null),
    lineage as (
      select own.id as start, coalesce(m.new_id, own.id) as id
      from own left join taxon_merged m on m.old_id = own.id where own.id is not null
      union
      select l.start, t.parent_id from lineage l join taxon t on t.id = l.id)
    select start from lineage
    where id = coalesce((select new_id from taxon_merged where old_id = ${taxonId}), ${taxonId})))`;
}

export interface ProteinDetail extends ProteinRow {
  sequence: string;
  sequence_md5: string;
  /** The functional description is shared by the isoforms of one canonical accession. */
  metadata: ProteinMetadata | null;
  /** The other accessions of the same canonical accession are listed, at most 200. */
  isoforms: string[];
  /**
   * UniProt merged the entries with these accessions into this one, or split it from them; at most 500 are
   * listed.
   */
  secondary_accessions: string[];
  /**
   * The newest references, at most 200, give the protein these sequences; that of the oldest reference comes
   * first.
   */
  reference_sequences: ReferenceSequence[];
}

/** Complete references give a protein this sequence. */
export interface ReferenceSequence {
  sequence: string;
  sequence_md5: string;
  length: number;
  references: { id: string; name: string; version: string }[];
}

export async function findProtein(db: Queryable, accession: string): Promise<ProteinDetail | undefined> {
  const [row] = await proteinOf(db, accession, accession.toUpperCase());
  return row;
}

/**
 * The requested spelling comes first. The array has a known length, so that PostgreSQL sees that one plan
 * fits all values.
 */
const proteinOf = prepared((db, accession: string, upperCase: string) =>
  sql<ProteinDetail>`
    select p.*, s.sequence, s.sequence_md5,
      (select to_jsonb(m) - array['canonical_accession', 'created_at', 'updated_at'] from protein_metadata m
       where m.canonical_accession = p.canonical_accession) as metadata,
      array(select f.accession from protein f
        where f.canonical_accession = p.canonical_accession and f.accession <> p.accession
        order by f.isoform_index nulls first limit 200) as isoforms,
      array(select a.secondary from secondary_accession a where a.accession = p.accession
        order by a.secondary limit 500) as secondary_accessions,
      (select coalesce(jsonb_agg(jsonb_build_object('sequence', t.sequence, 'sequence_md5', t.sequence_md5, 'length', t.length,
          'references', given.refs) order by given.first), '[]')
        from (select r.sequence_id, min(r.number) as first, jsonb_agg(r.mark order by r.number) as refs
          from (select m.sequence_id, f.number, jsonb_build_object('id', f.id, 'name', f.name, 'version', f.version) as mark
            from reference_protein m join reference f on f.number = m.reference_number and f.status = 'complete'
            where m.protein_id = p.id order by f.number desc limit 200) r
          group by r.sequence_id) given
        join sequence t on t.id = given.sequence_id) as reference_sequences
    from (select ${accession}::text as accession, ${upperCase}::text as upper_case) asked
    join protein p on ${accessionIs(sql`p.accession`, sql`array[asked.accession, asked.upper_case]`)}
    join sequence s on s.id = p.sequence_id
    order by p.accession <> asked.accession, p.accession limit 1`.compile(db),
);

export interface AccessionRow {
  id: number;
  accession: string;
}

/** Reads ids and accessions in pages, by ascending id; `canonical` leaves isoforms out. */
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

/**
 * Gives names, else genes, else accessions of proteins of the catalogue with exactly these sequences; a
 * protein with a name comes first.
 */
export async function namesOfSequences(
  db: Queryable,
  sequences: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sequenceOf = new Map(sequences.map((sequence) => [sequenceMd5(sequence), sequence]));
  const { rows } = await sql<{ md5: string; name: string }>`
    select distinct on (s.sequence_md5) s.sequence_md5 as md5, coalesce(p.protein_name, p.gene_name, p.accession) as name
    from sequence s join protein p on p.sequence_id = s.id
    where s.sequence_md5 = any(${[...sequenceOf.keys()]}::char(32)[])
    order by s.sequence_md5, p.protein_name is null, p.gene_name is null, p.accession collate "C"`.execute(
    db,
  );
  return new Map(rows.map(({ md5, name }) => [sequenceOf.get(md5) as string, name]));
}
