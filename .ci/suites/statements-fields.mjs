// The statements of the specification on the fields of resources.
import { ask, id, is, places, state, timestamp, uuid } from './statements-lib.mjs';

/** The kinds of values, each with its test. */
const kinds = {
  uuid: (value) => uuid.test(value),
  'uuid or null': (value) => value === null || uuid.test(value),
  timestamp: (value) => timestamp.test(value),
  'timestamp or null': (value) => value === null || timestamp.test(value),
  text: (value) => typeof value === 'string' && value !== '',
  'text or null': (value) => value === null || typeof value === 'string',
  integer: Number.isInteger,
  'integer or null': (value) => value === null || Number.isInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'object or null': (value) => value === null || typeof value === 'object',
  array: Array.isArray,
  'job status': (value) => ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'].includes(value),
};

function fields(resource, path, wanted) {
  for (const [name, kind] of Object.entries(wanted))
    state(
      places.resources,
      `${resource}: ${name} is ${kind}`,
      () => ask('GET', path(), { as: 'admin' }),
      is(200, ({ body }) => {
        const row = Array.isArray(body) ? body[0] : body;
        return kinds[kind](row?.[name]) || `${name} is ${JSON.stringify(row?.[name])?.slice(0, 80)}`;
      }),
    );
}

// The resources with their fields.
{
  fields('Job', () => `/jobs/${id('job')}`, {
    id: 'uuid',
    operation: 'text',
    queue_name: 'text',
    payload: 'object',
    meta: 'object',
    status: 'job status',
    parent_job_id: 'uuid or null',
    progress_current: 'integer',
    progress_total: 'integer or null',
    description: 'text or null',
    findings: 'text or null',
    tags: 'array',
    created_at: 'timestamp',
  });
  fields('JobEvent', () => `/jobs/${id('job')}/events`, {
    id: 'integer',
    job_id: 'uuid',
    ts: 'timestamp',
    level: 'text',
    event: 'text',
    fields: 'object',
  });
  fields('JobComment', () => `/jobs/${id('job')}/comments`, {
    id: 'uuid',
    job_id: 'uuid',
    author: 'text or null',
    body: 'text',
    created_at: 'timestamp',
  });
  fields('Protein', () => '/proteins/EC00001', {
    accession: 'text',
    canonical_accession: 'text',
    sequence: 'text',
    isoforms: 'array',
    metadata: 'object or null',
  });
  fields('Protein stats', () => '/proteins/stats', {
    total: 'integer',
    canonical: 'integer',
    reviewed: 'integer',
    organisms: 'integer',
  });
  fields('OntologySnapshot', () => '/annotations/snapshots', {
    id: 'uuid',
    obo_version: 'text',
    ia_url: 'text or null',
    term_counts: 'object',
  });
  fields('ProteinGOAnnotation', () => '/proteins/EC00001/annotations', {
    qualifier: 'text or null',
    evidence_code: 'text',
    assigned_by: 'text or null',
    db_reference: 'text or null',
    with_from: 'text or null',
    annotation_date: 'text or null',
  });
  fields('EvaluationSet', () => `/annotations/evaluation-sets/${id('evaluation_set')}`, {
    id: 'uuid',
    old_annotation_set_id: 'uuid',
    new_annotation_set_id: 'uuid',
    stats: 'object',
  });
  fields('EvaluationResult', () => `/annotations/evaluation-sets/${id('evaluation_set')}/results`, {
    id: 'uuid',
    evaluation_set_id: 'uuid',
    prediction_set_id: 'uuid or null',
    results: 'object',
  });
  fields('EmbeddingConfig', () => `/embeddings/configs/${id('config')}`, {
    id: 'uuid',
    model_name: 'text',
    layer_indices: 'array',
    layer_agg: 'text',
    pooling: 'text',
    normalize_residues: 'boolean',
    normalize: 'boolean',
    use_chunking: 'boolean',
    chunk_size: 'integer',
    chunk_overlap: 'integer',
  });
  fields('PredictionSet', () => `/embeddings/prediction-sets/${id('knn')}`, {
    id: 'uuid',
    query_set_id: 'uuid or null',
    embedding_config_id: 'uuid or null',
    annotation_set_id: 'uuid or null',
    ontology_snapshot_id: 'uuid',
    statistics: 'object',
  });
  fields('GOPrediction', () => `/embeddings/prediction-sets/${id('knn')}/proteins/${id('accession')}`, {
    go_id: 'text',
    distance: 'number',
    evidence_code: 'text or null',
    ref_protein_accession: 'text or null',
    ...Object.fromEntries(
      [
        'identity_nw',
        'similarity_nw',
        'alignment_score_nw',
        'gaps_pct_nw',
        'alignment_length_nw',
        'identity_sw',
        'similarity_sw',
        'alignment_score_sw',
        'gaps_pct_sw',
        'alignment_length_sw',
      ].map((name) => [name, 'number']),
    ),
    length_query: 'integer',
    length_ref: 'integer',
    vote_count: 'integer or null',
    k_position: 'integer or null',
    go_term_frequency: 'integer or null',
    ref_annotation_density: 'integer or null',
  });
  fields('Dataset', () => '/datasets/grown', {
    id: 'uuid',
    name: 'text',
    train_uri: 'text',
    eval_uri: 'text',
    manifest_uri: 'text',
    schema_sha: 'text',
    manifest_sha: 'text',
    producer_version: 'text or null',
    producer_git_sha: 'text or null',
    embedding_config_id: 'uuid or null',
    ontology_snapshot_id: 'uuid or null',
    meta: 'object',
  });
  fields('ScoringConfig', () => '/scoring/configs', { id: 'uuid', name: 'text', weights: 'object' });
  fields('QuerySet', () => `/query-sets/${id('query_set')}`, {
    id: 'uuid',
    name: 'text',
    entry_count: 'integer',
    entries: 'array',
  });
  fields('ExperimentRun', () => `/experiment-runs/${id('experiment_run')}`, {
    name: 'text',
    description: 'text or null',
    hypothesis: 'text or null',
    findings: 'text or null',
    config: 'object',
    provenance: 'object',
    tags: 'array',
    status: 'text',
    started_at: 'timestamp or null',
    finished_at: 'timestamp or null',
    jobs: 'array',
    evaluation_results: 'array',
    reranker_models: 'array',
  });
  fields('user', () => '/admin/users', {
    id: 'uuid',
    email: 'text',
    username: 'text',
    display_name: 'text',
    role: 'text',
    status: 'text',
    intended_use: 'text or null',
    created_at: 'timestamp',
    last_login_at: 'timestamp or null',
  });
  fields('api_key', () => '/auth/api-keys', {
    id: 'uuid',
    user_id: 'uuid',
    name: 'text',
    prefix: 'text',
    role: 'text',
    created_at: 'timestamp',
    last_used_at: 'timestamp or null',
    revoked_at: 'timestamp or null',
  });
  fields('audit_log', () => '/admin/audit', {
    actor_user_id: 'uuid or null',
    action: 'text',
    target: 'text or null',
    payload: 'object or null',
    occurred_at: 'timestamp',
  });
}
