import { ProblemError } from '@kindred/contracts';
import { type Database, inTransaction } from '../store/postgres/db.js';
import {
  type DatasetRow,
  deleteDataset,
  findDataset,
  insertDataset,
  type NewDataset,
} from '../store/records/datasets.repository.js';

/** Adds the row; with `force` it takes the place of the one with its name. @throws ProblemError already_exists */
export function registerDataset(db: Database, dataset: NewDataset, force: boolean): Promise<DatasetRow> {
  return inTransaction(db, async (trx) => {
    const taken = await findDataset(trx, dataset.name);
    if (taken !== undefined && force) await deleteDataset(trx, taken.id);
    const inserted = await insertDataset(trx, dataset);
    if (inserted !== null) return inserted;
    throw new ProblemError(
      'already_exists',
      `A dataset named ${JSON.stringify(dataset.name)} exists. Choose another name, or give force=true to take its place.`,
    );
  });
}
