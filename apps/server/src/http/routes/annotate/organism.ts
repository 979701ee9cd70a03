import { maxTaxon } from '@kindred/contracts/fields';
import type { FastaRecord } from '@kindred/kernels/formats';
import { taxaByShortName, taxonByName } from '../../../store/ontology/taxonomy.repository.js';
import type { Queryable } from '../../../store/postgres/db.js';
import { fieldProblem } from '../../problems.js';

/**
 * Adds the organism that the caller named to records whose headers name none.
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
  const taxon = (await taxonByName(db, organism)) ?? (await taxonOfShortName(db, organism));
  if (taxon !== undefined) return taxon;
  throw fieldProblem(
    '/organism',
    `the taxonomy of this service has no ${organism}, and knows scientific names alone; give one, such as Mus musculus for the mouse, or the NCBI taxon, such as 10090`,
  );
}

/**
 * Finds the taxon of a short name such as E. coli.
 * @throws ProblemError validation_failed if several taxa fit
 */
async function taxonOfShortName(db: Queryable, organism: string): Promise<number | undefined> {
  const [, initial, rest] = /^([a-z])\.\s*([a-z].*)$/i.exec(organism) ?? [];
  if (initial === undefined || rest === undefined) return undefined;
  const found = await taxaByShortName(db, { initial, rest }, 4);
  if (found.length < 2) return found[0]?.id;
  const names = found.slice(0, 3).map(({ name }) => name);
  throw fieldProblem(
    '/organism',
    `${organism} may be ${names.join(' or ')}${found.length > 3 ? ' or another one' : ''}; write the whole name`,
  );
}
