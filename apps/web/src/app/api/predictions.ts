import type { Aspect } from '@kindred/contracts';
import { apiPath, getJson, getPage } from './request.js';

export interface PredictionSet {
  id: string;
  job_id: string | null;
  method: string;
  embedding_config_id: string | null;
  embedding_config_name: string | null;
  annotation_set_id: string | null;
  annotation_set_label: string | null;
  ontology_snapshot_id: string;
  ontology_snapshot_version: string;
  query_set_id: string | null;
  limit_per_entry: number;
  distance_threshold: number | null;
  metric: string;
  prediction_count: number;
  protein_count: number;
  expires_at: string | null;
  created_at: string;
}

export interface PredictionSetDetail extends PredictionSet {
  statistics: {
    proteins_with_predictions: number;
    proteins_without_predictions: number;
    term_count: number;
    terms_per_aspect: Record<Aspect, number>;
    min_distance: number | null;
    mean_min_distance: number | null;
  };
}

export interface PredictedProtein {
  accession: string;
  go_count: number;
  prediction_count: number;
  min_distance: number | null;
  /** The catalogue has a protein of this accession. */
  in_db: boolean;
}

export interface ProteinPage {
  total: number;
  offset: number;
  limit: number;
  items: PredictedProtein[];
}

/** One term transferred from one donor. */
export interface Prediction {
  go_id: string;
  name: string;
  aspect: Aspect;
  score: number;
  /** null: no distance was measured. */
  distance: number | null;
  /** The donor is the nearest of its term. */
  is_nearest: boolean;
  /** What gave the term; none: it is predicted because it is frequent. */
  source_kind: 'protein' | 'interpro_entry' | 'own_annotation' | 'none';
  source_id: string | null;
  qualifier: string | null;
  evidence_code: string | null;
  identity_nw: number | null;
  identity_sw: number | null;
  ref_taxonomy_id: number | null;
  taxonomic_relation: string | null;
  vote_count: number | null;
}

export interface QueryEntry {
  accession: string;
  header: string;
  taxonomy_id: number | null;
  length: number;
}

export const proteinsPerPage = 100;

export const listPredictionSets = (after?: string) =>
  getPage<PredictionSet>('/embeddings/prediction-sets', { limit: 50, after });
export const getPredictionSet = (id: string) =>
  getJson<PredictionSetDetail>(`/embeddings/prediction-sets/${id}`);
export const getPredictedProteins = (id: string, search: string, offset: number) =>
  getJson<ProteinPage>(`/embeddings/prediction-sets/${id}/proteins`, {
    search: search.trim() === '' ? undefined : search.trim(),
    limit: proteinsPerPage,
    offset,
  });
export const getPredictions = (id: string, accession: string) =>
  getJson<Prediction[]>(`/embeddings/prediction-sets/${id}/proteins/${encodeURIComponent(accession)}`);
/** Names of the newest query sets by id. */
export const getQuerySetNames = async () => {
  const sets = await getJson<{ id: string; name: string }[]>('/query-sets', { limit: 500 });
  return new Map(sets.map((set) => [set.id, set.name]));
};
export const getQueryEntries = async (id: string) =>
  (await getJson<{ entries: QueryEntry[] }>(`/query-sets/${id}`)).entries;

export const predictionsTsv = (id: string) => apiPath(`/embeddings/prediction-sets/${id}/predictions.tsv`);
export const predictionsCafa = (id: string) =>
  apiPath(`/embeddings/prediction-sets/${id}/predictions-cafa.tsv`);
