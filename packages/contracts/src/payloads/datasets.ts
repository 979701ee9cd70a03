import { z } from 'zod';
import { type EvaluationSetId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operations.js';
import { embeddingConfigId } from './fields.js';

const evaluationSetId = uuidOf<EvaluationSetId>();

/** Names stand in addresses and are found like ids, so that they hold no slash and no white space at their ends. */
export const datasetName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\s/\\](?:[^/\\\p{Cc}]*[^\s/\\])?$/u, 'no / or \\ and no space at the ends')
  .refine((name) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name), 'a UUID is no name')
  .meta({ description: 'Unique; GET /datasets/{name} finds it' });

export const exportDatasetPayload = z
  .strictObject({
    name: datasetName,
    embedding_config_id: embeddingConfigId,
    train_evaluation_set_ids: z
      .array(evaluationSetId)
      .min(1)
      .max(50)
      .meta({ description: 'Temporal holdouts whose rows go into train.parquet, in this order' }),
    eval_evaluation_set_id: evaluationSetId.meta({
      description: 'The holdout whose rows go into eval.parquet; none of the training ones',
    }),
    k: z
      .int()
      .min(1)
      .max(500)
      .default(5)
      .meta({ description: 'Neighbours per search, in distinct sequences' }),
    metric: z.enum(['cosine', 'l2']).default('cosine'),
    distance_threshold: z.number().min(0).nullable().default(null),
    aspect_separated_knn: z.boolean().default(true),
    include_self: z.boolean().default(false).meta({
      description: 'Let a query find its own sequence, as the prediction that will be re-ranked does',
    }),
    compute_alignments: z.boolean().default(false).meta({ description: 'Fill the alignment columns' }),
    compute_taxonomy: z
      .boolean()
      .default(false)
      .meta({ description: 'Fill the taxonomic columns (after load_taxonomy)' }),
    compute_reranker_features: z
      .boolean()
      .default(true)
      .meta({ description: 'Fill the columns of votes, frequencies, term vectors, projection and lineage' }),
    batch_size: z.int().min(1).max(4096).default(256).meta({ description: 'Proteins in work at once' }),
  })
  .refine((payload) => !payload.train_evaluation_set_ids.includes(payload.eval_evaluation_set_id), {
    message: 'is one of train_evaluation_set_ids: a model would be judged by what it was trained on',
    path: ['eval_evaluation_set_id'],
  })
  .refine(
    (payload) => new Set(payload.train_evaluation_set_ids).size === payload.train_evaluation_set_ids.length,
    {
      message: 'an evaluation set is given twice',
      path: ['train_evaluation_set_ids'],
    },
  );

export const exportDatasetRow = {
  name: 'export_research_dataset',
  queue: 'svc.training',
  light: false,
  payload: exportDatasetPayload,
  description:
    'Publish a frozen training dataset: features of transferred terms, labelled by temporal holdouts',
} as const satisfies OperationRow;
