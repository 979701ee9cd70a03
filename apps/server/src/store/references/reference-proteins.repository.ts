import { sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';

/** Removes the proteins that an earlier attempt listed. */
export async function clearReferenceProteins(db: Queryable, number: number): Promise<void> {
  await db.deleteFrom('reference_protein').where('reference_number', '=', number).execute();
}

/** A protein of a reference has its fields from the catalogue, and the sequence from the file. */
export interface ListedProtein {
  accession: string;
  sequenceId: number;
}

/** Adds proteins that the catalogue has; one that is listed already gets this sequence. */
export async function addReferenceProteins(
  trx: Transaction,
  number: number,
  proteins: readonly ListedProtein[],
): Promise<void> {
  const accessions = proteins.map(({ accession }) => accession);
  const sequences = proteins.map(({ sequenceId }) => sequenceId);
  // The commit need not wait for the disk, because the later commit of the job's success does.
  await trx.client.query('set local synchronous_commit = off');
  await sql`
    insert into reference_protein (reference_number, protein_id, sequence_id, taxonomy_id)
    select ${number}::int, p.id, i.sequence_id, p.taxonomy_id
    from unnest(${accessions}::text[], ${sequences}::bigint[]) as i (accession, sequence_id)
    join protein p on p.accession = i.accession order by p.id
    on conflict (reference_number, protein_id) do update
      set sequence_id = excluded.sequence_id, taxonomy_id = excluded.taxonomy_id`.execute(trx);
}

export async function countReferenceProteins(
  db: Queryable,
  number: number,
): Promise<{ proteins: number; sequences: number }> {
  const { rows } = await sql<{ proteins: number; sequences: number }>`
    select count(*) as proteins, count(distinct sequence_id) as sequences
    from reference_protein where reference_number = ${number}`.execute(db);
  return rows[0];
}

/** Reads the reference's canonical proteins in pages, because annotations name no isoforms. */
export async function* referenceAccessionPages(
  db: Queryable,
  number: number,
  pageSize = 50_000,
): AsyncGenerator<{ id: number; accession: string }[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number; accession: string }>`
      select p.id, p.accession from reference_protein m join protein p on p.id = m.protein_id
      where m.reference_number = ${number} and m.protein_id > ${after} and p.isoform_index is null
      order by m.protein_id limit ${pageSize}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = rows[rows.length - 1].id;
  }
}

/** Counts the vectors of its sequences in a configuration. */
export async function countReferenceVectors(
  db: Queryable,
  number: number,
  embeddingConfigId: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from sequence_embedding e
    where e.embedding_config_number = (select number from embedding_config where id = ${embeddingConfigId})
      and e.sequence_id in (select sequence_id from reference_protein where reference_number = ${number})`.execute(
    db,
  );
  return rows[0].count;
}

/**
 * Computes the content hash as version 0.2.0 made it, because its packs can be installed. The SHA-256
 * (hexadecimal) covers, protein by protein in the order of accessions, the MD5 of the sequence, its taxon,
 * and a digest of the protein's annotation rows. It depends on no id of the database and on no order of
 * loading. The server joins about 120 bytes per protein in memory.
 */
export async function referenceProteinsSha256(
  db: Queryable,
  number: number,
  setNumber: number,
): Promise<string> {
  const { rows } = await sql<{ digest: string }>`
    select encode(sha256(convert_to(coalesce(string_agg(
      concat_ws(E'\t', p.accession, s.sequence_md5, coalesce(m.taxonomy_id::text, ''), coalesce(a.digest, '')),
      E'\n' order by p.accession collate "C"), ''), 'UTF8')), 'hex') as digest
    from reference_protein m join protein p on p.id = m.protein_id join sequence s on s.id = m.sequence_id
    left join lateral (
      select encode(sha256(convert_to(string_agg(
          concat_ws(E'\t', t.go_id, coalesce(g.qualifier, ''), g.evidence_code, coalesce(g.assigned_by, ''),
            coalesce(g.db_reference, ''), coalesce(g.with_from, ''), coalesce(g.annotation_date, '')),
          E'\n' order by t.go_id collate "C", g.evidence_code collate "C", g.qualifier collate "C",
            g.assigned_by collate "C", g.db_reference collate "C", g.with_from collate "C", g.annotation_date collate "C"),
        'UTF8')), 'hex') as digest
      from protein_go_annotation g join go_term t on t.id = g.go_term_id
      where g.annotation_set_number = ${setNumber} and g.protein_id = m.protein_id) a on true
    where m.reference_number = ${number}`.execute(db);
  return rows[0].digest;
}
