import { aspects, type PredictionSetId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery, offsetQuery } from '../../validation.js';

export const predictionSetParams = z.object({ id: uuidOf<PredictionSetId>() });
export const predictionProteinParams = predictionSetParams.extend({ accession: z.string().min(1).max(255) });
export const predictionSetListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });
export const predictedProteinQuery = z.strictObject({
  search: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'Part of the accession, any case' }),
  limit: limitQuery(500),
  offset: offsetQuery,
});
export const termQuery = z.strictObject({ limit: limitQuery(500) });
const aspect = z
  .string()
  .toUpperCase()
  .transform((text) => ({ BPO: 'P', MFO: 'F', CCO: 'C' })[text] ?? text)
  .pipe(z.enum(aspects, 'expected P, F or C'))
  .optional()
  .meta({ description: 'P, F or C (BPO, MFO, CCO are taken too)' });
const maxDistance = z.coerce.number().min(0).optional();
export const tsvQuery = z.strictObject({
  accession: z.string().min(1).max(255).optional(),
  aspect,
  max_distance: maxDistance,
});
export const cafaQuery = z.strictObject({ aspect, max_distance: maxDistance });

export const predictionSetReply = z.object({
  id: z.guid(),
  job_id: z.guid().nullable(),
  method: z.string().meta({
    description:
      'knn: nearest-neighbour transfer; weighted_votes: the same, scored by votes; interpro: domain annotations; naive, sequence_similarity, non_experimental_annotations: baselines',
  }),
  embedding_config_id: z.guid().nullable(),
  embedding_config_name: z.string().nullable(),
  annotation_set_id: z.guid().nullable(),
  annotation_set_label: z.string().nullable(),
  ontology_snapshot_id: z.guid(),
  ontology_snapshot_version: z.string(),
  query_set_id: z.guid().nullable(),
  limit_per_entry: z.int(),
  distance_threshold: z.number().nullable(),
  metric: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  prediction_count: z.int(),
  protein_count: z.int(),
  expires_at: z.string().nullable(),
  created_at: z.string(),
});
const perAspect = z.object({ P: z.int(), F: z.int(), C: z.int() });
export const predictionSetDetailReply = predictionSetReply.extend({
  statistics: z.object({
    proteins_with_predictions: z.int(),
    proteins_without_predictions: z.int(),
    term_count: z.int().meta({ description: '(query, term) pairs' }),
    terms_per_aspect: perAspect,
    min_distance: z.number().nullable(),
    mean_min_distance: z.number().nullable().meta({ description: 'Mean distance to the nearest donor' }),
  }),
});
export const predictedProteinPageReply = z.object({
  total: z.int(),
  offset: z.int(),
  limit: z.int(),
  items: z.array(
    z.object({
      accession: z.string(),
      go_count: z.int(),
      prediction_count: z.int(),
      min_distance: z.number().nullable(),
      in_db: z.boolean().meta({ description: 'The catalogue has a protein of this accession' }),
    }),
  ),
});

const real = z.number().nullable();
const whole = z.int().nullable();
export const predictionReply = z.object({
  go_id: z.string(),
  name: z.string(),
  aspect: z.enum(aspects),
  score: z.number(),
  distance: z.number(),
  is_nearest: z
    .boolean()
    .meta({ description: 'The donor is the nearest of its term; score and features belong to it' }),
  ref_protein_accession: z.string().nullable().meta({ description: 'null: the term has no donor' }),
  qualifier: z.string().nullable(),
  evidence_code: z.string().nullable(),
  identity_nw: real,
  similarity_nw: real,
  alignment_score_nw: real,
  gaps_pct_nw: real,
  alignment_length_nw: real,
  identity_sw: real,
  similarity_sw: real,
  alignment_score_sw: real,
  gaps_pct_sw: real,
  alignment_length_sw: real,
  length_query: whole,
  length_ref: whole,
  query_taxonomy_id: whole,
  ref_taxonomy_id: whole,
  taxonomic_lca: whole,
  taxonomic_distance: whole,
  taxonomic_common_ancestors: whole,
  taxonomic_relation: z.string().nullable(),
  vote_count: whole,
  k_position: whole,
  go_term_frequency: whole,
  ref_annotation_density: whole,
  neighbor_distance_std: real,
  neighbor_vote_fraction: real,
});
const countedTerm = z.object({ go_id: z.string(), name: z.string(), count: z.int() });
export const termsReply = z.object({
  by_aspect: z.object({ P: z.array(countedTerm), F: z.array(countedTerm), C: z.array(countedTerm) }),
  aspect_totals: perAspect,
  top_terms: z.array(countedTerm.extend({ aspect: z.enum(aspects) })),
});
export const predictionSetDeletedReply = z.object({ deleted: z.guid(), predictions_deleted: z.int() });
export const tsvReply = {
  description: 'Streamed, gzip where accepted',
  content: { 'text/tab-separated-values': { schema: z.string() } },
};
