import type { ProteinRecord } from '@kindred/contracts';
import { sql } from 'kysely';
import { copyRowsWhileWriting } from '../postgres/binary-copy.js';
import type { Transaction } from '../postgres/connection.js';
import { insertUnlessConflict } from './insert-unless-conflict.js';
import { announceNames, refreshSearch } from './protein-search.repository.js';
import { sequenceMd5, storeSequences } from './sequences.repository.js';

export interface StoredProteins {
  proteins_inserted: number;
  proteins_updated: number;
  proteins_unchanged: number;
  /** The sequence of this number of updated proteins has changed. */
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
/** These columns keep their values when a later file has none for them. */
const keptWhenNull = [
  'entry_name',
  'reviewed',
  'protein_name',
  'gene_name',
  'organism',
  'taxonomy_id',
] as const;

/** The digest of the protein may have been computed while the database was busy with others. */
export interface DigestedProtein extends ProteinRecord {
  sequenceMd5?: string;
}

interface IncomingProtein {
  protein: ProteinRecord;
  sequenceId: number;
}

/**
 * Stores a batch of proteins and their sequences; running it twice changes nothing. Accessions must be
 * distinct. All transactions insert first and then update, each in the order of accessions, so that they
 * cannot deadlock. `sequenceIds[i]` belongs to `proteins[i]`.
 */
export async function upsertProteins(
  trx: Transaction,
  proteins: readonly DigestedProtein[],
): Promise<{ stored: StoredProteins; sequenceIds: number[] }> {
  // The batches need not wait for the disk, because the later commit of the job's success does.
  await trx.client.query('set local synchronous_commit = off');
  await announceNames(trx);
  const sequences = await storeSequences(
    trx,
    proteins.map((protein) => protein.sequence),
    proteins.map((protein) => protein.sequenceMd5 ?? sequenceMd5(protein.sequence)),
  );
  const incoming = proteins
    .map((protein, i) => ({ protein, sequenceId: sequences.ids[i] }))
    .sort((a, b) => (a.protein.accession < b.protein.accession ? -1 : 1));
  const known = await knownAccessions(trx, incoming);
  const fresh = incoming.filter(({ protein }) => !known.has(protein.accession));
  let inserted = fresh.length;
  if (fresh.length > 0 && !(await insertUnlessConflict(trx, () => copyInto(trx, 'protein', fresh)))) {
    const own = await insertUntaken(trx, fresh);
    inserted = own.size;
    for (const { protein } of fresh) if (!own.has(protein.accession)) known.add(protein.accession);
  }
  const present = incoming.filter(({ protein }) => known.has(protein.accession));
  const { updated, changed } = await updateKnown(trx, present);
  const stored = {
    proteins_inserted: inserted,
    proteins_updated: updated,
    proteins_unchanged: proteins.length - inserted - updated,
    sequences_changed: changed,
    sequences_inserted: sequences.inserted,
    sequences_reused: sequences.reused,
  };
  return { stored, sequenceIds: sequences.ids };
}

async function knownAccessions(trx: Transaction, incoming: readonly IncomingProtein[]): Promise<Set<string>> {
  const accessions = incoming.map(({ protein }) => protein.accession);
  const { rows } = await sql<{ accession: string }>`
    select accession from protein where accession = any(${accessions}::text[])`.execute(trx);
  return new Set(rows.map((row) => row.accession));
}

async function copyInto(
  trx: Transaction,
  table: 'protein' | 'incoming_protein',
  incoming: readonly IncomingProtein[],
): Promise<void> {
  await copyRowsWhileWriting(trx, { table, columns }, incoming.length, (rows, i) => {
    const { protein, sequenceId } = incoming[i];
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
    rows.int8(sequenceId);
  });
}

async function stage(trx: Transaction, incoming: readonly IncomingProtein[]): Promise<void> {
  await trx.client.query(`
    create temporary table if not exists incoming_protein (
      accession text, canonical_accession text, isoform_index integer, entry_name text, reviewed boolean, protein_name text,
      gene_name text, organism text, taxonomy_id integer, length integer, sequence_id bigint) on commit delete rows;
    truncate incoming_protein`);
  await copyInto(trx, 'incoming_protein', incoming);
}

/**
 * Inserts proteins unless another transaction inserts them at the same time, and returns the accessions that
 * this call inserted.
 */
async function insertUntaken(trx: Transaction, fresh: readonly IncomingProtein[]): Promise<Set<string>> {
  await stage(trx, fresh);
  const { rows } = await trx.client.query<{ accession: string }>(`
    insert into protein (${columns.join(', ')}) select ${columns.join(', ')} from incoming_protein order by accession
    on conflict (accession) do nothing returning accession`);
  return new Set(rows.map((row) => row.accession));
}

async function updateKnown(
  trx: Transaction,
  present: readonly IncomingProtein[],
): Promise<{ updated: number; changed: number }> {
  if (present.length === 0) return { updated: 0, changed: 0 };
  await stage(trx, present);
  const { rows } = await trx.client.query<{ updated: number; changed: number; renamed: string[] | null }>(
    updateStatement,
  );
  const { updated, changed, renamed } = rows[0];
  await refreshSearch(trx, renamed ?? []);
  return { updated, changed };
}

const updatedColumns = columns.filter((column) => column !== 'accession');
const newValue = (column: string) =>
  (keptWhenNull as readonly string[]).includes(column) ? `coalesce(i.${column}, p.${column})` : `i.${column}`;

const names = ['entry_name', 'gene_name', 'protein_name', 'organism'];

// Unchanged rows are neither locked nor written.
const updateStatement = `
  with differing as (
    select p.id, p.sequence_id <> i.sequence_id as sequence_changed,
      (${names.map((column) => `p.${column}`).join(', ')}) is distinct from (${names.map(newValue).join(', ')}) as renamed, i.*
    from incoming_protein i join protein p on p.accession = i.accession
    where (${updatedColumns.map((column) => `p.${column}`).join(', ')})
      is distinct from (${updatedColumns.map(newValue).join(', ')})
    order by p.accession for no key update of p),
  updated as (
    update protein p set ${updatedColumns.map((column) => `${column} = ${newValue(column)}`).join(', ')}, updated_at = clock_timestamp()
    from differing i where p.id = i.id returning i.sequence_changed, i.renamed, p.accession)
  select count(*) as updated, count(*) filter (where sequence_changed) as changed,
    array_agg(accession) filter (where renamed) as renamed from updated`;
