import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

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

export interface SupportEntryTable {
  id: Generated<string>;
  comment: string | null;
  created_at: Generated<Timestamp>;
}
