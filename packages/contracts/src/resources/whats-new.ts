import { knownBases } from '@kindred/kernels/answer';
import { z } from 'zod';
import { booleanQuery, wholeNumber } from '../fields.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import { predictionSetParams } from './prediction-sets.js';

/** The maximum number of annotations of one reply. */
export const mostNewAnnotations = 20_000;

export const whatsNewQuery = z.strictObject({
  since: z.iso.date('expected a day of the calendar, such as 2025-11-28').optional().meta({
    description:
      'Annotations of this day and later. Default: a year before the newest annotation of these proteins',
  }),
  electronic: booleanQuery.optional().meta({
    description:
      'false: without annotations by a program, whose day is often that of the last run of the program. Default true',
  }),
  limit: wholeNumber(z.int().min(1).max(mostNewAnnotations).default(1000)).meta({
    description: 'Most annotations that are given, the newest ones',
  }),
});

export const whatsNewReply = z.object({
  since: z.string().nullable().meta({ description: 'YYYY-MM-DD; null: no annotation has a day' }),
  newest: z.string().nullable().meta({ description: 'The day of the newest annotation' }),
  references: z
    .array(z.string().nullable())
    .meta({ description: 'Name and version of the references that know proteins of the run; null: no name' }),
  proteins: z.int().meta({ description: 'Of the run' }),
  known_proteins: z.int().meta({ description: 'Of these, proteins that a reference knows' }),
  row_count: z.int().meta({ description: 'Annotations since that day; `limit` does not change it' }),
  new_proteins: z.int().meta({ description: 'Proteins with such an annotation' }),
  older: z.int().meta({ description: 'Annotations of an earlier day' }),
  undated: z.int().meta({ description: 'Annotations without a day, which may be new' }),
  electronic: z
    .boolean()
    .meta({ description: 'Whether annotations by a program count in all these numbers' }),
  rows: z
    .array(
      z.object({
        annotation_date: z.string().meta({ description: 'YYYY-MM-DD' }),
        protein: z.string(),
        known_accession: z.string().meta({ description: 'The protein of the reference that it is' }),
        go_id: z.string(),
        go_name: z.string(),
        aspect: z.enum(aspects),
        is_new_term: z.boolean().meta({
          description: 'The protein has no earlier annotation of this very term, and none without a day',
        }),
        qualifier: z
          .string()
          .nullable()
          .meta({ description: 'With NOT: the protein does not have the term' }),
        basis: z.enum(knownBases),
        evidence_code: z.string(),
        db_reference: z.string().nullable(),
        with_from: z.string().nullable(),
        assigned_by: z.string().nullable(),
      }),
    )
    .meta({ description: 'The newest first, then by protein and term' }),
});

export const whatsNewRoutes = routesOf('embeddings', {
  whatsNew: {
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/whats-new',
    floor: 'viewer',
    summary: 'What is known of the proteins of a run by annotations since a day, the newest first',
    params: predictionSetParams,
    query: whatsNewQuery,
    reply: { 200: whatsNewReply },
  },
});
