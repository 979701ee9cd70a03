import { sql } from 'kysely';
import type { Queryable } from '../postgres/connection.js';

/** Finds the addresses that no row names. */
export async function unnamedAddresses(db: Queryable, uris: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ uri: string }>`
    with named as (
      select train_uri as uri from dataset union all select eval_uri from dataset union all select manifest_uri from dataset
      union all select artifact_uri from reranker_model
      union all select uri from reference_file
      union all select uri from reference_pack
      union all select file ->> 'uri' from evaluation_result, jsonb_array_elements(artifacts) file
    )
    select uri from unnest(${uris}::text[]) uri where not exists (select from named where named.uri = uri.uri)`.execute(
    db,
  );
  return rows.map(({ uri }) => uri);
}

/** For each pair whether both its embedding configuration and its annotation set exist. */
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

/** Time at which the oldest open job was submitted; null without one. */
export async function oldestOpenJob(db: Queryable): Promise<Date | null> {
  const { rows } = await sql<{ at: string | null }>`
    select min(created_at) as at from job where status in ('QUEUED', 'RUNNING')`.execute(db);
  const at = rows[0].at;
  return at === null ? null : new Date(at);
}
