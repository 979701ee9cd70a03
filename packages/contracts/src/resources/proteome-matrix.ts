import { differenceTests } from '@kindred/kernels/proteome-matrix';
import { z } from 'zod';
import { type PredictionSetId, uuidOf } from '../ids.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import { enrichmentBody } from './enrichment.js';

/** The maximum number of proteomes, of their proteins together, and of rows of a matrix. */
export const mostProteomes = 100;
export const mostMatrixProteins = 2_000_000;
export const mostMatrixRows = 20_000;

export const proteomeMatrixBody = z.strictObject({
  prediction_set_ids: z
    .array(uuidOf<PredictionSetId>())
    .min(2)
    .max(mostProteomes)
    .meta({ description: 'The runs, each the proteins of one proteome; the columns are in this order' }),
  slim: enrichmentBody.shape.slim.meta({
    description: 'Count annotations as the terms of this GO slim: its name or its id; without it all terms',
  }),
  aspect: enrichmentBody.shape.aspect,
  min_probability: z.number().min(0).max(1).nullable().default(null).meta({
    description: 'Only predictions of at least this probability, beside what is known; null: whole answers',
  }),
  min_proteins: z.int().min(1).default(1).meta({
    description: 'Only terms that at least this number of proteins of all proteomes together have',
  }),
  limit: z.int().min(1).max(mostMatrixRows).default(1000).meta({ description: 'Most rows that are given' }),
});

const matrixRow = z.object({
  go_id: z.string(),
  go_name: z.string(),
  aspect: z.enum(aspects),
  counts: z.array(z.int()).meta({
    description: 'Proteins of each proteome with the term or one below it, known or in their answer',
  }),
  shares: z.array(z.number()).meta({ description: 'The counts as shares of all proteins of the proteome' }),
  test: z.enum(differenceTests).meta({
    description:
      "fisher: Fisher's exact test, two-sided, for two proteomes; chi_square: the chi-square test of homogeneity, for more; too_few: not tested, because chi_square would expect less than one protein in a cell; none: no protein, or every one, has the term",
  }),
  p_value: z.number().nullable().meta({ description: 'null: not tested' }),
  false_discovery_rate: z
    .number()
    .nullable()
    .meta({ description: 'By Benjamini and Hochberg, among the tested terms of the aspect' }),
  least_expected: z.number().meta({
    description:
      'Smallest number of proteins with the term, or without it, that a proteome would have if all shares were equal; below 5 chi_square is a rough approximation',
  }),
});

export const proteomeMatrixReply = z.object({
  obo_version: z.string().meta({ description: 'The newest ontology of the runs, by which all are counted' }),
  slim: z.object({ name: z.string(), version: z.string() }).nullable(),
  proteomes: z.array(
    z.object({
      prediction_set_id: z.guid(),
      name: z.string().nullable(),
      created_at: z.string(),
      obo_version: z.string(),
      proteins: z.int().meta({ description: 'All proteins of the run, with an answer or without' }),
      annotated: z.int().meta({ description: 'Proteins with a term that counts' }),
      terms_left_out: z.int().meta({
        description: 'Different terms of the run that the ontology of the matrix does not have',
      }),
    }),
  ),
  tested: z.int().meta({ description: 'Of these, terms that were tested, over all aspects' }),
  row_count: z.int().meta({ description: 'Terms of the matrix; `limit` does not change it' }),
  rows: z
    .array(matrixRow)
    .meta({ description: 'By p value; then those that were not tested, the most frequent first' }),
});

export const proteomeMatrixRoutes = routesOf('embeddings', {
  matrix: {
    method: 'POST',
    path: '/embeddings/prediction-sets/matrix',
    floor: 'viewer',
    rate: 'jobs',
    refuses: [404, 409],
    summary:
      'Several proteomes side by side: how many proteins of each have each term, and whether shares differ',
    body: proteomeMatrixBody,
    reply: { 200: proteomeMatrixReply },
  },
});
