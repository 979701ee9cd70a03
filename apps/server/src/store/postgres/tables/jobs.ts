import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

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
