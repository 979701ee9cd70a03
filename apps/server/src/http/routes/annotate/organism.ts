import { maxTaxon } from '@kindred/contracts/fields';
import type { FastaRecord } from '@kindred/kernels/formats';
import { taxonByName } from '../../../store/ontology/taxonomy.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';
import { fieldProblem } from '../../problems.js';

/**
 * The records, with the organism that the caller named where their headers name none.
 * @throws ProblemError validation_failed for a name that the taxonomy does not have
 */
export async function withOrganism(
  db: Queryable,
  records: readonly FastaRecord[],
  organism: string | undefined,
): Promise<readonly FastaRecord[]> {
  if (organism === undefined) return records;
  const taxonId = await taxonOf(db, organism);
  return records.map((record) => (record.taxonId === null ? { ...record, taxonId } : record));
}

async function taxonOf(db: Queryable, organism: string): Promise<number> {
  if (/^\d+$/.test(organism)) {
    const taxon = Number(organism);
    if (taxon >= 1 && taxon <= maxTaxon) return taxon;
    throw fieldProblem('/organism', `expected an NCBI taxon from 1 to ${maxTaxon}`);
  }
  const taxon = await taxonByName(db, organism);
  if (taxon !== undefined) return taxon;
  throw fieldProblem(
    '/organism',
    `the taxonomy of this service has no ${organism}; give the NCBI taxon, such as 9606 for Homo sapiens`,
  );
}
