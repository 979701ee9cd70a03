import { ProblemError } from '@kindred/contracts';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import {
  deleteReranker,
  findRerankerByName,
  insertReranker,
  type NewReranker,
  type RerankerRow,
  rerankersAt,
} from '../../store/evaluation/rerankers.repository.js';
import { type Database, inTransaction } from '../../store/postgres/db.js';

/**
 * A name belongs to one re-ranker, and another one's booster is never overwritten.
 * @throws ProblemError already_exists
 */
export async function requireFreeName(
  { db, artifacts }: { db: Database; artifacts: ArtifactStore },
  row: NewReranker,
  force: boolean,
): Promise<void> {
  const namesake = await findRerankerByName(db, row.name);
  if (namesake !== undefined && !force) throw taken(row.name);
  const others = await rerankersAt(db, artifacts.keyOf(row.artifact_uri as string));
  const other = others.find(
    ({ id, model_sha256 }) => id !== namesake?.id && model_sha256 !== row.model_sha256,
  );
  if (other === undefined) return;
  throw new ProblemError(
    'already_exists',
    `Re-ranker ${JSON.stringify(other.name)} keeps another booster at ${row.artifact_uri}. Give run.json another run_id.`,
  );
}

/**
 * Adds the row; with `force`, it replaces the row with the same name.
 * @throws ProblemError already_exists
 */
export function registerReranker(db: Database, row: NewReranker, force: boolean): Promise<RerankerRow> {
  return inTransaction(db, async (trx) => {
    if (force) {
      const namesake = await findRerankerByName(trx, row.name);
      if (namesake !== undefined) await deleteReranker(trx, namesake.id);
    }
    const inserted = await insertReranker(trx, row);
    if (inserted === null) throw taken(row.name);
    return inserted;
  });
}

function taken(name: string): ProblemError {
  return new ProblemError(
    'already_exists',
    `There is a re-ranker ${JSON.stringify(name)}. Choose another name, or set force to take its place.`,
  );
}
