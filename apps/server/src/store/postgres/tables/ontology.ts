import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface OntologySnapshotTable {
  id: Generated<string>;
  obo_version: string;
  obo_url: string;
  obo_sha256: string;
  ia_url: string | null;
  term_counts: Json;
  relationship_count: number;
  alt_id_count: number;
  loaded_at: Generated<Timestamp>;
}

export interface GoTermTable {
  id: GeneratedAlways<number>;
  ontology_snapshot_id: string;
  go_id: string;
  name: string;
  aspect: string;
  definition: string | null;
  is_obsolete: Generated<boolean>;
  replaced_by: Generated<string[]>;
}

export interface GoTermRelationshipTable {
  ontology_snapshot_id: string;
  child_go_term_id: number;
  parent_go_term_id: number;
  relation_type: string;
}

export interface GoTermAltIdTable {
  ontology_snapshot_id: string;
  alt_id: string;
  go_term_id: number;
}
