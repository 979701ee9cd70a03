import { z } from 'zod';
import type { QueueName } from './jobs.js';
import { exportDatasetRow } from './payloads/datasets.js';
import { baselineOperationRows } from './payloads/baselines.js';
import { evaluationOperationRows } from './payloads/evaluation.js';
import {
  accession,
  annotationSetId,
  embeddingConfigId,
  onBadLine,
  ontologySnapshotId,
  querySetId,
  timeoutSeconds,
  url,
} from './payloads/fields.js';
import { interproRows } from './payloads/interpro.js';
import { vectorRows } from './payloads/vectors.js';
import { uniprotRows } from './payloads/uniprot.js';

/**
 * Payload schemas of the operations, checked at POST /jobs and again by the worker. Each is strict: an unknown key is a
 * fault, never a parameter that is accepted and dropped.
 */
export const pingPayload = z.looseObject({});

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
    total_limit: z.int().min(1).nullable().default(null).meta({ description: 'Stop after so many records' }),
    timeout_seconds: timeoutSeconds(60),
  })
  .refine((payload) => (payload.search_criteria === undefined) !== (payload.fasta_url === undefined), {
    message: 'give either search_criteria (UniProt) or fasta_url (a FASTA file), not both',
    path: ['search_criteria'],
  });

export const loadOntologyPayload = z.strictObject({
  obo_url: url,
  timeout_seconds: timeoutSeconds(120),
  force_relationships: z.boolean().default(false).meta({
    description: 'Compare the edges of a snapshot that is already loaded and add those that are missing',
  }),
});

const annotationLoad = {
  ontology_snapshot_id: ontologySnapshotId,
  source_version: z.string().trim().min(1).max(100).meta({
    description: 'Your name for this release; with the source and the ontology it identifies the set',
  }),
  page_size: z.int().min(100).max(100_000).default(10_000).meta({ description: 'Rows per committed batch' }),
  timeout_seconds: timeoutSeconds(300),
  total_limit: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'Stop after so many rows of the source' }),
  on_bad_line: onBadLine,
};
export const loadGoaPayload = z.strictObject({ gaf_url: url, ...annotationLoad });
export const loadQuickgoPayload = z.strictObject({
  quickgo_base_url: url.default('https://www.ebi.ac.uk/QuickGO/services/annotation/downloadSearch'),
  gene_product_ids: z
    .array(accession)
    .max(100_000)
    .nullable()
    .default(null)
    .meta({ description: 'Ask for these accessions' }),
  use_db_accessions: z.boolean().default(true).meta({
    description: 'Without gene_product_ids: ask for the proteins of the database; false asks for everything',
  }),
  gene_product_batch_size: z
    .int()
    .min(1)
    .max(1000)
    .default(200)
    .meta({ description: 'Accessions per request' }),
  eco_mapping_url: url
    .nullable()
    .default(null)
    .meta({ description: 'ECO ids to GO evidence codes (gaf-eco-mapping.txt), for rows that have no code' }),
  ...annotationLoad,
});

export const loadTaxonomyPayload = z
  .strictObject({
    taxdump_url: url.optional().meta({
      description:
        'Archive with nodes.dmp, names.dmp and merged.dmp, e.g. https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump.tar.gz',
    }),
    nodes_url: url.optional().meta({ description: 'nodes.dmp, instead of the archive' }),
    names_url: url.optional().meta({ description: 'names.dmp, with nodes_url' }),
    merged_url: url
      .optional()
      .meta({ description: 'merged.dmp, with nodes_url: former ids count as the taxa that they belong to' }),
    timeout_seconds: timeoutSeconds(300),
    on_bad_line: onBadLine,
  })
  .refine(
    ({ taxdump_url, nodes_url, names_url, merged_url }) =>
      taxdump_url === undefined
        ? nodes_url !== undefined && names_url !== undefined
        : nodes_url === undefined && names_url === undefined && merged_url === undefined,
    { message: 'give taxdump_url alone, or nodes_url and names_url', path: ['taxdump_url'] },
  );

export const computeEmbeddingsPayload = z.strictObject({
  embedding_config_id: embeddingConfigId,
  query_set_id: querySetId
    .nullable()
    .default(null)
    .meta({ description: 'Embed the sequences of this query set' }),
  accessions: z
    .array(accession)
    .min(1)
    .max(100_000)
    .nullable()
    .default(null)
    .meta({ description: 'Embed these proteins; without query_set_id and accessions: all' }),
  sequences_per_job: z
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .meta({ description: 'Sequences per batch message' }),
  skip_existing: z.boolean().default(true).meta({ description: 'Leave sequences that have a vector' }),
});

export const predictPayload = z
  .strictObject({
    embedding_config_id: embeddingConfigId,
    annotation_set_id: annotationSetId,
    ontology_snapshot_id: ontologySnapshotId,
    query_set_id: querySetId.nullable().default(null).meta({ description: 'Predict for an uploaded set' }),
    query_accessions: z
      .array(accession)
      .min(1)
      .max(100_000)
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
    batch_size: z.int().min(1).max(4096).default(256).meta({ description: 'Queries per batch message' }),
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
      .meta({ description: 'Align each query with its donors, globally and locally' }),
    compute_taxonomy: z
      .boolean()
      .default(false)
      .meta({ description: 'Compare the taxa of query and donor (after load_taxonomy)' }),
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
  })
  .refine((payload) => payload.query_set_id === null || payload.query_accessions === null, {
    message: 'give query_set_id or query_accessions, not both',
    path: ['query_accessions'],
  })
  .refine((payload) => payload.search === 'hnsw' || payload.hnsw_expansion === null, {
    message: 'leave hnsw_expansion out, or give search hnsw with it',
    path: ['hnsw_expansion'],
  });

export interface OperationRow {
  name: string;
  queue: QueueName;
  /** A researcher may submit it; all others need an operator. */
  light: boolean;
  description: string;
  payload: z.ZodType;
}

/** Operations that POST /jobs takes. A row appears here when the operation is built, never before. */
export const operationRows = [
  {
    name: 'ping',
    queue: 'svc.ping',
    light: true,
    payload: pingPayload,
    description: 'Smoke test: succeeds at once',
  },
  {
    name: 'insert_proteins',
    queue: 'svc.jobs',
    light: false,
    payload: insertProteinsPayload,
    description: 'Load proteins from a FASTA file or from the UniProt REST API',
  },
  {
    name: 'load_ontology_snapshot',
    queue: 'svc.jobs',
    light: false,
    payload: loadOntologyPayload,
    description: 'Load a release of the Gene Ontology from an OBO file',
  },
  {
    name: 'load_goa_annotations',
    queue: 'svc.jobs',
    light: false,
    payload: loadGoaPayload,
    description: 'Load GO annotations from a GAF or GPAD file',
  },
  {
    name: 'load_quickgo_annotations',
    queue: 'svc.jobs',
    light: false,
    payload: loadQuickgoPayload,
    description: 'Load GO annotations from the QuickGO download service',
  },
  {
    name: 'load_taxonomy',
    queue: 'svc.jobs',
    light: false,
    payload: loadTaxonomyPayload,
    description: 'Load the NCBI taxonomy from its dump; it takes the place of the one before',
  },
  {
    name: 'compute_embeddings',
    queue: 'svc.embeddings',
    light: true,
    payload: computeEmbeddingsPayload,
    description: 'Compute the vectors of sequences with an embedding configuration',
  },
  {
    name: 'predict_go_terms',
    queue: 'svc.predictions',
    light: true,
    payload: predictPayload,
    description: 'Transfer GO terms from the nearest annotated proteins',
  },
  ...baselineOperationRows,
  ...interproRows,
  ...uniprotRows,
  ...vectorRows,
  ...evaluationOperationRows,
  exportDatasetRow,
] as const satisfies readonly OperationRow[];
export type OperationName = (typeof operationRows)[number]['name'];
export type PayloadOf<Name extends OperationName> = z.infer<
  Extract<(typeof operationRows)[number], { name: Name }>['payload']
>;
