import type { ColumnsIn, ColumnsOf, ColumnTable, ColumnValue } from '@kindred/kernels/prediction';
import type { Generated, GeneratedAlways } from 'kysely';
import type { Json, Timestamp } from './values.js';

export interface PredictionSetTable {
  id: Generated<string>;
  number: GeneratedAlways<number>;
  job_id: string | null;
  /** knn, interpro, ... */
  method: Generated<string>;
  /** null where no vectors were compared. */
  embedding_config_id: string | null;
  /** null where no annotated donors were used. */
  annotation_set_id: string | null;
  ontology_snapshot_id: string;
  query_set_id: string | null;
  limit_per_entry: number;
  distance_threshold: number | null;
  metric: Generated<string>;
  parameters: Generated<Json>;
  prediction_count: Generated<number>;
  protein_count: Generated<number>;
  owner_user_id: string | null;
  listed: Generated<boolean>;
  expires_at: Timestamp | null;
  meta: Generated<Json>;
  created_at: Generated<Timestamp>;
}

type StoredColumns<Table extends ColumnTable> = { [Name in ColumnsOf<Table>]: ColumnValue<Name> };

/** One row per (query, term, reference). */
export interface GoPredictionTable extends Omit<StoredColumns<'go_prediction'>, 'predictions_jsonb'> {
  predictions_jsonb: Json | null;
}

/** One row per (query, term), where features were asked for: those that go_prediction does not hold. */
export type GoPredictionPairFeaturesTable = StoredColumns<'go_prediction_pair_features'>;

/** A view: the whole feature vector of each (query, term), with the nearest donor. */
export type GoPredictionFeaturesView = {
  [Name in
    | ColumnsIn<'feature'>
    | 'prediction_set_number'
    | 'protein_accession'
    | 'go_term_id'
    | 'ref_protein_accession']: ColumnValue<Name>;
};

export interface PredictionSetProteinTable {
  prediction_set_number: number;
  protein_accession: string;
  sequence_id: number;
  term_count: number;
  prediction_count: number;
  min_distance: number | null;
}
