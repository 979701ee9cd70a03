import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import type { Database } from '../store/postgres/connection.js';
import { Filler, fillDeletionWorld } from './deletion-world.js';

/**
 * Fills every table with at least one row, among them vectors of proteins of the catalogue and texts that
 * need care. It also makes artifacts, one of several megabytes and one empty.
 */
export async function fillWholeWorld(db: Database, artifacts: ArtifactStore): Promise<void> {
  const { uri: packUri } = await artifacts.put('references/1/whole.pack', Buffer.alloc(9_000_000, 'kindred'));
  await artifacts.put('datasets/empty.parquet', Buffer.alloc(0));
  const filler = new Filler(db);
  const { id: userId } = await filler.add('user_account', { email: 'ada@example.org', status: 'active' });
  const world = await fillDeletionWorld(db, { userId, packUri });
  await addToCatalogue(db, packUri);
  await addTraces(db, userId);
  await db.pool.query('insert into job (operation, queue_name, payload, result) values ($1, $2, $3, $4)', [
    'ping',
    'svc.ping',
    JSON.stringify({ text: 'a\tb\n\\ é' }),
    JSON.stringify({ uri: artifacts.addressOf(packUri) }),
  ]);
  await db.pool.query(
    `insert into sequence (sequence, sequence_md5, length) select repeat('M', n), md5(n::text), n from generate_series(1, 40) n`,
  );
  // A set that is loading has a table that is not yet a partition.
  const loading = await filler.add('annotation_set', {
    source: 'goa',
    source_version: 'loading',
    state: 'loading',
    ontology_snapshot_id: (await db.pool.query('select id from ontology_snapshot limit 1')).rows[0].id,
    job_id: world.job,
  });
  await db.pool.query(`create table protein_go_annotation_s${loading.number}
    (like protein_go_annotation including defaults, check (annotation_set_number = ${loading.number}))`);
  await filler.add(`protein_go_annotation_s${loading.number}`, { annotation_set_number: loading.number });
}

async function addToCatalogue(db: Database, packUri: string): Promise<void> {
  await db.pool.query('update protein set accession = $1, canonical_accession = $1', ['P1']);
  const { rows } =
    await db.pool.query(`select t.ontology_snapshot_id, t.id as go_term_id, s.id as sequence_id,
      (select number from embedding_config limit 1) as embedding_config_number,
      (select number from annotation_set limit 1) as annotation_set_number
    from go_term t, sequence s limit 1`);
  const fill = new Filler(db, rows[0]);
  const child_go_term_id = rows[0].go_term_id;
  await fill.add('go_term_alt_id', { alt_id: 'GO:0000002' });
  await fill.add('go_term_relationship', { child_go_term_id, parent_go_term_id: child_go_term_id });
  for (const table of ['interpro_annotation', 'interpro_scan', 'bank_fingerprint']) await fill.add(table);
  const { rows: mappings } = await db.pool.query('select source_version from interpro_mapping limit 1');
  await fill.add('interpro_go_mapping', mappings[0]);
  await fill.add('protein_metadata', { canonical_accession: 'P1', function_cc: 'Binds.\nThen leaves.' });
  await fill.add('protein_search', { accession: 'P1', words: 'binds' });
  await fill.add('reference_file', { uri: packUri });
  for (const table of ['secondary_accession', 'taxon', 'taxon_merged', 'source_file', 'reference_download'])
    await fill.add(table);
}

/** Adds the rows that requests, logins, visits and the queue leave behind. */
async function addTraces(db: Database, userId: string): Promise<void> {
  const fill = new Filler(db, { user_id: userId, day: '2026-01-01' });
  await fill.add('api_key', { role: 'researcher' });
  await fill.add('broker.message', { queue: 'svc.ping', body: Buffer.from('00ff0a5c', 'hex') });
  await fill.add('audit.audit_log', { actor_user_id: userId });
  await fill.add('support_entry', { comment: 'It helps.' });
  await fill.add('worker_metric', { value: 0.1 });
  const plain = [
    'audit.audit_export',
    'idempotency_key',
    'login_failure',
    'maintenance_run',
    'quota',
    'backup',
  ];
  const visits = ['daily_salt', 'visitor_day', 'visitor_event'];
  for (const table of [...plain, ...visits]) await fill.add(table);
}
