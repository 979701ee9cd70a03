import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

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
