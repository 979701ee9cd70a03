import { evidenceChoices, evidenceGroups } from '@kindred/kernels/combined/vocabulary';
import {
  type ColumnsIn,
  columnsIn,
  type ColumnValue,
  predictionColumn,
  type ReplyName,
  replyNameOf,
} from '@kindred/kernels/prediction';
import { z } from 'zod';
import {
  accession,
  afterQuery,
  annotationSetId,
  aspectQuery,
  booleanQuery,
  embeddingConfigId,
  limitQuery,
  maxTaxon,
  offsetQuery,
  ontologySnapshotId,
  querySetId,
  tsvReply,
  visibility,
  decimalNumber,
} from '../fields.js';
import { hitsNotMeasured, hitsOfSet } from '../search-hits.js';
import { runnerMeaning, runnerName, runnerParameters, runnerParametersMeaning } from '../runner-fields.js';
import { sequenceOnlyMeaning } from '../sequence-only.js';
import { onlyKnn } from '../knn-choices.js';
import { type PredictionSetId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { maxBodyBytes, mostAccessions, routesOf, visibleRows } from '../route.js';
import { predictBaselinePayload, rescoreByVotesPayload } from './baselines.js';
import { queuedReply } from './jobs.js';
import { referenceChoice, referenceMark } from './references.js';
import { slimFields } from './slims.js';
import { aspects } from '../vocabulary.js';

export const predictionSetParams = z.object({ id: uuidOf<PredictionSetId>() });
export const predictionProteinParams = predictionSetParams.extend({ accession: z.string().min(1).max(255) });
const predictionSetStatuses = ['filling', 'complete', 'incomplete'] as const;
const predictionSetStatus = z.enum(predictionSetStatuses);
export const predictionSetListQuery = z.strictObject({
  status: predictionSetStatus.optional().meta({ description: 'Default: filling and complete' }),
  query_set_id: querySetId.optional().meta({
    description: 'All predictions for this query set, for whoever has its id',
  }),
  limit: limitQuery(500),
  after: afterQuery,
});
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
export const termQuery = z.strictObject({ ...slimFields, limit: limitQuery(500) });
const maxDistance = decimalNumber(z.number().min(0))
  .optional()
  .meta({ description: 'Only rows whose measured distance is at most this' });
const contradicted = booleanQuery.optional().meta({
  description: 'Also terms that a taxon constraint or a NOT annotation contradicts. Default false',
});
export const tsvQuery = z.strictObject({
  accession: z.string().min(1).max(255).optional(),
  aspect: aspectQuery,
  max_distance: maxDistance,
  contradicted,
});
export const cafaQuery = z.strictObject({ aspect: aspectQuery, max_distance: maxDistance, contradicted });

export const predictionSetReply = z.object({
  id: z.guid(),
  job_id: z.guid().nullable(),
  method: z.string().meta({
    description:
      'combined: votes of similar proteins, own annotations and a trained model; knn, or another runner by its name: nearest neighbours, whose terms the runner scored; weighted_votes: the same, scored by votes; interpro: domain annotations; naive, sequence_similarity, non_experimental_annotations: baselines',
  }),
  runner: z.object({ name: z.string(), version: z.string() }).nullable().meta({
    description:
      'The runner that scored the terms; null: a method of the service, or a set from before 0.3.0',
  }),
  embedding_config_id: z.guid().nullable(),
  embedding_config_name: z.string().nullable(),
  more_embedding_configs: z
    .array(z.object({ id: z.guid(), name: z.string() }))
    .meta({ description: 'Configurations whose neighbours were merged with those of the first, by id' }),
  annotation_set_id: z.guid().nullable(),
  annotation_set_label: z.string().nullable(),
  reference: referenceMark
    .nullable()
    .meta({ description: 'The reference that it was made with; null: none' }),
  more_references: z.array(referenceMark).meta({
    description: 'Others that were searched: each query has the answer of the one that fits it best',
  }),
  ontology_snapshot_id: z.guid(),
  ontology_snapshot_version: z.string().meta({ description: 'The same as obo_version' }),
  obo_version: z.string(),
  query_set_id: z.guid().nullable(),
  query_set_name: z
    .string()
    .nullable()
    .meta({ description: 'What the run is called; null for predictions for proteins of the catalogue' }),
  limit_per_entry: z.int(),
  distance_threshold: z.number().nullable(),
  metric: z.string(),
  parameters: z.record(z.string(), z.unknown()).meta({
    description: 'taxon_constraints: the release that terms were checked by, null where they were not',
  }),
  status: predictionSetStatus.meta({
    description:
      'filling: its job runs; incomplete: the job failed or was cancelled, and only protein_count of query_count proteins have rows',
  }),
  query_count: z
    .int()
    .nullable()
    .meta({ description: 'Queries that the job was to predict for; null where not known' }),
  prediction_count: z.int(),
  protein_count: z.int(),
  visibility: visibility.meta({ description: 'That of the query set; sets of the catalogue are listed' }),
  expires_at: z.string().nullable(),
  created_at: z.string(),
});
const perAspect = z.object({ P: z.int(), F: z.int(), C: z.int() });
const checkParameters = z.looseObject({
  taxon_constraints: z.string().nullable().default(null),
  queries_without_taxon: z.int().nullable().default(null),
});

/**
 * Lists, each as a sentence, the checks of the terms of a set that nobody made, so that it is unknown whether they speak for or against a
 * term.
 */
export function notChecked(
  set: Pick<z.infer<typeof predictionSetReply>, 'method' | 'parameters'> & {
    statistics: { namesakes: number | null };
  },
): string[] {
  const hits = hitsOfSet(set.parameters);
  const more = hits === null ? [] : [hitsNotMeasured(hits)];
  return [...(set.statistics.namesakes === null ? [namesNotCompared] : []), ...unlookedTerms(set), ...more];
}

/** The sentence for sets that were made before names were compared with sequences. */
export const namesNotCompared =
  'Names of queries that are those of other proteins of the reference: the run is from before they were looked for.';

function unlookedTerms({
  method,
  parameters,
}: Pick<z.infer<typeof predictionSetReply>, 'method' | 'parameters'>): string[] {
  if (method !== 'combined')
    return ['Taxon constraints and NOT annotations: the method does not look at them.'];
  const { data } = checkParameters.safeParse(parameters);
  const { taxon_constraints: constraints = null, queries_without_taxon: withoutTaxon = null } = data ?? {};
  if (constraints === null)
    return ['Taxon constraints: none were loaded (or no taxonomy) when the terms were predicted.'];
  if (withoutTaxon !== null && withoutTaxon > 0)
    return [
      `Taxon constraints for ${withoutTaxon} queries: their organism is not known (OX= in the header names it).`,
    ];
  return [];
}

export const predictionSetDetailReply = predictionSetReply.extend({
  may_change: z.boolean().meta({ description: 'The caller may rename and share it' }),
  statistics: z.object({
    proteins_with_predictions: z.int(),
    proteins_without_predictions: z.int(),
    namesakes: z.int().nullable().meta({
      description:
        'Queries named like a protein of the reference that has another sequence: the names are ignored. null: not looked for when the set was made',
    }),
    pair_count: z.int().meta({ description: '(query, term) pairs' }),
    term_count: z.int().meta({ description: 'Distinct terms' }),
    terms_per_aspect: perAspect.meta({ description: 'Distinct terms' }),
    min_distance: z.number().nullable(),
    mean_min_distance: z.number().nullable().meta({ description: 'Mean distance to the nearest source' }),
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

const valueOf = {
  int4: z.int(),
  float4: z.number(),
  bool: z.boolean(),
  text: z.string(),
  jsonb: z.unknown(),
};

function replyField(name: ColumnsIn<'reply'>): [string, z.ZodType] {
  const { storage, nullable, meaning, unit, values } = predictionColumn(name);
  const given = values === undefined ? valueOf[storage] : z.enum(values);
  const value = nullable ? given.nullable() : given;
  const description = unit === null || storage === 'bool' ? meaning : `${meaning} (${unit})`;
  return [replyNameOf(name), value.meta({ description })];
}

type ReplyShape = { [Name in ColumnsIn<'reply'> as ReplyName<Name>]: z.ZodType<ColumnValue<Name>> };
/** The fields of the reply, from the list of prediction columns. */
export const predictionReply = z.object(Object.fromEntries(columnsIn('reply').map(replyField)) as ReplyShape);
const countedTerm = z.object({ go_id: z.string(), name: z.string(), count: z.int() });
export const termsReply = z.object({
  by_aspect: z.object({ P: z.array(countedTerm), F: z.array(countedTerm), C: z.array(countedTerm) }),
  aspect_totals: perAspect,
  top_terms: z.array(countedTerm.extend({ aspect: z.enum(aspects) })),
});
export const predictionSetDeletedReply = z.object({ deleted: z.guid(), predictions_deleted: z.int() });

export const predictionMethods = ['knn', 'combined'] as const;
/** The number of sources that the combination was trained with, by alignment and again by distance. */
export const combinedSources = 50;
export const predictionMethod = z.enum(predictionMethods).meta({
  description:
    'knn: terms of the nearest sources, scored by a runner; combined: votes of similar proteins, own annotations and a trained model, with probabilities',
});
/** The choices of the annotations and proteins of a reference that count, each with its values and its description. */
export const sourceChoices = {
  evidence: {
    item: z.enum(evidenceChoices),
    most: evidenceChoices.length,
    description: `Only annotations of these groups of evidence or evidence codes count: ${evidenceGroups.join(', ')}, or codes such as IDA`,
  },
  sources: {
    item: z.string().trim().min(1).max(255),
    most: 100,
    description: 'Only annotations that these sources assigned (GAF column 15, such as UniProt) count',
  },
  aspects: {
    item: z.enum(aspects),
    most: aspects.length,
    description: 'Only annotations of these aspects count',
  },
  source_taxa: {
    item: z.int().min(1).max(maxTaxon),
    most: 100,
    description: 'Only proteins of these NCBI taxa and their descendants are sources of terms',
  },
  exclude_taxa: {
    item: z.int().min(1).max(maxTaxon),
    most: 100,
    description: 'Proteins of these NCBI taxa and their descendants give no terms',
  },
} as const;

const chosen = <Item extends z.ZodType>({
  item,
  most,
  description,
}: {
  item: Item;
  most: number;
  description: string;
}) => z.array(item).min(1).max(most).nullable().default(null).meta({ description });
const sourceFields = {
  evidence: chosen(sourceChoices.evidence),
  sources: chosen(sourceChoices.sources),
  aspects: chosen(sourceChoices.aspects),
  source_taxa: chosen(sourceChoices.source_taxa),
  exclude_taxa: chosen(sourceChoices.exclude_taxa),
};
export const sourceChoice = z.object(sourceFields);

/** Gives stored settings their present names: `source_taxa` was `donor_taxa` before version 0.4. */
export function inPresentNames(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null || !('donor_taxa' in settings)) return settings;
  const { donor_taxa: source_taxa, ...others } = settings;
  return { source_taxa, ...others };
}

/** Returns the choices that the settings of a prediction set made of its reference, by name. */
export function chosenSources(parameters: unknown): [name: string, values: string][] {
  const read = sourceChoice.safeParse(inPresentNames(parameters));
  return Object.entries(read.data ?? {}).flatMap(([name, values]): [string, string][] =>
    values === null ? [] : [[name, values.join(', ')]],
  );
}

/** The maximum number of further configurations, because a reference has at most eight. */
export const mostMoreConfigs = 7;
export const moreConfigs =
  'Other configurations whose neighbours are merged with those of the first, in any order';

/** The maximum number of references that one run can be compared with. */
export const mostReferences = 5;
/**
 * The maximum number of annotated proteins of the references besides the largest. They are kept in memory together, because they are
 * searched in turn.
 */
export const mostProteinsBeside = 200_000;

const predictFields = {
  method: predictionMethod.default('knn'),
  runner: runnerName.nullable().default(null).meta({ description: runnerMeaning }),
  runner_parameters: runnerParameters
    .nullable()
    .default(null)
    .meta({
      description: `${runnerParametersMeaning}; a job that you queue has ${maxBodyBytes >> 10} KiB in all`,
    }),
  ...sourceFields,
  use_hits: z.boolean().default(false).meta({
    description: 'With combined: hits that were uploaded with the query set join the relatives',
  }),
  sequence_only: z
    .boolean()
    .default(false)
    .meta({
      description: `With combined: ${sequenceOnlyMeaning}`,
    }),
  aspect: z.enum(aspects).nullable().default(null).meta({
    description: 'With combined: predict terms of this aspect only; what is known in others still counts',
  }),
  embedding_config_id: embeddingConfigId,
  more_embedding_config_ids: z
    .array(embeddingConfigId)
    .min(1)
    .max(mostMoreConfigs)
    .nullable()
    .default(null)
    .meta({ description: moreConfigs }),
  annotation_set_id: annotationSetId,
  more_annotation_set_ids: z
    .array(annotationSetId)
    .min(1)
    .max(mostReferences - 1)
    .nullable()
    .default(null)
    .meta({
      description:
        'With combined: other annotation sets that are searched too; each query has the answer of the one that has the most similar protein, of equals the first',
    }),
  prefer_first: z.boolean().default(false).meta({
    description:
      'With more_annotation_set_ids: search them only for queries that annotation_set_id has no similar protein of',
  }),
  ontology_snapshot_id: ontologySnapshotId,
  query_set_id: querySetId.nullable().default(null).meta({ description: 'Predict for an uploaded set' }),
  query_accessions: z
    .array(accession)
    .min(1)
    .max(mostAccessions)
    .nullable()
    .default(null)
    .meta({ description: 'Predict for these proteins; without both: for all' }),
  limit_per_entry: z
    .int()
    .min(1)
    .max(500)
    .default(5)
    .meta({ description: 'Neighbours per search (k), in distinct sequences' }),
  distance_threshold: z
    .number()
    .min(0)
    .nullable()
    .default(null)
    .meta({ description: 'Leave out neighbours farther than this' }),
  batch_size: z
    .int()
    .min(1)
    .max(4096)
    .default(256)
    .meta({ description: 'Queries per batch message; method combined: at most 32' }),
  metric: z
    .enum(['cosine', 'l2'])
    .default('cosine')
    .meta({ description: 'cosine: 1 - cos, 0 to 2; l2: squared Euclidean distance' }),
  aspect_separated_knn: z
    .boolean()
    .default(true)
    .meta({ description: 'Search each aspect among the proteins that have terms of it' }),
  include_self: z.boolean().default(false).meta({ description: 'Let a query find its own sequence' }),
  compute_alignments: z
    .boolean()
    .default(false)
    .meta({ description: 'Align each query with its sources, globally and locally' }),
  compute_taxonomy: z
    .boolean()
    .default(false)
    .meta({ description: 'Compare the taxa of query and source (after load_taxonomy)' }),
  compute_reranker_features: z
    .boolean()
    .default(false)
    .meta({ description: 'Fill the columns of votes, frequencies and densities' }),
  search: z.enum(['exact', 'hnsw']).default('exact').meta({
    description: 'hnsw: approximate, through a graph of neighbours; its recall is in the result',
  }),
  hnsw_expansion: z
    .int()
    .min(16)
    .max(4096)
    .nullable()
    .default(null)
    .meta({ description: 'Candidates per search of the graph, with search hnsw; null is 128' }),
};
export const predictPayload = z
  .strictObject(predictFields)
  .refine((payload) => payload.query_set_id === null || payload.query_accessions === null, {
    message: 'give query_set_id or query_accessions, not both',
    path: ['query_accessions'],
  })
  .refine((payload) => payload.search === 'hnsw' || payload.hnsw_expansion === null, {
    message: 'leave hnsw_expansion out, or set search to hnsw',
    path: ['hnsw_expansion'],
  })
  .refine((payload) => payload.more_embedding_config_ids === null || payload.search === 'exact', {
    message: 'leave search out with more_embedding_config_ids',
    path: ['search'],
  })
  .refine((payload) => payload.more_embedding_config_ids === null || !payload.compute_reranker_features, {
    message: 'leave it out with more_embedding_config_ids',
    path: ['compute_reranker_features'],
  })
  .superRefine((payload, context) => {
    const combined = payload.method === 'combined';
    const refuse = (path: string, message: string): void => {
      context.addIssue({ code: 'custom', path: [path], message });
    };
    for (const [path, isLeft] of Object.entries(onlyKnn))
      if (combined && !isLeft(payload)) refuse(path, `leave ${path} out, or give method knn with it`);
    if (combined && payload.limit_per_entry > combinedSources)
      refuse('limit_per_entry', `method combined takes at most ${combinedSources} sources of each kind`);
    if (!combined && payload.aspect !== null)
      refuse('aspect', 'leave aspect out, or give method combined with it');
    if (!combined && payload.sequence_only)
      refuse('sequence_only', 'leave sequence_only out, or give method combined with it');
    if (payload.use_hits && (!combined || payload.query_set_id === null))
      refuse('use_hits', 'give method combined and query_set_id with it, or leave it out');
    const isOfSeveral = payload.more_annotation_set_ids !== null;
    if (isOfSeveral && (!combined || payload.more_embedding_config_ids !== null))
      refuse(
        'more_annotation_set_ids',
        'give method combined with it, and leave more_embedding_config_ids out',
      );
    if (payload.prefer_first && !isOfSeveral)
      refuse('prefer_first', 'leave it out, or give more_annotation_set_ids');
  });

/** The payload, which may name a reference instead of its ids. The rules of the payload are checked when the reference is known. */
export const predictBody = z
  .strictObject({
    ...predictFields,
    reference: referenceChoice.optional(),
    embedding_config_id: embeddingConfigId
      .optional()
      .meta({ description: 'With reference: one of its configurations; default: the first' }),
    annotation_set_id: annotationSetId.optional(),
    ontology_snapshot_id: ontologySnapshotId.optional(),
  })
  .refine(
    ({ reference, annotation_set_id, ontology_snapshot_id }) =>
      reference === undefined || (annotation_set_id === undefined && ontology_snapshot_id === undefined),
    { message: 'leave annotation_set_id and ontology_snapshot_id out, or reference', path: ['reference'] },
  );

export const predictionSetOperations = [
  {
    name: 'predict_go_terms',
    queue: 'svc.predictions',
    light: true,
    payload: predictPayload,
    description: 'Transfer GO terms from the nearest annotated proteins',
  },
  {
    name: 'predict_baseline',
    queue: 'svc.predictions',
    light: false,
    payload: predictBaselinePayload,
    description: 'Predict with a simple method, to compare other results with',
  },
  {
    name: 'rescore_by_votes',
    queue: 'svc.predictions',
    light: false,
    payload: rescoreByVotesPayload,
    description:
      'Score a prediction set again by weighted votes of the neighbours, shrunk toward the frequency of each term',
  },
] as const satisfies readonly OperationRow[];

export const predictionSetRoutes = routesOf('embeddings', {
  predict: {
    method: 'POST',
    path: '/embeddings/predict',
    floor: 'researcher',
    refuses: [409, 429],
    summary: 'Queue predict_go_terms',
    body: predictBody,
    reply: { 202: queuedReply },
  },
  list: {
    method: 'GET',
    path: '/embeddings/prediction-sets',
    floor: 'viewer',
    summary: 'List prediction sets',
    access: visibleRows,
    query: predictionSetListQuery,
    reply: { 200: z.array(predictionSetReply) },
  },
  show: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id',
    floor: 'viewer',
    summary: 'One prediction set with statistics',
    params: predictionSetParams,
    reply: { 200: predictionSetDetailReply },
  },
  proteins: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/proteins',
    floor: 'viewer',
    summary: 'Query proteins of a prediction set',
    params: predictionSetParams,
    query: predictedProteinQuery,
    reply: { 200: predictedProteinPageReply },
  },
  ofProtein: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/proteins/:accession',
    floor: 'viewer',
    summary: 'Predictions of one query protein',
    params: predictionProteinParams,
    reply: { 200: z.array(predictionReply) },
  },
  terms: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/go-terms',
    floor: 'viewer',
    summary: 'Distribution of predicted GO terms',
    params: predictionSetParams,
    query: termQuery,
    reply: { 200: termsReply },
  },
  tsv: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/predictions.tsv',
    floor: 'viewer',
    refuses: [409],
    summary: 'All predictions as TSV of 32 columns',
    params: predictionSetParams,
    query: tsvQuery,
    reply: { 200: tsvReply },
  },
  cafa: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/predictions-cafa.tsv',
    floor: 'viewer',
    refuses: [409],
    summary: 'Predictions as a CAFA submission',
    params: predictionSetParams,
    query: cafaQuery,
    reply: { 200: tsvReply },
  },
  remove: {
    method: 'DELETE',
    path: '/embeddings/prediction-sets/:id',
    floor: 'operator',
    refuses: [409],
    summary: 'Delete a prediction set and its predictions',
    params: predictionSetParams,
    reply: { 200: predictionSetDeletedReply },
  },
});
