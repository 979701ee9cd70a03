import { z } from 'zod';
import {
  annotationSetId,
  aspectQuery,
  booleanQuery,
  limitQuery,
  listQuery,
  onBadLine,
  offsetQuery,
  timeoutSeconds,
  url,
  wholeNumber,
} from '../fields.js';
import { goIdPattern } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { routesOf } from '../route.js';
import { aspects } from '../vocabulary.js';

export const proteinParams = z.object({ accession: z.string().min(1).max(100) });
export const proteinFormats = ['json', 'tsv', 'fasta'] as const;
/** The number of rows of a JSON answer if the request names none. */
export const defaultProteinLimit = 50;
export const proteinListQuery = z
  .strictObject({
    accessions: listQuery(z.string().min(1).max(100), 500)
      .optional()
      .meta({ description: 'Accessions joined by commas, secondary ones too; any case' }),
    organism: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .optional()
      .meta({ description: 'Part of the name; any case' }),
    taxonomy_id: wholeNumber(z.int().min(1).max(2_147_483_647)).optional(),
    descendants: booleanQuery.optional().meta({
      description: 'true: taxa below taxonomy_id too, as the loaded taxonomy has them',
    }),
    reviewed: booleanQuery.optional(),
    search: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/[\p{L}\p{N}]/u, 'expected at least one letter or digit')
      .optional()
      .meta({
        description:
          'Words, each the beginning of a word in accession, entry name, gene, protein name or organism; any case, in any order; words of one or two characters whole. Or a secondary accession',
      }),
    format: z
      .enum(proteinFormats)
      .default('json')
      .meta({ description: 'tsv and fasta are streamed whole, without limit and offset' }),
    limit: wholeNumber(z.int().min(1).max(500))
      .optional()
      .meta({ description: `Rows per answer; default ${defaultProteinLimit}` }),
    offset: wholeNumber(
      z
        .int()
        .min(0)
        .max(2 ** 31),
    ).optional(),
  })
  .refine((query) => query.descendants !== true || query.taxonomy_id !== undefined, {
    message: 'descendants needs a taxonomy_id',
    path: ['descendants'],
  })
  .refine((query) => query.format === 'json' || (query.limit ?? query.offset) === undefined, {
    message: 'tsv and fasta are sent whole: leave limit and offset out',
    path: ['format'],
  });
export const annotationQuery = z
  .strictObject({
    aspect: aspectQuery,
    evidence_code: listQuery(z.string().regex(/^[A-Za-z]{2,3}$/, 'expected codes such as IDA'), 30)
      .optional()
      .meta({ description: 'Evidence codes joined by commas; any case' }),
    annotation_set_id: annotationSetId.optional(),
    qualifier: z.string().trim().min(1).max(100).optional().meta({
      description: 'One part of the qualifier, such as NOT or contributes_to; any case',
    }),
    go_id: z.string().regex(goIdPattern, 'expected GO: and seven digits').optional(),
    descendants: booleanQuery.optional().meta({
      description: 'true: terms below go_id too, over is_a and part_of within the aspect',
    }),
    limit: limitQuery(5000, 500),
    offset: offsetQuery,
  })
  .refine((query) => query.descendants !== true || query.go_id !== undefined, {
    message: 'descendants needs a go_id',
    path: ['descendants'],
  });

export const statsReply = z.object({
  total: z.int(),
  canonical: z.int(),
  reviewed: z.int(),
  organisms: z.int(),
});
export const proteinReply = z.object({
  accession: z.string(),
  canonical_accession: z.string(),
  is_canonical: z.boolean(),
  isoform_index: z.int().nullable(),
  entry_name: z.string().nullable(),
  protein_name: z.string().nullable(),
  gene_name: z.string().nullable(),
  organism: z.string().nullable(),
  taxonomy_id: z.int().nullable(),
  length: z.int(),
  reviewed: z.boolean().nullable(),
});
export const proteinPageReply = z.object({
  total: z.int(),
  total_is_exact: z
    .boolean()
    .meta({ description: 'false: a search found more than total, where counting stops' }),
  offset: z.int(),
  limit: z.int(),
  items: z.array(proteinReply),
});

const text = z.string().nullable();
export const metadataReply = z.object({
  function_cc: text,
  ec_number: text,
  catalytic_activity: text,
  pathway: text,
  keywords: text,
  cofactor: text,
  activity_regulation: text,
  absorption: text,
  kinetics: text,
  ph_dependence: text,
  redox_potential: text,
  temperature_dependence: text,
  active_site: text,
  binding_site: text,
  dna_binding: text,
  rhea_id: text,
  site: text,
  features: text,
});
export const proteinDetailReply = proteinReply.extend({
  sequence_id: z.int(),
  sequence: z.string(),
  sequence_md5: z.string(),
  isoforms: z.array(z.string()),
  secondary_accessions: z
    .array(z.string())
    .meta({ description: 'Accessions that UniProt merged into this one, or split it from' }),
  reference_sequences: z
    .array(
      z.object({
        sequence: z.string(),
        sequence_md5: z.string(),
        length: z.int(),
        references: z.array(z.object({ id: z.guid(), name: z.string(), version: z.string() })),
      }),
    )
    .meta({
      description:
        'Sequences that complete references give it, with those references (the newest 200); one accession may have another sequence in each',
    }),
  metadata: metadataReply.nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});
export const annotationReply = z.object({
  go_id: z.string(),
  name: z.string(),
  aspect: z.enum(aspects),
  is_obsolete: z.boolean(),
  qualifier: text,
  evidence_code: z.string(),
  assigned_by: text,
  db_reference: text,
  with_from: text,
  annotation_date: text,
  annotation_set_id: z.guid(),
  annotation_set_source: z.string(),
  annotation_set_version: z.string(),
  obo_version: z.string(),
});

export const insertProteinsPayload = z
  .strictObject({
    search_criteria: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .optional()
      .meta({ description: 'UniProt query, e.g. organism_id:83333 AND reviewed:true' }),
    fasta_url: url.optional(),
    include_isoforms: z.boolean().default(true).meta({ description: 'Load accessions such as P04637-2 too' }),
    page_size: z.int().min(1).max(500).default(500).meta({ description: 'Records per committed batch' }),
    total_limit: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .meta({ description: 'Largest number of records to read' }),
    timeout_seconds: timeoutSeconds(60),
  })
  .refine((payload) => (payload.search_criteria === undefined) !== (payload.fasta_url === undefined), {
    message: 'give either search_criteria (UniProt) or fasta_url (a FASTA file), not both',
    path: ['search_criteria'],
  });

export const fetchMetadataPayload = z.strictObject({
  search_criteria: z
    .string()
    .trim()
    .min(1)
    .max(2000)
    .meta({ description: 'UniProt query, e.g. organism_id:83333 AND reviewed:true' }),
  page_size: z.int().min(1).max(500).default(500).meta({ description: 'Records per request and commit' }),
  total_limit: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'Largest number of records to read' }),
  update_protein_core: z.boolean().default(true).meta({
    description: 'Fill names, gene and organism of proteins that have none yet',
  }),
  timeout_seconds: timeoutSeconds(60),
});

export const loadSecondaryAccessionsPayload = z.strictObject({
  list_url: url.default(
    'https://ftp.uniprot.org/pub/databases/uniprot/current_release/knowledgebase/complete/docs/sec_ac.txt',
  ),
  on_bad_line: onBadLine,
  timeout_seconds: timeoutSeconds(60),
});

export const proteinOperations = [
  {
    name: 'insert_proteins',
    queue: 'svc.jobs',
    light: false,
    payload: insertProteinsPayload,
    description: 'Load proteins from a FASTA file or from the UniProt REST API',
  },
  {
    name: 'fetch_uniprot_metadata',
    queue: 'svc.jobs',
    light: true,
    payload: fetchMetadataPayload,
    description: 'Fetch function, catalytic activity, pathways and more from UniProt, by canonical accession',
  },
  {
    name: 'load_secondary_accessions',
    queue: 'svc.jobs',
    light: false,
    payload: loadSecondaryAccessionsPayload,
    description:
      "Load the accessions that UniProt gave up, from its list sec_ac.txt or from entries in UniProt's flat text format",
  },
] as const satisfies readonly OperationRow[];

export const proteinRoutes = routesOf('proteins', {
  statistics: {
    method: 'GET',
    path: '/proteins/stats',
    floor: 'viewer',
    summary: 'Counts of the catalogue',
    reply: { 200: statsReply },
  },
  list: {
    method: 'GET',
    path: '/proteins',
    floor: 'viewer',
    summary: 'List proteins by accession',
    query: proteinListQuery,
    reply: {
      200: {
        description: 'A page; or all rows, streamed, gzip where accepted',
        content: {
          'application/json': { schema: proteinPageReply },
          'text/tab-separated-values': { schema: z.string() },
          'text/x-fasta': { schema: z.string() },
        },
      },
    },
  },
  show: {
    method: 'GET',
    path: '/proteins/:accession',
    floor: 'viewer',
    summary: 'One protein with metadata, by its accession or by a secondary one',
    params: proteinParams,
    reply: { 200: proteinDetailReply },
  },
  annotations: {
    method: 'GET',
    path: '/proteins/:accession/annotations',
    floor: 'viewer',
    summary: 'GO annotations of a protein across all annotation sets',
    params: proteinParams,
    query: annotationQuery,
    reply: { 200: z.array(annotationReply) },
  },
});
