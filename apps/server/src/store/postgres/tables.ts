import type {
  ApiKeyTable,
  DailySaltTable,
  IdempotencyKeyTable,
  MailTokenTable,
  QuotaTable,
  UserAccountTable,
  UserSessionTable,
} from './tables/accounts.js';
import type { AnnotationSetTable, ProteinGoAnnotationTable } from './tables/annotations.js';
import type { DatasetTable, ExperimentRunMemberTable, ExperimentRunTable } from './tables/datasets.js';
import type { EmbeddingConfigTable, SequenceEmbeddingTable } from './tables/embeddings.js';
import type {
  EvaluationResamplesTable,
  EvaluationResultTable,
  EvaluationSetTable,
  EvaluationTruthTable,
  InformationAccretionTable,
} from './tables/evaluation.js';
import type { EmbeddingProjectionTable } from './tables/features.js';
import type {
  InterproAnnotationTable,
  InterproGoMappingTable,
  InterproMappingTable,
  InterproScanTable,
  InterproscanSubmissionTable,
} from './tables/interpro.js';
import type {
  BrokerMessageTable,
  JobBatchTable,
  JobCommentTable,
  JobEventTable,
  JobTable,
  WorkerProcessTable,
} from './tables/jobs.js';
import type {
  GoTermAltIdTable,
  GoTermRelationshipTable,
  GoTermTable,
  OntologySnapshotTable,
} from './tables/ontology.js';
import type {
  GoPredictionFeaturesView,
  GoPredictionPairFeaturesTable,
  GoPredictionTable,
  PredictionSetProteinTable,
  PredictionSetTable,
} from './tables/predictions.js';
import type { ProteinMetadataTable, ProteinTable, SequenceTable } from './tables/proteins.js';
import type { QuerySetEntryTable, QuerySetTable } from './tables/query-sets.js';
import type { AuditAuditLogTable, SupportEntryTable, VisitorEventTable } from './tables/records.js';
import type { RerankerModelTable } from './tables/rerankers.js';
import type { ScoringConfigTable } from './tables/scoring.js';
import type { SourceCheckpointTable, SourceFileTable } from './tables/sources.js';
import type { TaxonMergedTable, TaxonTable, TaxonomyTable } from './tables/taxonomy.js';

export type * from './tables/accounts.js';
export type * from './tables/annotations.js';
export type * from './tables/embeddings.js';
export type * from './tables/jobs.js';
export type * from './tables/ontology.js';
export type * from './tables/predictions.js';
export type * from './tables/proteins.js';
export type * from './tables/query-sets.js';
export type * from './tables/records.js';
export type * from './tables/taxonomy.js';
export type * from './tables/values.js';

/** Every table of the database by its name, for kysely. */
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
  go_prediction_features: GoPredictionFeaturesView;
  go_prediction_pair_features: GoPredictionPairFeaturesTable;
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
