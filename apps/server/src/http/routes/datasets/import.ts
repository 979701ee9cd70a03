import type { ImportBody } from '@kindred/contracts/resources/datasets';
import { registerDataset } from '../../../resources/datasets.js';
import type { DatasetRow } from '../../../store/records/datasets.repository.js';
import { findEmbeddingConfig } from '../../../store/embeddings/embedding-configs.repository.js';
import { findSnapshot } from '../../../store/ontology/ontology.repository.js';
import type { RouteDeps } from '../../deps.js';
import { validationProblem } from '../../problems.js';
import { placed, type PlacedBody, readPublished } from './reachable.js';

/**
 * Registers a dataset whose files another program has put into the store of this service. The row equals the
 * row of an export except for meta.imported_by_reference. The manifest decides, and the body may not
 * contradict it.
 * @throws ProblemError validation_failed (each disagreement with its path), already_exists
 */
export async function importDataset(deps: RouteDeps, given: ImportBody): Promise<DatasetRow> {
  const body = placed(deps.artifacts, given);
  checkSchemes(body);
  const { manifest, manifestSha } = await readPublished(deps.artifacts, body);
  const { db, artifacts } = deps;
  const stored = (address: string) => artifacts.uriOf(artifacts.keyOf(address));
  const { axis_tuple, axis_id } = manifest;
  const stated = { ...body, ...known(manifest) };
  const values = {
    name: body.name,
    storage_backend: body.storage_backend === 'minio' ? 's3' : body.storage_backend,
    key_prefix: body.key_prefix,
    train_uri: stored(body.train_uri),
    eval_uri: stored(body.eval_uri),
    manifest_uri: stored(body.manifest_uri),
    schema_sha: manifest.schema_sha,
    manifest_sha: manifestSha,
    train_row_count: manifest.n_train_rows,
    eval_row_count: manifest.n_eval_rows,
    k: manifest.k,
    annotation_source: stated.annotation_source ?? 'goa',
    embedding_config_id: await present(stated.embedding_config_id, (id) => findEmbeddingConfig(db, id)),
    ontology_snapshot_id: await present(stated.ontology_snapshot_id, (id) => findSnapshot(db, id)),
    train_snapshot_pairs: stated.train_snapshot_pairs ?? [],
    eval_snapshot_pair: stated.eval_snapshot_pair ?? null,
    producer_version: stated.producer_version ?? null,
    producer_git_sha: stated.producer_git_sha ?? null,
    meta: {
      ...body.meta,
      ...known({ axis_tuple, axis_id, external_source: body.external_source }),
      imported_by_reference: true,
    },
    job_id: null,
  };
  return registerDataset(db, values, body.force);
}

function known<T extends object>(record: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined && value !== null),
  ) as Partial<T>;
}

/** Gives the id if the row exists, else null. */
async function present<Id extends string>(
  id: Id | null | undefined,
  find: (id: Id) => Promise<unknown>,
): Promise<Id | null> {
  return id != null && (await find(id)) !== undefined ? id : null;
}

function checkSchemes(body: PlacedBody): void {
  const start = body.storage_backend === 'local' ? 'file://' : 's3://';
  const faults = (['train_uri', 'eval_uri', 'manifest_uri'] as const).flatMap((field) => {
    const uri = body[field];
    if (uri.startsWith(start)) return [];
    const message = `storage_backend ${body.storage_backend} has addresses that begin with ${start}`;
    return [{ path: `/${field}`, message, code: 'invalid' }];
  });
  if (faults.length > 0) throw validationProblem(faults);
}
