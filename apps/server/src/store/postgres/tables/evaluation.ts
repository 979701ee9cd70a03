import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface EvaluationSetTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  old_annotation_set_id: string;
  new_annotation_set_id: string;
  ontology_snapshot_id: string;
  job_id: string | null;
  rules: Json;
  stats: Json;
  created_at: Generated<Timestamp>;
}

export interface EvaluationTruthTable {
  evaluation_set_number: number;
  category: string;
  protein_id: number;
  go_term_id: number;
}

export interface InformationAccretionTable {
  id: Generated<string>;
  ontology_snapshot_id: string;
  annotation_set_id: string;
  evidence: string[];
  sha256: string;
  protein_count: number;
  term_count: number;
  go_ids: string[];
  bits: number[];
  created_at: Generated<Timestamp>;
}

export interface EvaluationResultTable {
  id: Generated<string>;
  evaluation_set_id: string;
  prediction_set_id: string;
  job_id: string | null;
  options: Json;
  options_sha256: string;
  frame: Json;
  results: Json;
  intervals: Json;
  artifacts: Generated<Json>;
  created_at: Generated<Timestamp>;
}

export interface EvaluationResamplesTable {
  evaluation_result_id: string;
  category: string;
  aspect: string;
  population_key: number;
  seed: number;
  resamples: number;
  proteins: number;
  estimates: number[];
  figures: string[];
  samples: Buffer;
}
