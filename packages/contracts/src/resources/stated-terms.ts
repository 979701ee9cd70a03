import { agreements, ownKinds } from '@kindred/kernels/consensus';
import { statedTermFormats } from '@kindred/kernels/formats';
import { z } from 'zod';
import { booleanQuery, wholeNumber } from '../fields.js';
import { ownRows, routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';
import { predictionSetParams } from './prediction-sets.js';
import { querySetParams } from './query-sets.js';

/** The maximum number of proteins of one page of a comparison. */
export const mostCompared = 500;

const program = z.string().trim().min(1, 'name the program, or leave it out').max(100);
export const statedTermsFields = z.strictObject({ program: program.optional() });
const statedTermsForm = z.strictObject({
  file: z.file().meta({
    description:
      'Terms of these proteins by another program: .emapper.annotations of eggNOG-mapper, TSV, GFF3 or JSON of InterProScan with GO terms, or predictions in the form of CAFA; also packed with gzip',
  }),
  program: program.optional().meta({
    description: 'Name of the program. Default: that of the format. Its earlier file is replaced',
  }),
});

const count = (description: string) => z.int().meta({ description });
/** A file of another program's terms, and what became of its lines. */
export const statedTermsFile = z.object({
  program: z.string(),
  file: z.string().meta({ description: 'Name of the file' }),
  format: z.enum(statedTermFormats),
  sha256: z.string(),
  proteins: count('Proteins of the query set with a term'),
  terms: count('Their terms, each once a protein'),
  unknown_proteins: count('Proteins that the query set lacks, whose terms are left out'),
  unknown_protein: z.string().nullable().meta({ description: 'The first of these names' }),
  skipped: count('Lines without a GO term'),
  unreadable: count('Lines that cannot be read, which are left out'),
  faults: z
    .array(z.object({ line: z.int(), record: z.string().nullable(), reason: z.string() }))
    .meta({ description: 'The first five of these lines' }),
});
export type StatedTermsFile = z.infer<typeof statedTermsFile>;

const comparedTerm = z.object({
  go_id: z.string(),
  go_name: z.string().nullable(),
  aspect: z.enum(aspects).nullable(),
  agreement: z.enum(agreements).meta({
    description:
      'both: Kindred and another program; a more specific term says the term, too. contradicted: another program says what Kindred knows not to be so',
  }),
  kindred: z.enum(ownKinds).nullable().meta({ description: 'null: Kindred does not say the term' }),
  kindred_term: z
    .string()
    .nullable()
    .meta({ description: 'The term by which Kindred says it, or speaks against it' }),
  kindred_term_name: z.string().nullable(),
  kindred_score: z.number().nullable(),
  kindred_certainty: z.string().nullable(),
  contradiction: z.string().nullable().meta({ description: 'Why Kindred holds that it cannot be' }),
  said_by: z
    .array(
      z.object({
        program: z.string(),
        go_id: z.string().meta({ description: 'The term by which the program says it' }),
        go_name: z.string().nullable(),
        score: z
          .number()
          .nullable()
          .meta({ description: "The program's own; null where its files have none" }),
        basis: z
          .string()
          .nullable()
          .meta({ description: 'The ground that the program names: an ortholog, a signature' }),
      }),
    )
    .meta({ description: 'Other programs' }),
});
export const comparisonReply = z.object({
  programs: z.array(z.string()).meta({ description: 'Programs that are compared, by name' }),
  next: z.string().nullable().meta({ description: 'For `after` of the next page; null at the end' }),
  proteins: z.array(
    z.object({
      accession: z.string(),
      silent: z.array(z.string()).meta({ description: 'Programs whose file has no term of the protein' }),
      terms: z
        .array(comparedTerm)
        .meta({ description: 'What Kindred lists in the order of its answer, then what only others say' }),
    }),
  ),
  obsolete: z
    .array(z.string())
    .meta({ description: 'Obsolete terms that other programs state of these proteins, which are left out' }),
  absent: z
    .array(z.string())
    .meta({ description: 'Such terms that the ontology of the run lacks, which are left out' }),
  implied: count('Terms of a program without a row: a more specific one of the same program implies them'),
});
export type ComparisonReply = z.infer<typeof comparisonReply>;
export const comparisonQuery = z.strictObject({
  accession: z.string().min(1).max(255).optional().meta({ description: 'This protein alone' }),
  program: program.optional().meta({ description: 'This program alone. Default: all' }),
  all: booleanQuery.optional().meta({
    description: 'Compare also with the less certain terms below the end of the answers. Default false',
  }),
  limit: wholeNumber(z.int().min(1).max(mostCompared).default(200)),
  after: z.string().min(1).max(255).optional().meta({ description: '`next` of the page before' }),
});

export const statedTermRoutes = routesOf('query sets', {
  addStatedTerms: {
    method: 'POST',
    path: '/query-sets/:id/stated-terms',
    floor: 'researcher',
    access: ownRows,
    refuses: [409],
    rate: 'uploads',
    summary:
      'Add the terms that another program states of the proteins, to compare runs with; no score changes',
    params: querySetParams,
    upload: { form: statedTermsForm },
    reply: { 201: statedTermsFile },
  },
  statedTerms: {
    method: 'GET',
    path: '/query-sets/:id/stated-terms',
    floor: 'viewer',
    summary: 'Files of terms that other programs state of the proteins',
    params: querySetParams,
    reply: { 200: z.array(statedTermsFile) },
  },
  removeStatedTerms: {
    method: 'DELETE',
    path: '/query-sets/:id/stated-terms/:program',
    floor: 'researcher',
    access: ownRows,
    summary: 'Remove the terms of another program',
    params: querySetParams.extend({ program }),
    reply: { 200: z.object({ deleted: z.string() }) },
  },
  comparison: {
    tag: 'embeddings',
    method: 'GET',
    path: '/embeddings/prediction-sets/:id/stated-terms',
    floor: 'viewer',
    summary: 'What a run and other programs say of its proteins, protein by protein',
    params: predictionSetParams,
    query: comparisonQuery,
    reply: { 200: comparisonReply },
  },
});
