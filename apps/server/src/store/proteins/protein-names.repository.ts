import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';
import { sequenceMd5 } from './sequences.repository.js';

/** Names, else genes, else accessions of proteins of the catalogue with exactly these sequences; a named one comes first. */
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
