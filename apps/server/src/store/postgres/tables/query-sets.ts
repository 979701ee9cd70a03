import type { Generated, GeneratedAlways } from 'kysely';
import type { Timestamp } from './values.js';

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
