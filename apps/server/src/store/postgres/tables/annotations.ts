import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

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
