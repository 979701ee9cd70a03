import type { Generated, GeneratedAlways } from 'kysely';
import type { Timestamp } from './values.js';

export interface SequenceTable {
  id: GeneratedAlways<number>;
  sequence: string;
  sequence_md5: string;
  length: number;
  created_at: Generated<Timestamp>;
}

export interface ProteinTable {
  id: GeneratedAlways<number>;
  accession: string;
  canonical_accession: string;
  isoform_index: number | null;
  entry_name: string | null;
  reviewed: boolean | null;
  protein_name: string | null;
  gene_name: string | null;
  organism: string | null;
  taxonomy_id: number | null;
  length: number;
  sequence_id: number;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}

export interface ProteinMetadataTable {
  canonical_accession: string;
  absorption: string | null;
  active_site: string | null;
  binding_site: string | null;
  catalytic_activity: string | null;
  cofactor: string | null;
  dna_binding: string | null;
  ec_number: string | null;
  activity_regulation: string | null;
  function_cc: string | null;
  pathway: string | null;
  kinetics: string | null;
  ph_dependence: string | null;
  redox_potential: string | null;
  rhea_id: string | null;
  site: string | null;
  temperature_dependence: string | null;
  keywords: string | null;
  features: string | null;
  created_at: Generated<Timestamp>;
  updated_at: Generated<Timestamp>;
}
