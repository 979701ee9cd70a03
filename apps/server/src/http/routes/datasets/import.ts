import type { ImportBody } from '@kindred/contracts/resources/datasets';
import { registerDataset } from '../../../resources/datasets.js';
import type { DatasetRow } from '../../../store/records/datasets.repository.js';
import { findEmbeddingConfig } from '../../../store/embeddings/embedding-configs.repository.js';
import { findSnapshot } from '../../../store/ontology/ontology.repository.js';
import type { RouteDeps } from '../../deps.js';
import { validationProblem } from '../../problems.js';
import { checkReachable } from './reachable.js';

/**
 * Registers a dataset whose files another program has put into a store. What this service can reach is checked against
 * the body; the row is that of an export but for meta.imported_by_reference.
 * @throws ProblemError validation_failed (each disagreement with its path), already_exists
 */
export async function importDataset(deps: RouteDeps, body: ImportBody): Promise<DatasetRow> {
  checkSchemes(body);
  await checkReachable(deps.artifacts, body);
  const { db } = deps;
  const { force, external_source, n_train_rows, n_eval_rows, meta, ...row } = body;
  const source = external_source === null ? {} : { external_source };
  const values = {
    ...row,
    storage_backend: row.storage_backend === 'minio' ? 's3' : row.storage_backend,
    embedding_config_id: await present(row.embedding_config_id, (id) => findEmbeddingConfig(db, id)),
    ontology_snapshot_id: await present(row.ontology_snapshot_id, (id) => findSnapshot(db, id)),
    train_row_count: n_train_rows,
    eval_row_count: n_eval_rows,
    meta: { ...meta, ...source, imported_by_reference: true },
    job_id: null,
  };
  return registerDataset(db, values, force);
}

/** The id where the row is here, else null. */
async function present<Id extends string>(
  id: Id | null,
  find: (id: Id) => Promise<unknown>,
): Promise<Id | null> {
  return id !== null && (await find(id)) !== undefined ? id : null;
}

function checkSchemes(body: ImportBody): void {
  const start = body.storage_backend === 'local' ? 'file://' : 's3://';
  const faults = (['train_uri', 'eval_uri', 'manifest_uri'] as const).flatMap((field) => {
    const uri = body[field];
    if (uri === null || uri.startsWith(start)) return [];
    const message = `storage_backend ${body.storage_backend} has addresses that begin with ${start}`;
    return [{ path: `/${field}`, message, code: 'invalid' }];
  });
  if (faults.length > 0) throw validationProblem(faults);
}
