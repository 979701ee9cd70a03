import type { MetadataRecord } from '@kindred/contracts';
import { sql } from 'kysely';
import type { Transaction } from '../postgres/connection.js';
import { announceNames, refreshSearch } from './protein-search.repository.js';

/** A source fills these columns of protein_metadata. */
export const metadataColumns = [
  'absorption',
  'active_site',
  'binding_site',
  'catalytic_activity',
  'cofactor',
  'dna_binding',
  'ec_number',
  'activity_regulation',
  'function_cc',
  'pathway',
  'kinetics',
  'ph_dependence',
  'redox_potential',
  'rhea_id',
  'site',
  'temperature_dependence',
  'keywords',
  'features',
] as const;

const coreColumns = ['entry_name', 'protein_name', 'gene_name', 'organism'] as const;

/**
 * Stores metadata of proteins by canonical accession, and returns the number of rows written; later metadata
 * replace earlier ones. Accessions must be distinct. Unchanged rows are not written.
 */
export async function upsertMetadata(trx: Transaction, records: readonly MetadataRecord[]): Promise<number> {
  const ordered = [...records].sort((a, b) => (a.accession < b.accession ? -1 : 1));
  const rows = JSON.stringify(
    ordered.map(({ accession, texts }) => ({ ...texts, canonical_accession: accession })),
  );
  const columns = ['canonical_accession', ...metadataColumns];
  const list = (prefix: string) => metadataColumns.map((column) => `${prefix}.${column}`).join(', ');
  const { rowCount } = await trx.client.query(
    `insert into protein_metadata as m (${columns.join(', ')})
     select ${columns.join(', ')} from json_to_recordset($1::json) as r (${columns.map((column) => `${column} text`).join(', ')})
     on conflict (canonical_accession) do update
       set ${metadataColumns.map((column) => `${column} = excluded.${column}`).join(', ')}, updated_at = clock_timestamp()
       where (${list('m')}) is distinct from (${list('excluded')})`,
    [rows],
  );
  return rowCount ?? 0;
}

/**
 * Fills names of proteins that have none yet, only of the canonical accession, and returns how many changed.
 */
export async function fillProteinNames(
  trx: Transaction,
  records: readonly MetadataRecord[],
): Promise<number> {
  const rows = JSON.stringify(
    records.map((record) => ({
      accession: record.accession,
      reviewed: record.reviewed,
      entry_name: record.entryName,
      protein_name: record.proteinName,
      gene_name: record.geneName,
      organism: record.organism,
    })),
  );
  await announceNames(trx);
  const { rows: renamed } = await trx.client.query<{ accession: string }>(
    `with incoming as (
       select p.id, r.* from json_to_recordset($1::json) as r (accession text, reviewed boolean, ${coreColumns
         .map((column) => `${column} text`)
         .join(', ')})
       join protein p on p.accession = r.accession
       where ${['reviewed', ...coreColumns].map((column) => `(p.${column} is null and r.${column} is not null)`).join(' or ')}
       order by p.accession for no key update of p)
     update protein p set ${['reviewed', ...coreColumns]
       .map((column) => `${column} = coalesce(p.${column}, i.${column})`)
       .join(', ')}, updated_at = clock_timestamp()
     from incoming i where p.id = i.id returning p.accession`,
    [rows],
  );
  const accessions = renamed.map(({ accession }) => accession);
  await refreshSearch(trx, accessions);
  return accessions.length;
}

/** Counts the canonical accessions that have a protein in the database. */
export async function countKnownProteins(trx: Transaction, accessions: readonly string[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct canonical_accession) as n from protein
    where canonical_accession = any(${accessions}::text[])`.execute(trx);
  return rows[0].n;
}
