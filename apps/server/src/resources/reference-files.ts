import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { Database } from '../store/postgres/db.js';
import {
  abandonedReferenceFiles,
  addReferenceFile,
  findReferenceFile,
  forgetReferenceFile,
} from '../store/references/reference-files.repository.js';

interface Stores {
  db: Database;
  artifacts: ArtifactStore;
}

/**
 * Records a stored file; of two equal files, the first is kept. Files that no build used for a week are
 * deleted.
 */
export async function addFile(
  { db, artifacts }: Stores,
  file: { sha256: string; size_bytes: number; uri: string },
): Promise<void> {
  for (const old of await abandonedReferenceFiles(db, 10)) {
    await forgetReferenceFile(db, old.sha256);
    await artifacts.delete(old.uri);
  }
  const known = await findReferenceFile(db, file.sha256);
  // Somebody may have removed the bytes by hand.
  if (known !== undefined && (await artifacts.size(known.uri)) === null)
    await forgetReferenceFile(db, file.sha256);
  if (!(await addReferenceFile(db, file))) await artifacts.delete(file.uri);
}
