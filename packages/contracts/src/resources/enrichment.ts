import { type EnrichedTerm, enrichmentMethods } from '@kindred/kernels/enrichment';
import { z } from 'zod';
import { mostAccessions, routesOf } from '../route.js';
import { aspects, defaultMaxRate } from '../vocabulary.js';
import { setParams } from './annotation-sets.js';
import { predictionSetParams } from './prediction-sets.js';
import { slimFields } from './slims.js';

export const mostEnrichedTerms = 10_000;
const accessionOf = z.string().min(1).max(255);
const share = z.number().min(0).max(1);

export const enrichmentBody = z.strictObject({
  accessions: z.array(accessionOf).min(1).max(mostAccessions).meta({ description: 'The list' }),
  population: z
    .array(accessionOf)
    .min(1)
    .max(mostAccessions)
    .nullable()
    .default(null)
    .meta({ description: 'Proteins to compare with; null: all of the set that have a term' }),
  method: z.enum(enrichmentMethods).default('classic').meta({
    description:
      "classic: Fisher's exact test, two-sided; parent_child: whether the list has a term more often among the proteins that have any of its parents, one-sided",
  }),
  slim: slimFields.slim.meta({
    description: 'Count annotations as the terms of this GO slim, and test those alone: its name or its id',
  }),
  aspect: z.enum(aspects).nullable().default(null).meta({ description: 'Only terms of this aspect' }),
  max_rate: share.default(defaultMaxRate).meta({ description: 'Largest false discovery rate that is given' }),
  limit: z
    .int()
    .min(1)
    .max(mostEnrichedTerms)
    .default(1000)
    .meta({ description: 'Most terms that are given' }),
});
export const comparedWith = ['queries', 'reference'] as const;
export const predictedEnrichmentBody = enrichmentBody.extend({
  accessions: enrichmentBody.shape.accessions
    .nullable()
    .default(null)
    .meta({ description: 'The list; null: all queries, which goes with "reference"' }),
  compare_with: z.enum(comparedWith).default('queries').meta({
    description:
      'queries: the other queries; reference: the annotated proteins that the set was predicted from. Then what the reference knows of a query counts, too, and the query counts once. Of several references, the one that answers most of the list is compared with the queries that it answers',
  }),
  min_probability: share.nullable().default(null).meta({
    description: 'Only predictions of at least this probability; null: all terms of the answers',
  }),
});

export const enrichedTerm = z.object({
  go_id: z.string(),
  go_name: z.string(),
  aspect: z.enum(aspects),
  direction: z.enum(['more', 'less']).meta({ description: 'Whether the list has it more often' }),
  list_with_term: z.int(),
  list: z
    .int()
    .meta({ description: 'Proteins of the list; parent_child: those with any parent of the term' }),
  population_with_term: z.int(),
  population: z.int(),
  p_value: z.number(),
  false_discovery_rate: z.number().meta({ description: 'By Benjamini and Hochberg, within the aspect' }),
});
type EnrichedReply = z.infer<typeof enrichedTerm>;

/** Adds its names to a tested term of the kernel. */
export function enrichedTermOf(
  row: EnrichedTerm,
  names: Pick<EnrichedReply, 'go_id' | 'go_name' | 'aspect'>,
): EnrichedReply {
  return {
    ...names,
    direction: row.isEnriched ? 'more' : 'less',
    list_with_term: row.studyCount,
    list: row.studySize,
    population_with_term: row.populationCount,
    population: row.populationSize,
    p_value: row.pValue,
    false_discovery_rate: row.qValue,
  };
}

export const enrichedColumns = Object.keys(enrichedTerm.shape) as (keyof EnrichedReply)[];

export const enrichmentReply = z.object({
  list: z.int().meta({ description: 'Proteins of the list that the population has' }),
  population: z.int(),
  tested: z.int().meta({ description: 'Terms that were tested, over all aspects' }),
  absent_count: z.int(),
  absent: z.array(z.string()).meta({ description: 'Of the list, but not in the population: the first 100' }),
  terms: z.array(enrichedTerm).meta({ description: 'By p value, then by id' }),
});

/** The enrichment among queries says which reference they were compared with. */
export const predictedEnrichmentReply = enrichmentReply.extend({
  reference: z.string().nullable().meta({
    description:
      'Name and version of the reference that the list was compared with; null: the queries, or it has no name',
  }),
  of_other_references: z.array(z.object({ reference: z.string(), proteins: z.int() })).meta({
    description: 'Proteins of the list that other references answer, and that were therefore left out',
  }),
});

const floor = 'viewer' as const;
export const enrichmentRoutes = routesOf('embeddings', {
  ofPredictions: {
    method: 'POST',
    path: '/embeddings/prediction-sets/:id/enrichment',
    floor,
    rate: 'jobs',
    refuses: [409],
    summary: 'Terms that a list of queries has more or less often than all queries of the prediction set',
    params: predictionSetParams,
    body: predictedEnrichmentBody,
    reply: { 200: predictedEnrichmentReply },
  },
  ofAnnotations: {
    tag: 'annotations',
    method: 'POST',
    path: '/annotations/sets/:id/enrichment',
    floor,
    rate: 'jobs',
    summary: 'Terms that a list of proteins has more or less often than all proteins of the annotation set',
    params: setParams,
    body: enrichmentBody,
    reply: { 200: enrichmentReply },
  },
});
