import type { Generated } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface ScoringConfigTable {
  id: Generated<string>;
  name: string;
  formula: string;
  weights: Json;
  evidence_weights: Json | null;
  params: Generated<Json>;
  description: string | null;
  created_at: Generated<Timestamp>;
}
