import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface InterproMappingTable {
  source_version: string;
  mapping_url: string;
  content_sha256: string;
  pair_count: number;
  entry_count: number;
  header: Generated<Json>;
  job_id: string | null;
  loaded_at: Generated<Timestamp>;
}

export interface InterproGoMappingTable {
  source_version: string;
  interpro_accession: string;
  go_id: string;
}

export interface InterproAnnotationTable {
  sequence_id: number;
  interpro_release: string;
  source_db: string;
  signature_accession: Generated<string>;
  interpro_accession: string | null;
  start_position: number | null;
  end_position: number | null;
  score: string | null;
}

export interface InterproscanSubmissionTable {
  id: Generated<string>;
  job_id: string;
  sequence_id: number;
  service_url: string;
  remote_id: string | null;
  state: Generated<string>;
  message: string | null;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface InterproScanTable {
  sequence_id: number;
  interpro_release: string;
  scanned_at: Generated<Timestamp>;
}
