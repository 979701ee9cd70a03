import { aspects } from '@kindred/contracts';
import { z } from 'zod';
import { booleanQuery, limitQuery, offsetQuery } from '../../validation.js';

export const proteinParams = z.object({ accession: z.string().min(1).max(100) });
export const proteinListQuery = z.strictObject({
  organism: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .meta({ description: 'The whole name, as UniProt writes it' }),
  taxonomy_id: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  reviewed: booleanQuery.optional(),
  search: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: 'Part of accession, entry name, gene, protein name or organism; any case' }),
  limit: limitQuery(500),
  offset: offsetQuery,
});
export const annotationQuery = z.strictObject({ limit: limitQuery(5000, 500), offset: offsetQuery });

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
