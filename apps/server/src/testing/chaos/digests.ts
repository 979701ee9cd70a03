import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deadLetterQueue, queueNames } from '@kindred/contracts';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import type { Broker } from '../../work/broker/broker.js';
import type { Database } from '../../store/postgres/connection.js';

/** Ids and times differ from run to run, so the rows that they point to replace them. */
const ofSet = (table: string) => `
  select to_jsonb(t) - array['prediction_set_number', 'sequence_id'] || jsonb_build_object('set', q.name)
  from ${table} t join prediction_set p on p.number = t.prediction_set_number join query_set q on q.id = p.query_set_id`;

/** The queries give the rows that jobs write, as JSON without ids and times. */
const rowsOf: Record<string, string> = {
  sequence: `select to_jsonb(t) - array['id', 'created_at'] from sequence t`,
  sequence_embedding: `
    select to_jsonb(t) - array['sequence_id', 'created_at'] || jsonb_build_object('md5', s.sequence_md5)
    from sequence_embedding t join sequence s on s.id = t.sequence_id`,
  query_set: `select to_jsonb(t) - array['id', 'created_at', 'expires_at'] from query_set t`,
  query_set_entry: `
    select to_jsonb(t) - array['id', 'query_set_id', 'sequence_id'] || jsonb_build_object('set', q.name, 'md5', s.sequence_md5)
    from query_set_entry t join query_set q on q.id = t.query_set_id join sequence s on s.id = t.sequence_id`,
  prediction_set: `
    select to_jsonb(t) - array['id', 'number', 'job_id', 'query_set_id', 'created_at', 'expires_at'] || jsonb_build_object('set', q.name)
    from prediction_set t join query_set q on q.id = t.query_set_id`,
  prediction_set_protein: ofSet('prediction_set_protein'),
  go_prediction: ofSet('go_prediction'),
  go_prediction_pair_features: ofSet('go_prediction_pair_features'),
  job: `
    select jsonb_build_object('operation', operation, 'status', status, 'done', progress_current, 'of', progress_total) from job`,
  job_batch: `
    select jsonb_build_object('operation', b.operation, 'index', b.batch_index, 'state', b.state, 'size', jsonb_array_length(j.payload -> 'query_accessions'))
    from job_batch b join job j on j.id = b.parent_job_id`,
  reference_pack: `select jsonb_build_object('sha256', sha256, 'size', size_bytes) from reference_pack`,
};

export type Digests = Record<string, string>;

/** Gives the number of rows and the digest of each table, and of the files in the artifact store. */
export async function digests(db: Database, artifacts: ArtifactStore): Promise<Digests> {
  const found: Digests = {};
  for (const [table, rows] of Object.entries(rowsOf)) {
    const { rows: counted } = await db.pool.query(
      `select count(*) || ' rows ' || coalesce(md5(string_agg(row::text, e'\\n' order by row::text collate "C")), '') as digest
       from (${rows}) as r (row)`,
    );
    found[table] = counted[0].digest;
  }
  const hashes: string[] = [];
  for await (const { uri } of artifacts.list()) {
    const hash = createHash('sha256');
    for await (const chunk of artifacts.get(uri)) hash.update(chunk);
    hashes.push(hash.digest('hex'));
  }
  found.artifacts = `${hashes.length} files ${hashes.sort().join(' ')}`;
  return found;
}

/**
 * Gives the predictions of the newest finished run for each name of an upload: what a user has who submits
 * failed work again.
 */
export async function answers(db: Database): Promise<Record<string, string>> {
  const { rows } = await db.pool.query<{ name: string; digest: string }>(`
    with newest as (
      select distinct on (q.name) q.name, p.number from prediction_set p join query_set q on q.id = p.query_set_id
      where p.status = 'complete' order by q.name, p.created_at desc)
    select n.name, count(*) || ' rows ' || md5(string_agg(row, e'\\n' order by row collate "C")) as digest
    from newest n join lateral (
      select (to_jsonb(t) - 'prediction_set_number')::text as row from go_prediction t where t.prediction_set_number = n.number) r on true
    group by n.name order by n.name`);
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Lists the files below a folder, by their paths in it; none if it does not exist. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Counts the work that is still open or was never cleared away; empty when everything is settled. */
export async function leftInDatabase(db: Database, broker: Broker): Promise<Record<string, number>> {
  const { rows } = await db.pool.query(`select
    (select count(*)::integer from job where status <> 'SUCCEEDED') as open_jobs,
    (select count(*)::integer from job where lease_owner is not null or lease_expires_at is not null) as leases,
    (select count(*)::integer from job_batch where state <> 'stored') as open_batches,
    (select count(*)::integer from prediction_set where status <> 'complete') as unfinished_sets,
    (select count(*)::integer from worker_process) - 1 as lost_workers,
    (select count(*)::integer from broker.message) as messages`);
  const queues = [...queueNames, deadLetterQueue] as const;
  const depths = await Promise.all(queues.map((queue) => broker.depth(queue)));
  const left = { ...rows[0], queued: depths.reduce((sum, depth) => sum + depth, 0) };
  return Object.fromEntries(
    Object.entries(left as Record<string, number>).filter(([, count]) => count !== 0),
  );
}

/**
 * Counts like `leftInDatabase`, but jobs may have failed: only work counts that is still to be done, or held.
 */
export async function openInDatabase(db: Database, broker: Broker): Promise<Record<string, number>> {
  const {
    open_jobs: _,
    open_batches: _batches,
    unfinished_sets: _sets,
    ...left
  } = await leftInDatabase(db, broker);
  const { rows } = await db.pool.query(
    `select count(*)::integer as open from job where status in ('QUEUED', 'RUNNING')`,
  );
  return rows[0].open === 0 ? left : { ...left, open_jobs: rows[0].open };
}
