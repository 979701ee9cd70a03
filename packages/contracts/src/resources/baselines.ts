import { z } from 'zod';
import { accession, annotationSetId, ontologySnapshotId, querySetId } from '../fields.js';
import { type PredictionSetId, uuidOf } from '../ids.js';
import { mostAccessions } from '../route.js';

const baselineMethods = ['naive', 'sequence_similarity', 'non_experimental_annotations'] as const;

const chunkSize = z
  .int()
  .min(1)
  .max(10_000)
  .default(500)
  .meta({ description: 'Queries per committed batch' });
const minimumScore = z
  .number()
  .min(0.001)
  .max(1)
  .default(0.01)
  .meta({ description: 'Leave out terms with a lower score' });

export const predictBaselinePayload = z
  .strictObject({
    method: z.enum(baselineMethods).meta({
      description:
        "naive: how frequent each term is in the annotation set; sequence_similarity: terms of the best local alignments; non_experimental_annotations: the queries' own annotations without an experiment",
    }),
    annotation_set_id: annotationSetId,
    ontology_snapshot_id: ontologySnapshotId,
    query_set_id: querySetId.nullable().default(null).meta({ description: 'Predict for an uploaded set' }),
    query_accessions: z.array(accession).min(1).max(mostAccessions).nullable().default(null).meta({
      description: 'Predict for these proteins; without both: for all',
    }),
    score_by: z.enum(['identity', 'normalised_score']).default('identity').meta({
      description:
        "sequence_similarity: share of identical columns, or the alignment's score over that of the query with itself",
    }),
    max_targets: z
      .int()
      .min(1)
      .max(500)
      .default(50)
      .meta({ description: 'sequence_similarity: most relatives of a query' }),
    expect_value: z
      .number()
      .positive()
      .max(1000)
      .default(0.001)
      .meta({ description: 'sequence_similarity: largest E-value of an alignment' }),
    include_self: z.boolean().default(false).meta({
      description: 'sequence_similarity: let a query find its own sequence',
    }),
    minimum_score: minimumScore,
    chunk_size: chunkSize,
  })
  .refine((payload) => payload.query_set_id === null || payload.query_accessions === null, {
    message: 'give query_set_id or query_accessions, not both',
    path: ['query_accessions'],
  });

export const rescoreByVotesPayload = z.strictObject({
  prediction_set_id: uuidOf<PredictionSetId>().meta({
    description: 'A set of predict_go_terms; best with about 50 neighbours and compute_alignments',
  }),
  weights: z.enum(['auto', 'alignment', 'distance']).default('auto').meta({
    description:
      'What a neighbour weighs: how surprising its alignment is, or how much closer it is than the farthest; auto takes alignments where the set has them',
  }),
  prior_weight: z.number().positive().max(1000).nullable().default(null).meta({
    description:
      'Weight of the frequency of terms; null: 5 with alignments (as much as one of E-value 0.001), 0.5 with distances',
  }),
  own_weight: z.number().nonnegative().max(1000).default(0).meta({
    description:
      'Weight of what is known of the query without an experiment (of the protein with its accession, or else its sequence), as one more neighbour; 0: none. With alignments, 100 is as much as one of E-value 1e-98',
  }),
  own_annotation_set_id: annotationSetId.nullable().default(null).meta({
    description: "Where that is known from; null: the prediction set's own annotation set",
  }),
  minimum_score: minimumScore,
  chunk_size: chunkSize,
});
