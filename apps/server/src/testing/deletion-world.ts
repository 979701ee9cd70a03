import type { Database } from '../store/postgres/connection.js';

type Row = Record<string, unknown>;
interface Column {
  column: string;
  type: string;
}

const valueOf: Readonly<Record<string, unknown>> = {
  text: 'x',
  uuid: '00000000-0000-4000-8000-000000000000',
  jsonb: '{}',
  bytea: Buffer.from([0]),
  boolean: true,
  'timestamp with time zone': '2026-01-01T00:00:00Z',
  character: 'F',
};

/** Gives a value for a column that must have one. */
function filled(type: string): unknown {
  if (type.endsWith('[]')) return [];
  return valueOf[type.replace(/\(.*/, '')] ?? 1;
}

/**
 * Inserts rows of which the test gives only the columns that matter; other columns that need a value get one.
 */
export class Filler {
  private readonly columns = new Map<string, Column[]>();

  constructor(
    private readonly db: Database,
    /** These values go into every row that has such a column and no other value for it. */
    readonly always: Row = {},
  ) {}

  async add<Result = { id: string; number: number }>(table: string, row: Row = {}): Promise<Result> {
    const columns = await this.columnsOf(table);
    const needed = columns.map(({ column, type }) => [column, this.always[column] ?? filled(type)] as const);
    const values = Object.entries({ ...Object.fromEntries(needed), ...row });
    const names = values.map(([name]) => `"${name}"`).join(', ');
    const places = values.map((_, i) => `$${i + 1}`).join(', ');
    const { rows } = await this.db.pool.query(
      `insert into ${table} (${names}) values (${places}) returning *`,
      values.map(([, value]) => value),
    );
    return rows[0];
  }

  private async columnsOf(table: string): Promise<Column[]> {
    const known = this.columns.get(table);
    if (known !== undefined) return known;
    const { rows } = await this.db.pool.query(
      `select attname as column, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attidentity = ''`,
      [table],
    );
    this.columns.set(table, rows);
    return rows;
  }
}

/** The API deletes rows by these ids, and the reference by its name. */
export interface DeletionWorld {
  annotation_set: string;
  dataset: string;
  embedding_config: string;
  evaluation_result: string;
  evaluation_set: string;
  experiment_run: string;
  go_slim: string;
  job: string;
  /** Another job waits for the job with this id. */
  queued_job: string;
  prediction_set: string;
  query_set: string;
  reference: string;
  /** The reference's annotation set has this id, and is deleted with it. */
  set_of_reference: string;
  reranker_model: string;
  scoring_config: string;
  user_account: string;
}

/** Makes one row or more of every table, each naming as many others as it can. */
export async function fillDeletionWorld(
  db: Database,
  /** The rows belong to this account, and name this address as that of a file of the artifact store. */
  { userId, packUri }: { userId: string; packUri: string },
): Promise<DeletionWorld> {
  const sequence = await new Filler(db).add('sequence', { sequence: 'MKT', sequence_md5: '0'.repeat(32) });
  const { id: ontology_snapshot_id } = await new Filler(db).add('ontology_snapshot');
  const fill = new Filler(db, { ontology_snapshot_id, sequence_id: sequence.id });
  fill.always.go_term_id = (await fill.add('go_term', { go_id: 'GO:0000001' })).id;
  fill.always.protein_id = (await fill.add('protein')).id;
  const jobs = await addJobs(fill, userId);
  const catalogue = await addCatalogue(fill, db, { job: jobs.job, packUri });
  const runs = await addRuns(fill, { ...catalogue, job: jobs.job, userId });
  const papers = await addPapers(fill, { ...runs, ...catalogue, job: jobs.job, userId });
  await addTraces(fill, userId);
  return {
    ...jobs,
    ...papers,
    annotation_set: catalogue.sets.goa,
    set_of_reference: catalogue.sets.reference,
    embedding_config: catalogue.config,
    evaluation_set: runs.evaluationSet,
    evaluation_result: runs.result,
    prediction_set: runs.kept,
    query_set: runs.querySet,
    reference: 'whole@1',
    user_account: userId,
  };
}

async function addJobs(fill: Filler, userId: string) {
  const { id: job } = await fill.add('job', { status: 'SUCCEEDED', owner_user_id: userId });
  await fill.add('job', { status: 'SUCCEEDED', parent_job_id: job, waits_for_job_id: job });
  const { id: queued } = await fill.add('job');
  await fill.add('job', { waits_for_job_id: queued });
  await fill.add('job', { status: 'FAILED', parent_job_id: queued });
  const ofJob = ['job_event', 'source_checkpoint', 'interpro_mapping', 'taxonomy'];
  for (const table of [
    ...ofJob,
    'taxon_constraints',
    'secondary_accession_source',
    'interproscan_submission',
  ])
    await fill.add(table, { job_id: job });
  await fill.add('job_comment', { job_id: job, account_id: userId });
  await fill.add('job_batch', { parent_job_id: job });
  return { job, queued_job: queued };
}

/**
 * Adds three annotation sets, the first with its own reference, and a configuration; `far` ones have nothing
 * else.
 */
async function addCatalogue(fill: Filler, db: Database, { job, packUri }: { job: string; packUri: string }) {
  const recipe = { layer_agg: 'mean', pooling: 'mean' };
  const config = await fill.add('embedding_config', recipe);
  const farConfig = await fill.add('embedding_config', recipe);
  await fill.add('embedding_projection', { embedding_config_number: config.number });
  await fill.add('sequence_embedding', { embedding_config_number: config.number });
  const sets: Record<'reference' | 'goa' | 'far', string> = { reference: '', goa: '', far: '' };
  for (const name of ['reference', 'goa', 'far'] as const) {
    const source = name === 'far' ? 'quickgo' : name;
    const row = { source, source_version: name, state: 'complete', job_id: name === 'goa' ? job : null };
    const { id, number } = await fill.add('annotation_set', row);
    sets[name] = id;
    if (name === 'far') continue;
    await db.pool.query(
      `create table protein_go_annotation_s${number} partition of protein_go_annotation for values in (${number})`,
    );
    await fill.add('protein_go_annotation', { annotation_set_number: number });
    await fill.add('information_accretion', { annotation_set_id: id });
    const reference = await fill.add('reference', {
      name: name === 'goa' ? 'other' : 'whole',
      version: '1',
      status: 'complete',
      annotation_set_id: id,
      job_id: job,
    });
    const of = { reference_number: reference.number };
    await fill.add('reference_pack', { ...of, uri: packUri });
    await fill.add('reference_protein', of);
    await fill.add('reference_vectors', { ...of, embedding_config_id: config.id });
  }
  await fill.add('annotate_reference', { annotation_set_id: sets.reference, embedding_config_id: config.id });
  return { sets, config: config.id, farConfig: farConfig.id };
}

type Catalogue = Awaited<ReturnType<typeof addCatalogue>>;

/** Adds a kept run of everything with its result, and for each input of runs, a kept and an unsaved one. */
async function addRuns(
  fill: Filler,
  { sets, config, farConfig, job, userId }: Catalogue & { job: string; userId: string },
) {
  const { id: querySet } = await fill.add('query_set', { owner_user_id: userId });
  await fill.add('query_set_entry', { query_set_id: querySet });
  await fill.add('query_set_hit_file', { query_set_id: querySet });
  await fill.add('query_set_hits', { query_set_id: querySet });
  await fill.add('stated_term_file', { query_set_id: querySet, program: 'other' });
  await fill.add('stated_terms', { query_set_id: querySet, program: 'other' });
  await fill.add('job', { payload: JSON.stringify({ query_set_id: querySet }) });
  const evaluation = { new_annotation_set_id: sets.far };
  const set = await fill.add('evaluation_set', {
    ...evaluation,
    old_annotation_set_id: sets.reference,
    job_id: job,
  });
  await fill.add('evaluation_set', { ...evaluation, old_annotation_set_id: sets.goa });
  await fill.add('evaluation_truth', { evaluation_set_number: set.number, category: 'NK' });
  let count = 1;
  const curve = (row: Row) =>
    fill.add('calibration_curve', {
      annotation_set_id: sets.far,
      embedding_config_id: farConfig,
      method: 'combined',
      known: 'nothing',
      evaluation_set_id: set.id,
      donors: count++,
      job_id: job,
      ...row,
    });
  const run = async (row: Row) => {
    const { id, number } = await fill.add('prediction_set', row);
    const of = { prediction_set_number: number };
    await fill.add('go_prediction', { ...of, source_kind: 'none' });
    await fill.add('go_prediction_pair_features', of);
    await fill.add('prediction_set_protein', of);
    await curve({ prediction_set_id: id });
    await fill.add('job', { payload: JSON.stringify({ prediction_set_id: id }) });
    const result = { evaluation_set_id: set.id, prediction_set_id: id, job_id: job };
    return { id, result: (await fill.add('evaluation_result', result)).id };
  };
  for (const from of [
    { annotation_set_id: sets.reference },
    { annotation_set_id: sets.goa },
    { embedding_config_id: config },
  ]) {
    await curve(from);
    await run(from);
    await run({ ...from, listed: false, expires_at: '2100-01-01T00:00:00Z' });
  }
  const more_embedding_config_ids = [config];
  await curve({ more_embedding_config_ids });
  for (const from of [{ parameters: JSON.stringify({ more_embedding_config_ids }) }]) {
    await run(from);
    await run({ ...from, listed: false, expires_at: '2100-01-01T00:00:00Z' });
  }
  const made = { annotation_set_id: sets.reference, embedding_config_id: config };
  const kept = await run({ ...made, query_set_id: querySet, owner_user_id: userId, job_id: job });
  await fill.add('evaluation_resamples', { evaluation_result_id: kept.result, category: 'NK' });
  return { querySet, evaluationSet: set.id, kept: kept.id, result: kept.result };
}

async function addPapers(
  fill: Filler,
  from: { config: string; result: string; job: string; userId: string },
) {
  const made = { embedding_config_id: from.config };
  const dataset = await fill.add('dataset', { ...made, job_id: from.job });
  const reranker = await fill.add('reranker_model', { ...made, dataset_id: dataset.id, model_data: 'x' });
  const slim = await fill.add('go_slim', { job_id: from.job });
  const score = await fill.add('scoring_config', { formula: 'linear' });
  const experiment = await fill.add('experiment_run', { owner_user_id: from.userId });
  const members = { job: from.job, evaluation_result: from.result, reranker_model: reranker.id };
  for (const [kind, member_id] of Object.entries(members))
    await fill.add('experiment_run_member', { experiment_run_id: experiment.id, kind, member_id });
  return {
    dataset: dataset.id,
    reranker_model: reranker.id,
    go_slim: slim.id,
    scoring_config: score.id,
    experiment_run: experiment.id,
  };
}

/** Adds the rows that an account leaves where it signs in. */
async function addTraces(fill: Filler, userId: string): Promise<void> {
  const of = { user_id: userId };
  await fill.add('user_session', of);
  await fill.add('mail_token', { ...of, purpose: 'magic_link' });
  await fill.add('login_address', of);
  await fill.add('user_identity', of);
  await fill.add('passkey', of);
  const hook = await fill.add('webhook', of);
  await fill.add('webhook_delivery', { webhook_id: hook.id });
}
