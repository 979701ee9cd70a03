import { sql } from 'kysely';
import { uriStart } from '../../ground/artifacts/keys.js';
import type { Queryable } from '../postgres/connection.js';

/**
 * Finds the keys that no row names. A row of 0.3.0 or earlier holds a whole address, of a store that may have
 * been moved since, so it counts for every end of its path.
 */
export async function unnamedKeys(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    with named as (
      select train_uri as uri from dataset union all select eval_uri from dataset union all select manifest_uri from dataset
      union all select artifact_uri from reranker_model
      union all select uri from reference_file
      union all select uri from reference_pack
      union all select file ->> 'uri' from evaluation_result, jsonb_array_elements(artifacts) file
    ), named_key as (
      select substr(uri, ${uriStart.length + 1}) as key from named where starts_with(uri, ${uriStart}) union all
      select array_to_string(part[first:], '/')
      from named, string_to_array(uri, '/') part, generate_series(2, cardinality(part)) first
      where not starts_with(uri, ${uriStart})
    )
    select key from unnest(${keys}::text[]) key where not exists (select from named_key where named_key.key = key.key)`.execute(
    db,
  );
  return rows.map(({ key }) => key);
}

/** Tells for each pair whether both its embedding configuration and its annotation set exist. */
export async function existingBankSubjects(
  db: Queryable,
  pairs: readonly { configId: string; setId: string }[],
): Promise<boolean[]> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from embedding_config where id = pair.config_id)
      and exists (select from annotation_set where id = pair.set_id) as exists
    from unnest(${pairs.map(({ configId }) => configId)}::uuid[], ${pairs.map(({ setId }) => setId)}::uuid[])
      with ordinality pair (config_id, set_id, place) order by place`.execute(db);
  return rows.map((row) => row.exists);
}

/** Gives the time at which the oldest open job was submitted; null without one. */
export async function oldestOpenJob(db: Queryable): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select min(created_at) as at from job where status in ('QUEUED', 'RUNNING')`.execute(db);
  const at = rows[0].at;
  return at === null ? null : new Date(at);
}
