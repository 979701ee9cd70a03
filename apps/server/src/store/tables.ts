import type { Generated, GeneratedAlways } from 'kysely';
import type { DatasetTable, ExperimentRunMemberTable, ExperimentRunTable } from './tables/datasets.js';
import type {
  EvaluationResamplesTable,
  EvaluationResultTable,
  EvaluationSetTable,
  EvaluationTruthTable,
  InformationAccretionTable,
} from './tables/evaluation.js';
import type { EmbeddingProjectionTable, GoPredictionFeaturesTable } from './tables/features.js';
import type { RerankerModelTable } from './tables/rerankers.js';
import type { ScoringConfigTable } from './tables/scoring.js';
import type { SourceCheckpointTable, SourceFileTable } from './tables/sources.js';
import type {
  InterproScanTable,
  InterproscanSubmissionTable,
  InterproAnnotationTable,
  InterproGoMappingTable,
  InterproMappingTable,
} from './tables/interpro.js';

/**
 * The rows as the driver hands them out: bigint as number (every count of ours is below 2^53), timestamps as ISO 8601 text with
 * microseconds and Z (a Date would lose the microseconds that cursors need), jsonb parsed. jsonb parameters are given as JSON text or objects.
 */
// oxlint-disable-next-line typescript/no-explicit-any: jsonb holds whatever its writer's schema says; presenters give it a type.
export type Json = any;
export type Timestamp = string;

export interface SequenceTable {
  id: GeneratedAlways<number>;
  sequence: string;
  sequence_md5: string;
  length: number;
  created_at: Generated<Timestamp>;
}

export interface ProteinTable {
  id: GeneratedAlways<number>;
  accession: string;
  canonical_accession: string;
  isoform_index: number | null;
  entry_name: string | null;
  reviewed: boolean | null;
  protein_name: string | null;
  gene_name: string | null;
  organism: string | null;
  taxonomy_id: number | null;
  length: number;
  sequence_id: number;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface ProteinMetadataTable {
  canonical_accession: string;
  absorption: string | null;
  active_site: string | null;
  binding_site: string | null;
  catalytic_activity: string | null;
  cofactor: string | null;
  dna_binding: string | null;
  ec_number: string | null;
  activity_regulation: string | null;
  function_cc: string | null;
  pathway: string | null;
  kinetics: string | null;
  ph_dependence: string | null;
  redox_potential: string | null;
  rhea_id: string | null;
  site: string | null;
  temperature_dependence: string | null;
  keywords: string | null;
  features: string | null;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface OntologySnapshotTable {
  id: Generated<string>;
  obo_version: string;
  obo_url: string;
  obo_sha256: string;
  ia_url: string | null;
  term_counts: Json;
  relationship_count: number;
  alt_id_count: number;
  loaded_at: Generated<Timestamp>;
}

export interface GoTermTable {
  id: GeneratedAlways<number>;
  ontology_snapshot_id: string;
  go_id: string;
  name: string;
  aspect: string;
  definition: string | null;
  is_obsolete: Generated<boolean>;
  replaced_by: Generated<string[]>;
}

export interface GoTermRelationshipTable {
  ontology_snapshot_id: string;
  child_go_term_id: number;
  parent_go_term_id: number;
  relation_type: string;
}

export interface GoTermAltIdTable {
  ontology_snapshot_id: string;
  alt_id: string;
  go_term_id: number;
}

export interface AnnotationSetTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  source: string;
  source_version: string;
  ontology_snapshot_id: string;
  content_sha256: string | null;
  state: Generated<string>;
  job_id: string | null;
  annotation_count: Generated<number>;
  protein_count: Generated<number>;
  statistics: Generated<Json>;
  meta: Generated<Json>;
  created_at: Generated<Timestamp>;
}

export interface ProteinGoAnnotationTable {
  annotation_set_number: number;
  protein_id: number;
  go_term_id: number;
  qualifier: string | null;
  evidence_code: string;
  assigned_by: string | null;
  db_reference: string | null;
  with_from: string | null;
  annotation_date: string | null;
}

export interface EmbeddingConfigTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  model_name: string;
  model_backend: string;
  layer_indices: number[];
  layer_agg: string;
  pooling: string;
  normalize_residues: boolean;
  normalize: boolean;
  max_length: number;
  use_chunking: boolean;
  chunk_size: number;
  chunk_overlap: number;
  dimension: number;
  display_name: string | null;
  family: string | null;
  param_count: number | null;
  description: string | null;
  created_at: Generated<Timestamp>;
}

export interface SequenceEmbeddingTable {
  embedding_config_number: number;
  sequence_id: number;
  chunk_index_s: Generated<number>;
  chunk_index_e: number | null;
  embedding: Buffer;
  created_at: Generated<Timestamp>;
}

export interface QuerySetTable {
  id: Generated<string>;
  name: string;
  description: string | null;
  entry_count: number;
  owner_user_id: string | null;
  listed: Generated<boolean>;
  expires_at: Timestamp | null;
  created_at: Generated<Timestamp>;
}

export interface QuerySetEntryTable {
  id: GeneratedAlways<number>;
  query_set_id: string;
  position: number;
  header: string;
  accession: string;
  taxonomy_id: number | null;
  sequence_id: number;
}

export interface PredictionSetTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  job_id: string | null;
  /** knn, interpro, ... */
  method: Generated<string>;
  /** null where no vectors were compared. */
  embedding_config_id: string | null;
  /** null where no annotated donors were used. */
  annotation_set_id: string | null;
  ontology_snapshot_id: string;
  query_set_id: string | null;
  limit_per_entry: number;
  distance_threshold: number | null;
  metric: Generated<string>;
  parameters: Generated<Json>;
  prediction_count: Generated<number>;
  protein_count: Generated<number>;
  owner_user_id: string | null;
  listed: Generated<boolean>;
  expires_at: Timestamp | null;
  meta: Generated<Json>;
  created_at: Generated<Timestamp>;
}

export interface GoPredictionTable {
  prediction_set_number: number;
  protein_accession: string;
  go_term_id: number;
  /** null where a term has no donor. */
  ref_protein_accession: string | null;
  distance: number;
  score: number;
  term_rank: number;
  is_nearest: boolean;
  qualifier: string | null;
  evidence_code: string | null;
  identity_nw: number | null;
  similarity_nw: number | null;
  alignment_score_nw: number | null;
  gaps_pct_nw: number | null;
  alignment_length_nw: number | null;
  identity_sw: number | null;
  similarity_sw: number | null;
  alignment_score_sw: number | null;
  gaps_pct_sw: number | null;
  alignment_length_sw: number | null;
  length_query: number | null;
  length_ref: number | null;
  query_taxonomy_id: number | null;
  ref_taxonomy_id: number | null;
  taxonomic_lca: number | null;
  taxonomic_distance: number | null;
  taxonomic_common_ancestors: number | null;
  taxonomic_relation: string | null;
  vote_count: number | null;
  k_position: number | null;
  go_term_frequency: number | null;
  ref_annotation_density: number | null;
  neighbor_distance_std: number | null;
  neighbor_vote_fraction: number | null;
  predictions_jsonb: Json | null;
}

export interface PredictionSetProteinTable {
  prediction_set_number: number;
  protein_accession: string;
  sequence_id: number;
  term_count: number;
  prediction_count: number;
  min_distance: number | null;
}

export interface JobTable {
  id: Generated<string>;
  operation: string;
  queue_name: string;
  payload: Generated<Json>;
  meta: Generated<Json>;
  status: Generated<string>;
  parent_job_id: string | null;
  waits_for_job_id: string | null;
  owner_user_id: string | null;
  progress_current: Generated<number>;
  progress_total: number | null;
  description: string | null;
  findings: string | null;
  tags: Generated<string[]>;
  result: Json | null;
  error_code: string | null;
  error_message: string | null;
  attempts: Generated<number>;
  retry_count: Generated<number>;
  lease_losses: Generated<number>;
  lease_owner: string | null;
  lease_expires_at: Timestamp | null;
  dispatched_at: Timestamp | null;
  not_before: Timestamp | null;
  published_at: Timestamp | null;
  deadline_at: Timestamp | null;
  created_at: Generated<Timestamp>;
  started_at: Timestamp | null;
  finished_at: Timestamp | null;
}

export interface JobEventTable {
  id: GeneratedAlways<number>;
  job_id: string;
  ts: Generated<Timestamp>;
  level: Generated<string>;
  event: string;
  message: string | null;
  fields: Generated<Json>;
}

export interface JobCommentTable {
  id: Generated<string>;
  job_id: string;
  author: string | null;
  body: string;
  created_at: Generated<Timestamp>;
}

export interface JobBatchTable {
  parent_job_id: string;
  batch_index: number;
  queue_name: string;
  operation: string;
  payload: Json;
  state: Generated<string>;
  attempts: Generated<number>;
  published_at: Timestamp | null;
  stored_at: Timestamp | null;
  error_message: string | null;
}

export interface WorkerProcessTable {
  id: string;
  role: string;
  host: string;
  pid: number;
  queues: string[];
  version: string;
  started_at: Generated<Timestamp>;
  last_seen_at: Generated<Timestamp>;
}

export interface BrokerMessageTable {
  id: GeneratedAlways<number>;
  queue: string;
  body: Buffer;
  headers: Generated<Json>;
  ready_at: Generated<Timestamp>;
  deliveries: Generated<number>;
  locked_by: string | null;
  locked_until: Timestamp | null;
  created_at: Generated<Timestamp>;
}

export interface UserAccountTable {
  id: Generated<string>;
  email: string;
  username: string;
  display_name: string | null;
  password_hash: string;
  role: Generated<string>;
  status: Generated<string>;
  intended_use: string | null;
  created_at: Generated<Timestamp>;
  last_login_at: Timestamp | null;
}

export interface UserSessionTable {
  id: Generated<string>;
  user_id: string;
  jti: string;
  token_hash: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
  revoked_at: Timestamp | null;
  last_seen_at: Timestamp | null;
  user_agent: string | null;
  client_ip_hash: string | null;
}

export interface ApiKeyTable {
  id: Generated<string>;
  user_id: string;
  name: string;
  prefix: string;
  key_hash: string;
  role: string;
  created_at: Generated<Timestamp>;
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

export interface QuotaTable {
  key: string;
  resource: string;
  period_start: Timestamp;
  count: number;
  limit: number | null;
}

export interface IdempotencyKeyTable {
  principal: string;
  route: string;
  key: string;
  body_sha256: string;
  status: number | null;
  headers: Json | null;
  body: Json | null;
  created_at: Generated<Timestamp>;
}

export interface DailySaltTable {
  /** YYYY-MM-DD */
  day: string;
  salt: Buffer;
}

export interface MailTokenTable {
  token_hash: string;
  user_id: string;
  purpose: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
  used_at: Timestamp | null;
}

export interface VisitorEventTable {
  id: GeneratedAlways<number>;
  visitor_hash: string;
  occurred_at: Timestamp;
}

export interface AuditAuditLogTable {
  id: GeneratedAlways<number>;
  actor_user_id: string | null;
  action: string;
  target: string | null;
  payload: Generated<Json>;
  occurred_at: Generated<Timestamp>;
}

export interface TaxonomyTable {
  id: Generated<string>;
  content_sha256: string;
  files: Json;
  taxon_count: number;
  merged_count: number;
  rejected_lines: number;
  job_id: string | null;
  loaded_at: Generated<Timestamp>;
}

export interface TaxonTable {
  id: number;
  parent_id: number;
  rank: string;
  name: string | null;
}

export interface TaxonMergedTable {
  old_id: number;
  new_id: number;
}

export interface SupportEntryTable {
  id: Generated<string>;
  comment: string | null;
  created_at: Generated<Timestamp>;
}

export interface Tables {
  sequence: SequenceTable;
  protein: ProteinTable;
  protein_metadata: ProteinMetadataTable;
  ontology_snapshot: OntologySnapshotTable;
  go_term: GoTermTable;
  go_term_relationship: GoTermRelationshipTable;
  go_term_alt_id: GoTermAltIdTable;
  annotation_set: AnnotationSetTable;
  protein_go_annotation: ProteinGoAnnotationTable;
  embedding_config: EmbeddingConfigTable;
  sequence_embedding: SequenceEmbeddingTable;
  query_set: QuerySetTable;
  query_set_entry: QuerySetEntryTable;
  prediction_set: PredictionSetTable;
  go_prediction: GoPredictionTable;
  prediction_set_protein: PredictionSetProteinTable;
  go_prediction_features: GoPredictionFeaturesTable;
  embedding_projection: EmbeddingProjectionTable;
  scoring_config: ScoringConfigTable;
  job: JobTable;
  job_event: JobEventTable;
  job_comment: JobCommentTable;
  job_batch: JobBatchTable;
  worker_process: WorkerProcessTable;
  'broker.message': BrokerMessageTable;
  user_account: UserAccountTable;
  user_session: UserSessionTable;
  api_key: ApiKeyTable;
  quota: QuotaTable;
  idempotency_key: IdempotencyKeyTable;
  daily_salt: DailySaltTable;
  mail_token: MailTokenTable;
  visitor_event: VisitorEventTable;
  interpro_mapping: InterproMappingTable;
  interpro_go_mapping: InterproGoMappingTable;
  interpro_annotation: InterproAnnotationTable;
  interpro_scan: InterproScanTable;
  interproscan_submission: InterproscanSubmissionTable;
  source_checkpoint: SourceCheckpointTable;
  source_file: SourceFileTable;
  taxonomy: TaxonomyTable;
  taxon: TaxonTable;
  taxon_merged: TaxonMergedTable;
  support_entry: SupportEntryTable;
  evaluation_set: EvaluationSetTable;
  evaluation_truth: EvaluationTruthTable;
  information_accretion: InformationAccretionTable;
  evaluation_result: EvaluationResultTable;
  evaluation_resamples: EvaluationResamplesTable;
  dataset: DatasetTable;
  reranker_model: RerankerModelTable;
  experiment_run: ExperimentRunTable;
  experiment_run_member: ExperimentRunMemberTable;
  'audit.audit_log': AuditAuditLogTable;
}
