import { type AnnotationSetId, uuidOf } from '@kindred/contracts';
import { z } from 'zod';
import { afterQuery } from '../../cursor.js';
import { limitQuery } from '../../validation.js';

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
