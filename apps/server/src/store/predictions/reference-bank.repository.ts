import type { Aspect } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { proteinsOfSet } from '../references/reference-proteins.repository.js';

/** Part of the bank's key: changes whenever its vectors or annotations change. */
export interface BankFingerprint {
  vectors: number;
  newest: string | null;
  checksum: string;
}

export async function bankFingerprint(
  db: Queryable,
  configNumber: number,
  setNumber: number,
): Promise<BankFingerprint> {
  const { rows } = await sql<BankFingerprint>`
    select count(*)::int as vectors, max(e.created_at)::text as newest, coalesce(sum(e.sequence_id * (e.chunk_index_s + 1)), 0)::text as checksum
    from sequence_embedding e
    where e.embedding_config_number = ${configNumber} and e.sequence_id in (
      select p.sequence_id from ${proteinsOfSet(setNumber)} p where p.id in (
        select distinct a.protein_id from protein_go_annotation a where a.annotation_set_number = ${setNumber}))`.execute(
    db,
  );
  return rows[0];
}

export interface DonorRow {
  id: number;
  accession: string;
  sequence_id: number;
  taxonomy_id: number | null;
}

/** Proteins that have a transferable annotation in the set and a vector in the configuration, by accession (bytes). */
export async function bankDonors(
  db: Queryable,
  configNumber: number,
  setNumber: number,
): Promise<DonorRow[]> {
  const { rows } = await sql<DonorRow>`
    select p.id, p.accession, p.sequence_id, p.taxonomy_id from ${proteinsOfSet(setNumber)} p
    where p.id in (select a.protein_id from protein_go_annotation a join go_term t on t.id = a.go_term_id
                   where a.annotation_set_number = ${setNumber} and ${transferable})
      and exists (select from sequence_embedding e where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id)
    order by p.accession collate "C"`.execute(db);
  return rows;
}

/**
 * Rows that a donor may give: not denied by a curator (NOT), not obsolete, and not ND, which states that nothing is known.
 */
export const transferable = sql`(a.qualifier is null or a.qualifier not like '%NOT%') and a.evidence_code <> 'ND' and not t.is_obsolete`;

/** The method of a row `a` that the evidence groups of electronic annotations depend on. */
const method = sql`case when a.evidence_code = 'IEA' and a.db_reference like 'GO\\_REF:%' then split_part(a.db_reference, '|', 1) end`;

export interface DonatedTermRow {
  protein_id: number;
  go_term_id: number;
  evidence_code: string;
  qualifier: string | null;
  assigned_by: string | null;
  /** The method of an electronic annotation, such as `GO_REF:0000002`; null where the source does not name it. */
  method: string | null;
}

/** Transferable rows of the proteins with ids `fromId` to `toId` (exclusive), by protein, term, evidence, qualifier, source. */
export async function donatedTerms(
  db: Queryable,
  setNumber: number,
  fromId: number,
  toId: number,
): Promise<DonatedTermRow[]> {
  const { rows } = await sql<DonatedTermRow>`
    select distinct a.protein_id, a.go_term_id, a.evidence_code, a.qualifier, a.assigned_by, ${method} as method
    from protein_go_annotation a join go_term t on t.id = a.go_term_id
    where a.annotation_set_number = ${setNumber} and a.protein_id >= ${fromId} and a.protein_id < ${toId} and ${transferable}
    order by a.protein_id, a.go_term_id, a.evidence_code, a.qualifier nulls first, a.assigned_by, method`.execute(
    db,
  );
  return rows;
}

export interface NegatedTermRow
  extends Pick<DonatedTermRow, 'go_term_id' | 'evidence_code' | 'assigned_by' | 'method'> {
  accession: string;
}

/** Live terms that a curator denied to these proteins (NOT). */
export async function negatedTerms(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<NegatedTermRow[]> {
  const { rows } = await sql<NegatedTermRow>`
    select distinct p.accession, a.go_term_id, a.evidence_code, a.assigned_by, ${method} as method
    from protein p join protein_go_annotation a on a.protein_id = p.id and a.annotation_set_number = ${setNumber}
    where p.accession = any(${accessions}::text[]) and a.qualifier like '%NOT%'`.execute(db);
  return rows;
}

export interface BankTermRow {
  id: number;
  go_id: string;
  aspect: Aspect;
}

/** Live terms of the snapshot, by GO id. */
export async function bankTerms(db: Queryable, snapshotId: string): Promise<BankTermRow[]> {
  return db
    .selectFrom('go_term')
    .select(['id', 'go_id', 'aspect'])
    .where('ontology_snapshot_id', '=', snapshotId)
    .where('is_obsolete', '=', false)
    .orderBy(sql`go_id collate "C"`)
    .execute() as Promise<BankTermRow[]>;
}

export interface VectorRow {
  sequence_id: number;
  embedding: Buffer;
}

/** Vectors of the given sequences, by sequence id and chunk. */
export async function vectorsOf(
  db: Queryable,
  configNumber: number,
  sequenceIds: number[],
): Promise<VectorRow[]> {
  return db
    .selectFrom('sequence_embedding')
    .select(['sequence_id', 'embedding'])
    .where('embedding_config_number', '=', configNumber)
    .where('sequence_id', '=', sql<number>`any(${sequenceIds}::bigint[])`)
    .orderBy('sequence_id')
    .orderBy('chunk_index_s')
    .execute();
}

/** How many vectors (chunks) each of the given sequences has. */
export async function vectorCountsOf(
  db: Queryable,
  configNumber: number,
  sequenceIds: number[],
): Promise<{ sequence_id: number; count: number }[]> {
  return db
    .selectFrom('sequence_embedding')
    .select(['sequence_id', sql<number>`count(*)::int`.as('count')])
    .where('embedding_config_number', '=', configNumber)
    .where('sequence_id', '=', sql<number>`any(${sequenceIds}::bigint[])`)
    .groupBy('sequence_id')
    .execute();
}
