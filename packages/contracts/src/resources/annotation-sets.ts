import { z } from 'zod';
import {
  accession,
  afterQuery,
  limitQuery,
  onBadLine,
  ontologySnapshotId,
  timeoutSeconds,
  url,
} from '../fields.js';
import { type AnnotationSetId, uuidOf } from '../ids.js';
import type { OperationRow } from '../operation.js';
import { mostAccessions, routesOf } from '../route.js';
import { queuedReply } from './jobs.js';

export const setParams = z.object({ id: uuidOf<AnnotationSetId>() });
export const setListQuery = z.strictObject({ limit: limitQuery(500), after: afterQuery });

export const setReply = z.object({
  id: z.guid(),
  source: z.string(),
  source_version: z.string(),
  ontology_snapshot_id: z.guid(),
  obo_version: z.string(),
  job_id: z.guid().nullable(),
  annotation_count: z.int(),
  protein_count: z.int(),
  newest_annotation_date: z
    .string()
    .nullable()
    .meta({ description: 'YYYY-MM-DD of its newest row: which of two releases is the newer' }),
  meta: z.record(z.string(), z.unknown()),
  created_at: z.string(),
});
export const setDetailReply = setReply.extend({
  statistics: z.object({
    by_aspect: z.object({ P: z.int(), F: z.int(), C: z.int() }),
    by_evidence_code: z.record(z.string(), z.int()),
    negated: z.int(),
    terms: z.int(),
  }),
});
export const setDeletedReply = z.object({ deleted: z.guid(), annotations_deleted: z.int() });

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
    .meta({ description: 'Stop after this many rows of the source' }),
  on_bad_line: onBadLine,
};
export const loadGoaPayload = z.strictObject({ gaf_url: url, ...annotationLoad });
export const loadQuickgoPayload = z.strictObject({
  quickgo_base_url: url.default('https://www.ebi.ac.uk/QuickGO/services/annotation/downloadSearch'),
  gene_product_ids: z
    .array(accession)
    .max(mostAccessions)
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

export const annotationSetOperations = [
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
] as const satisfies readonly OperationRow[];

export const annotationSetRoutes = routesOf('annotations', {
  list: {
    method: 'GET',
    path: '/annotations/sets',
    floor: 'viewer',
    summary: 'Annotation sets with counts',
    query: setListQuery,
    reply: { 200: z.array(setReply) },
  },
  show: {
    method: 'GET',
    path: '/annotations/sets/:id',
    floor: 'viewer',
    summary: 'One annotation set with statistics',
    params: setParams,
    reply: { 200: setDetailReply },
  },
  remove: {
    method: 'DELETE',
    path: '/annotations/sets/:id',
    floor: 'operator',
    refuses: [409],
    summary: 'Delete an annotation set and its annotations',
    params: setParams,
    reply: { 200: setDeletedReply },
  },
  loadGoa: {
    method: 'POST',
    path: '/annotations/sets/load-goa',
    floor: 'operator',
    refuses: [429],
    summary: 'Queue load_goa_annotations',
    body: loadGoaPayload,
    reply: { 202: queuedReply },
  },
  loadQuickgo: {
    method: 'POST',
    path: '/annotations/sets/load-quickgo',
    floor: 'operator',
    refuses: [429],
    summary: 'Queue load_quickgo_annotations',
    body: loadQuickgoPayload,
    reply: { 202: queuedReply },
  },
});
