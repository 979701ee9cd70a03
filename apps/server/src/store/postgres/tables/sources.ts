import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface SourceCheckpointTable {
  job_id: string;
  checkpoint: string;
  counts: Generated<Json>;
  updated_at: Generated<Timestamp>;
}

export interface SourceFileTable {
  url: string;
  etag: string | null;
  last_modified: string | null;
  content_sha256: string;
  read_at: Generated<Timestamp>;
}
