import type { setDetailReply, setReply } from '@kindred/contracts/resources/annotation-sets';
import type { z } from 'zod';
import type { AnnotationSetRow } from '../../../store/annotations/annotations.repository.js';

export function presentSet(row: AnnotationSetRow): z.infer<typeof setReply> {
  return {
    id: row.id,
    source: row.source,
    source_version: row.source_version,
    ontology_snapshot_id: row.ontology_snapshot_id,
    obo_version: row.obo_version,
    job_id: row.job_id,
    annotation_count: row.annotation_count,
    protein_count: row.protein_count,
    newest_annotation_date: row.newest_annotation_date,
    meta: row.meta,
    created_at: row.created_at,
  };
}

export function presentSetDetail(row: AnnotationSetRow): z.infer<typeof setDetailReply> {
  return { ...presentSet(row), statistics: row.statistics };
}
