import { ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { type Database, inTransaction } from '../store/postgres/db.js';
import {
  type DatasetRow,
  deleteDataset,
  findDataset,
  insertDataset,
  isDatasetFile,
  type NewDataset,
} from '../store/records/datasets.repository.js';

/**
 * Exports write below this key. A file elsewhere belongs to the person who put it there and registered it by
 * reference.
 */
const exportedFiles = 'datasets/';

/** Deletes the row, and then its files, if an export made them and no other dataset names them. */
export async function removeDataset(
  db: Database,
  artifacts: ArtifactStore,
  dataset: DatasetRow,
): Promise<void> {
  await deleteDataset(db, dataset.id);
  for (const uri of [dataset.train_uri, dataset.eval_uri, dataset.manifest_uri]) {
    const key = uri === null ? null : keyIn(artifacts, uri);
    if (key?.startsWith(exportedFiles) && !(await isDatasetFile(db, key)))
      await artifacts.delete(artifacts.uriOf(key));
  }
}

/** Gives the key of a file; null for a file of another store. */
function keyIn(artifacts: ArtifactStore, uri: string): string | null {
  try {
    return artifacts.keyOf(uri);
  } catch {
    return null;
  }
}

/**
 * Adds the row; with `force`, it replaces the row with the same name.
 * @throws ProblemError already_exists
 */
export function registerDataset(db: Database, dataset: NewDataset, force: boolean): Promise<DatasetRow> {
  return inTransaction(db, async (trx) => {
    const taken = await findDataset(trx, dataset.name);
    if (taken !== undefined && force) await deleteDataset(trx, taken.id);
    const inserted = await insertDataset(trx, dataset);
    if (inserted !== null) return inserted;
    throw new ProblemError(
      'already_exists',
      `A dataset named ${JSON.stringify(dataset.name)} exists. Choose another name, or give force=true to replace it.`,
    );
  });
}
