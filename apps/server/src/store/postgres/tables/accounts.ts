import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

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

export interface MailTokenTable {
  token_hash: string;
  user_id: string;
  purpose: string;
  created_at: Generated<Timestamp>;
  expires_at: Timestamp;
  used_at: Timestamp | null;
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
