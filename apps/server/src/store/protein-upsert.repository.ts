import type { ProteinRecord } from '@kindred/contracts';
import { BinaryRows, copyBinaryRows } from './binary-copy.js';
import type { Transaction } from './db.js';
import { storeSequences } from './sequences.repository.js';

export interface StoredProteins {
  proteins_inserted: number;
  proteins_updated: number;
  proteins_unchanged: number;
  /** Among the updated: those whose sequence is another one now. */
  sequences_changed: number;
  sequences_inserted: number;
  sequences_reused: number;
}

const columns = [
  'accession',
  'canonical_accession',
  'isoform_index',
  'entry_name',
  'reviewed',
  'protein_name',
  'gene_name',
  'organism',
  'taxonomy_id',
  'length',
  'sequence_id',
] as const;
/** A later file that says nothing of these leaves what is known. */
const keptWhenNull = [
  'entry_name',
  'reviewed',
  'protein_name',
  'gene_name',
  'organism',
  'taxonomy_id',
] as const;

/** Stores a batch of proteins and their sequences; running it twice changes nothing. Accessions must be distinct. */
export async function upsertProteins(
  trx: Transaction,
  proteins: readonly ProteinRecord[],
): Promise<StoredProteins> {
  // The commit of the job's success comes after all batches and waits for the disk, so they need not.
  await trx.client.query('set local synchronous_commit = off');
  const sequences = await storeSequences(
    trx,
    proteins.map((protein) => protein.sequence),
  );
  await copyIncoming(trx, proteins, sequences.ids);
  const upserted = await trx.client.query<{ inserted: number; updated: number; changed: number }>(
    upsertStatement,
  );
  const { inserted, updated, changed } = upserted.rows[0];
  return {
    proteins_inserted: inserted,
    proteins_updated: updated,
    proteins_unchanged: proteins.length - inserted - updated,
    sequences_changed: changed,
    sequences_inserted: sequences.inserted,
    sequences_reused: sequences.reused,
  };
}

async function copyIncoming(
  trx: Transaction,
  proteins: readonly ProteinRecord[],
  sequenceIds: readonly number[],
): Promise<void> {
  await trx.client.query(`
    create temporary table if not exists incoming_protein (
      accession text, canonical_accession text, isoform_index integer, entry_name text, reviewed boolean, protein_name text,
      gene_name text, organism text, taxonomy_id integer, length integer, sequence_id bigint) on commit delete rows;
    truncate incoming_protein`);
  const rows = new BinaryRows(columns.length);
  proteins.forEach((protein, i) => {
    rows.row();
    rows.text(protein.accession);
    rows.text(protein.canonicalAccession);
    if (protein.isoformIndex === null) rows.null();
    else rows.int4(protein.isoformIndex);
    rows.text(protein.entryName);
    if (protein.reviewed === null) rows.null();
    else rows.boolean(protein.reviewed);
    rows.text(protein.proteinName);
    rows.text(protein.geneName);
    rows.text(protein.organism);
    if (protein.taxonId === null) rows.null();
    else rows.int4(protein.taxonId);
    rows.int4(protein.sequence.length);
    rows.int8(sequenceIds[i]);
  });
  await copyBinaryRows(trx, 'incoming_protein', columns, rows);
}

const newValue = (column: string) =>
  (keptWhenNull as readonly string[]).includes(column)
    ? `coalesce(excluded.${column}, p.${column})`
    : `excluded.${column}`;
const updatedColumns = columns.filter((column) => column !== 'accession');

// Both parts of the statement see the rows as they were before it. A row that would stay as it is is not written. xmax is 0 for a row that this statement inserted.
const upsertStatement = `
  with changed as (
    select count(*) as n from incoming_protein i join protein p on p.accession = i.accession where p.sequence_id <> i.sequence_id),
  stored as (
    insert into protein as p (${columns.join(', ')})
    select ${columns.join(', ')} from incoming_protein order by accession
    on conflict (accession) do update
    set ${updatedColumns.map((column) => `${column} = ${newValue(column)}`).join(', ')}, updated_at = clock_timestamp()
    where (${updatedColumns.map((column) => `p.${column}`).join(', ')})
      is distinct from (${updatedColumns.map(newValue).join(', ')})
    returning (p.xmax = 0) as inserted)
  select count(*) filter (where inserted) as inserted, count(*) filter (where not inserted) as updated, (select n from changed) as changed from stored`;
