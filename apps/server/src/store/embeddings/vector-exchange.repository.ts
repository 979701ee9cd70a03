import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** The sequence of such a protein has one whole vector. */
export interface VectorOwner {
  accession: string;
  sequence_id: number;
  sequence_md5: string;
}

/**
 * Lists proteins with a vector of the configuration, by accession, at most `limit`. Chunks are not whole
 * vectors and are left out.
 */
export async function vectorOwners(
  db: Queryable,
  configNumber: number,
  limit: number,
): Promise<VectorOwner[]> {
  const { rows } = await sql<VectorOwner>`
    select p.accession, p.sequence_id, s.sequence_md5 from protein p join sequence s on s.id = p.sequence_id
    where exists (select from sequence_embedding e
      where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id and e.chunk_index_e is null)
    order by p.accession collate "C" limit ${limit}`.execute(db);
  return rows;
}

/** Reads the vectors (float16 bits) of the sequences. */
export async function wholeVectors(
  db: Queryable,
  configNumber: number,
  sequenceIds: readonly number[],
): Promise<Map<number, Buffer>> {
  const { rows } = await sql<{ sequence_id: number; embedding: Buffer }>`
    select sequence_id, embedding from sequence_embedding
    where embedding_config_number = ${configNumber} and sequence_id = any(${sequenceIds}::bigint[]) and chunk_index_e is null`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.sequence_id, row.embedding]));
}

/** Counts the proteins without a vector of the configuration, and lists the first ones. */
export async function proteinsWithoutVector(
  db: Queryable,
  configNumber: number,
  examples: number,
): Promise<{ count: number; examples: string[] }> {
  const without = sql`not exists (select from sequence_embedding e
    where e.embedding_config_number = ${configNumber} and e.sequence_id = p.sequence_id)`;
  const counted = await sql<{ n: number }>`select count(*) as n from protein p where ${without}`.execute(db);
  const { rows } = await sql<{ accession: string }>`
    select p.accession from protein p where ${without} order by p.accession limit ${examples}`.execute(db);
  return { count: counted.rows[0].n, examples: rows.map((row) => row.accession) };
}
